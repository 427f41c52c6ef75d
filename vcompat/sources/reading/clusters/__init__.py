"""Files that hold the command of a container, a cluster or a rented machine."""
