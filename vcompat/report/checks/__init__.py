"""The outcome of a check, one module a format."""
