"""What every layer uses: error classes, reading with limits, atomic writing, name suggestions.

Nothing here depends on facts or rules.
"""
