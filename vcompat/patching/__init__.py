"""The patch layer: guard, apply, verify, undo, and the ledger. The patches themselves lie in ``vcompat.patches``."""
