"""Probes: what a machine is. One file per source of facts; ``machine`` runs them all.

None of them imports torch, vllm, trl or transformers.
"""
