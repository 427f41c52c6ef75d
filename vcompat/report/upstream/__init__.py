"""What the records state about upstream's releases, as text."""
