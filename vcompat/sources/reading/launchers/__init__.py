"""What a launcher makes of its command line and its configuration: processes, devices, precision and sharding."""
