"""Probes: the facts of this machine. One module per source; ``machine`` runs them all.

No probe imports torch, vllm, trl or transformers.
"""
