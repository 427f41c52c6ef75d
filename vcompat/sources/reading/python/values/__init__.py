"""The values of the abstract execution, the state that holds them, and what can be done with them."""
