"""The front ends: the command line, one file a command, and the plugin for pytest.

They wire the other parts together. Importing this package imports none of them.
"""
