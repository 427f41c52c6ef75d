"""What every layer uses: the errors a caller may see, bounded reading, atomic writing, near names.

Nothing here knows about facts or rules.
"""
