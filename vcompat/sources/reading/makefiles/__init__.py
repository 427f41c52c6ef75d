"""Makefiles: what `make` runs for a goal."""
