"""Text without what identifies people, machines and models: for what is sent upstream.

What is doubtful is replaced: a report without a word is better than one with a key in it.
"""
