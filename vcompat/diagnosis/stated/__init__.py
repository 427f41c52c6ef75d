"""Facts that a log states, and those beside it."""
