"""Patches of vLLM."""
