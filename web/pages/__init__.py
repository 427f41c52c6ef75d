"""The pages that the data writes: a module for each kind, with a function that yields them."""
