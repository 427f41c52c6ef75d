"""A diagnosis, one module a format, and what is sent upstream."""
