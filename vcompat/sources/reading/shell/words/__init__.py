"""Words of a shell script: their values, and how they are expanded."""
