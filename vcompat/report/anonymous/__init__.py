"""Text without what identifies people, machines and models: for what is sent upstream.

What is doubtful is replaced: a missing name does less harm than a key that is published.
"""
