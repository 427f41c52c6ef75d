"""What conda declares and lists: environment.yml, `conda list`, and their specs."""
