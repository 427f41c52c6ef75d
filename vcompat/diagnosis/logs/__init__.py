"""Logs as streams of lines: read, freed of prefixes, and cut to what surrounds a failure."""
