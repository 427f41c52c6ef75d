"""What raising the bound of another package means: what changed of it, between two releases, that a package uses."""
