"""From facts to findings: rules evaluated, findings judged by a project's settings, a whole check.

How findings are shown is ``report``'s work; what to do about them is ``fixes``' and ``patching``'s.
"""
