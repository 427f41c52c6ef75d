"""How outcomes are shown: one module per format of a check, and the reports of other commands.

Everything here turns results into text and decides nothing.
"""
