"""Targets: hardware that is not here, by a name such as ``8xH100``, or from a profile of a cluster."""
