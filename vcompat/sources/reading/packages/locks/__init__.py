"""Lock files that list the packages of a project."""
