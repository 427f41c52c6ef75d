"""What one release offers to other packages, read from its source with the rows of the index of names."""
