"""Sets of releases in words, and the range to change to."""

from __future__ import annotations

from packaging.version import Version

from vcompat.index.rows import intervals
from vcompat.index.store import Index


def spans(index: Index, releases: int) -> str:
    """Return a set of releases in few words, such as ``0.6.3 - 0.11.2``."""
    texts = [str(first) if first == last else f"{first} - {last}" for first, last in index.spans(releases)]
    return ", ".join(texts)


def have(index: Index, releases: int, verb: str = "have", may: int = 0) -> str:
    """Return which releases have something, as a part of a sentence: ``0.6.3 - 0.11.2 have it``.

    `may` are releases of which that is not known.
    """
    single = {"have": "has", "use": "uses"}[verb]
    others = f", {spans(index, may)} may" if may else ""
    return f"{spans(index, releases)} {single if releases & (releases - 1) == 0 else verb} it{others}"


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
