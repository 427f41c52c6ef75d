"""What follows from findings before the launch: changes of run files (``editing``), a choice of releases (``resolve``).

Fixes at run time are in ``patching`` and ``patches``.
"""
