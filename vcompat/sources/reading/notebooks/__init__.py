"""Jupyter notebooks: their cells, IPython's syntax, and the commands that cells start."""
