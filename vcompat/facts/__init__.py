"""Facts about a run: the vocabulary, their values, their container, and the facts derived from other facts.

``sources`` collects facts; ``evaluation`` evaluates rules over them.
"""
