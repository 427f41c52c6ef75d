"""The verdict of a rehearsal, one module a format."""
