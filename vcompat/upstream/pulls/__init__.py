"""Which pull requests changed which functions in which release, from a clone of a package's repository."""
