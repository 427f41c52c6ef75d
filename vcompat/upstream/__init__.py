"""Upstream's releases, from the package index to what their source shows.

From the bottom up: ``index`` (which releases there are), ``archive`` and ``store`` (their text, kept), ``folder`` (the
same from a folder of the user's), ``requirements`` (what a release declares of other packages), ``subjects`` (what
rules and patches say of a release's source), ``record`` (what was seen, as the repository keeps it), ``survey``
(releases looked at, in parallel), ``verdicts`` (claims held against what was seen).
"""
