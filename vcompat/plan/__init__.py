"""The plan: what the user intends to run, read from files that are parsed and never executed."""
