"""Builds the index from the source of releases."""
