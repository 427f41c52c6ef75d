"""How code runs abstractly: expressions, calls, statements, branches and loops."""
