"""Reads training scripts by executing them abstractly: statement by statement, on values that may be unknown.

What cannot be followed makes unknown whatever it might have changed: a call of an unknown function opens the objects
that it gets, a branch on an unknown condition leaves the values on which both of its arms agree.
"""
