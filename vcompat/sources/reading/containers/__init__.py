"""What a container starts, by its Dockerfile."""
