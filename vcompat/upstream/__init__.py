"""Releases of the upstream packages: listed on the package index, fetched, and inspected.

From the bottom up: ``index`` (which releases exist), ``archive`` and ``store`` (their text files, cached), ``folder``
(releases in a folder of the user), ``requirements`` (what a release requires of other packages), ``subjects`` (what
rules and patches expect in a release's source), ``survey`` (inspects releases in parallel), ``verdicts`` (compares
the claims of rules and patches with the results).
"""
