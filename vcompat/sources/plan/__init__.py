"""The plan: what the user intends to run, read from files that are parsed and never executed.

One file here for each kind of file that can be read (``script``, ``trl_config``, ``accelerate_config`` ...); ``files``
tells them apart and follows what they name; ``defaults`` knows what holds where nobody says anything.
"""
