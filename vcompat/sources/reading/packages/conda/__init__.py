"""Environments of conda, its lists and its locks."""
