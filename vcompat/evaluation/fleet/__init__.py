"""Judges many nodes as a whole: what differs between them, what is wrong with some, and which rules apply to which."""
