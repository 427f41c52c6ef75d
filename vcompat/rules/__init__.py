"""What a rule is and how rules are read: conditions, version ranges, fingerprints, evidence records.

The rules themselves are data, in ``rules/`` at the top of the repository. ``vcompat.evaluation`` evaluates them.
"""
