"""A lead: what the code of the releases says about a failure that no rule knows."""

from __future__ import annotations

from typing import NamedTuple

from packaging.version import Version

from vcompat.diagnosis.prefixes import Line
from vcompat.index.rows import intervals
from vcompat.index.store import Index

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


def spans(index: Index, releases: int) -> str:
    """Return a set of releases in few words, such as ``0.6.3 - 0.11.2``."""
    texts = [str(first) if first == last else f"{first} - {last}" for first, last in index.spans(releases)]
    return ", ".join(texts)


def have(index: Index, releases: int, verb: str = "have") -> str:
    """Return which releases have something, as a part of a sentence: ``0.6.3 - 0.11.2 have it``."""
    single = {"have": "has", "use": "uses"}[verb]
    return f"{spans(index, releases)} {single if releases & (releases - 1) == 0 else verb} it"


def position(index: Index, version: Version) -> int:
    """Return the number of a release; of one that is not recorded, such as a prerelease, that of the one before it."""
    public = Version(version.public)
    return sum(release <= public for release in index.releases) - 1


def wanted(index: Index, releases: int, at: int | None, is_earlier: bool = False) -> tuple[str, bool] | None:
    """Return the range to change to, of those that `releases` form, and whether it is later than release number `at`.

    A later range is preferred to an earlier one. Without `at`, it is the newest range, or with `is_earlier` the oldest
    one; it counts as later if it has the newest release. None if there is no range.
    """
    runs = intervals(releases)
    if not runs:
        return None
    newest = len(index.releases) - 1
    later = [run for run in runs if at is not None and run[0] > at]
    if later:
        first, last = later[0]
    elif at is not None:
        first, last = next((run for run in reversed(runs) if run[1] <= at), runs[-1])
    else:
        first, last = runs[0] if is_earlier else runs[-1]
    below = f"<{index.releases[last + 1]}" if last < newest else ""
    is_later = bool(later) or (at is None and last == newest)
    above = f">={index.releases[first]}" if first > 0 or not below else ""
    return ",".join(filter(None, [above, below])), is_later
