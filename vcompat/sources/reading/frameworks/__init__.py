"""Programs of frameworks that train with trainers of their own, and what their words and files state.

A framework is recognized by the name of its program or module. What is stated means what the framework's source makes
of it in all of its releases; its defaults are not stated, since no release of a framework is recorded.
"""
