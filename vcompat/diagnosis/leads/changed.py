"""The code of a failure that a later release changed: where to look for a fix that nobody has written down."""

from __future__ import annotations

from collections.abc import Sequence

from packaging.version import Version

from vcompat.diagnosis.leads.frames import Frame
from vcompat.diagnosis.leads.lead import CHANGED, Lead
from vcompat.foundation.repositories import comparison
from vcompat.index.rows import intervals
from vcompat.index.spans import spans
from vcompat.index.store import Index

#: Packages that every failure passes: where such code is the deepest, the cause is above it.
PASSED = frozenset({"torch"})
#: Functions that import modules on demand: what failed is in the module.
_LOADING = frozenset({"_get_module", "__getattr__", "_import_module"})


def changed_later(frames: Sequence[Frame], consistent: int, version: Version | None) -> Lead | None:
    """Return the lead of the deepest frame whose package is in the index; None if no later release changed its code.

    `consistent` are the releases of that package that all of its frames fit.
    """
    frame = deepest(frames)
    index = frame.index if frame else None
    if frame is None or index is None or not consistent:
        return None
    at = index.releases.index(Version(version.public)) if version and index.only(version) & consistent else None
    last = at if at is not None else consistent.bit_length() - 1
    change = _next_change(index, frame, last)
    if change is None:
        return None
    stands = f"{frame.function} at this line stands in {index.package} {spans(index, _run(frame.releases, last))}"
    title = f"{stands}; {index.releases[change]} changed it"
    details = (f"whether that change is a fix is not known; it is in {frame.module}",)
    later = index.package, str(index.releases[change])
    address = comparison(index.package, index.releases[change - 1], index.releases[change])
    return Lead(CHANGED, title, frame.line, details, later=later, compare=address)


def deepest(frames: Sequence[Frame]) -> Frame | None:
    """Return the frame nearest to the error whose package is in the index, if it is not one that everything passes."""
    known = [frame for frame in frames if frame.package]
    while known and known[-1].package in PASSED:
        known.pop()
    last = known[-1] if known else None
    return last if last and last.is_telling and last.function not in _LOADING else None


def _run(releases: int, number: int) -> int:
    """The releases next to each other that include release `number`."""
    for first, last in intervals(releases):
        if first <= number <= last:
            return (1 << (last + 1)) - (1 << first)
    return releases


def _next_change(index: Index, frame: Frame, last: int) -> int | None:
    """The first later release in which the line is gone."""
    run = _run(frame.releases, last)
    change = run.bit_length()
    return change if change < len(index.releases) else None
