"""Which process of a run applied which patch."""
