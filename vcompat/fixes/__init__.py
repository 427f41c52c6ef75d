"""Fixes before the launch: changes to run files (``editing``) and a choice of versions (``resolve``).

Fixes at run time are in ``patching`` and ``patches``.
"""
