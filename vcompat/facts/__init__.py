"""What can be known about a run: the vocabulary, values, the container, and what follows from known facts.

Facts are not collected here (see ``sources``) and rules are not evaluated here (see ``evaluation``).
"""
