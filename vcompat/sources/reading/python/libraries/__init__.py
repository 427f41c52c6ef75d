"""Models of library functions that scripts compute settings with."""
