"""Files of recipes: what `make` and `just` run for a target."""
