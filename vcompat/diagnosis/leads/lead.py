"""A lead: what the code of the releases says about a failure that no rule knows."""

from __future__ import annotations

from typing import NamedTuple

from vcompat.diagnosis.logs.prefixes import Line

MISSING, CHANGED, RELEASES = "missing", "changed", "releases"


class Change(NamedTuple):
    """Releases of one package with which the failure should not occur."""

    package: str
    ranges: str
    """A version specifier, such as ``>=0.6.3,<0.12.0``."""
    because: str
    install: tuple[str, ...] | None = None
    """What to tell an installer; empty if no set of releases works with it, None if that was not checked."""
    others: tuple[str, ...] = ()
    """The releases of other packages that must change with it."""


class Lead(NamedTuple):
    """One statement about a failure, and what it suggests."""

    kind: str
    """'missing' if something is lacking that other releases have, 'changed' if code of the failure changed later,
    'releases' if the traceback tells of which release it is."""
    title: str
    line: Line
    """The line of the log that it is about."""
    details: tuple[str, ...] = ()
    changes: tuple[Change, ...] = ()
    """What would help, the best first; one is enough."""
    later: tuple[str, str] | None = None
    """The package whose code changed later, and the release that changed it."""
    compare: str = ""
    """The address at which the change can be read."""
    pulls: tuple[str, ...] = ()
    """The addresses of pull requests that made the change, the oldest first."""
