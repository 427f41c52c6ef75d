"""Patches of TRL."""
