"""The plan: what the user intends to run, read from run files that are parsed and never executed.

One module per kind of file (``script``, ``trl_config``, ``accelerate_config`` ...). ``recognize`` detects the kind, and
``files`` reads run files and the files that they name. Defaults of settings that are not set are in ``facts``.
"""
