"""The patch layer: guard, apply, check, undo, and the ledger. The patches themselves are in ``vcompat.patches``."""
