"""Sources of facts: this machine, run files, environments and targets. ``gather`` combines them.

Everything here reads and nothing evaluates. Files that a user passes are parsed and never run.
"""
