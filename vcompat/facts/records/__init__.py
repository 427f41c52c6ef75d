"""The records of upstream's releases that facts are derived from."""
