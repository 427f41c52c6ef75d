"""Targets: hardware other than this machine's, by a name such as ``8xH100`` or from a cluster profile."""
