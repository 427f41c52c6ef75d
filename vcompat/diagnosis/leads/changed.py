"""The code of a failure that a later release changed: where to look for a fix that nobody has written down."""

from __future__ import annotations

from collections.abc import Sequence

from packaging.version import Version

from vcompat.diagnosis.leads.frame_releases import Frame
from vcompat.diagnosis.leads.lead import CHANGED, Lead
from vcompat.foundation.repositories import comparison, pull_request
from vcompat.index.lines import line_hash, normalized
from vcompat.index.pulls import pulls_of
from vcompat.index.rows import FUNCTION, intervals
from vcompat.index.spans import spans
from vcompat.index.store import Index

#: Packages that every failure passes: where such code is the deepest, the cause is above it.
PASSED = frozenset({"torch"})
#: Functions that import modules on demand: what failed is in the module.
_LOADING = frozenset({"_get_module", "__getattr__", "_import_module"})
#: The most pull requests that a lead names.
_MOST = 3


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
    what, numbers = _who_changed(index, frame, change)
    title = f"{stands}; {index.releases[change]} changed {what}"
    details = (f"whether that change is a fix is not known; it is in {frame.module}",)
    later = index.package, str(index.releases[change])
    address = comparison(index.package, index.releases[change - 1], index.releases[change])
    pulls = tuple(pull_request(index.package, number) for number in numbers[:_MOST])
    return Lead(CHANGED, title, frame.line, details, later=later, compare=address, pulls=pulls)


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


def _who_changed(index: Index, frame: Frame, change: int) -> tuple[str, tuple[int, ...]]:
    """What a release changed, in words with the pull requests, and their numbers; empty if they are not known."""
    scope = _scope(index, frame, change)
    numbers = pulls_of(index.package, frame.module, scope, index.releases[change]) if scope else ()
    if not numbers:
        return "it", ()
    named = f"pull request{'s' if len(numbers) > 1 else ''} {', '.join(map(str, numbers[:_MOST]))}"
    more = f" and {len(numbers) - _MOST} more" if len(numbers) > _MOST else ""
    return f"{scope} ({named}{more})", numbers


def _scope(index: Index, frame: Frame, change: int) -> str:
    """The qualified name of the function whose line a release removed; empty if it can be one of several."""
    key = bytes.fromhex(line_hash(normalized(frame.code)))
    before = change - 1
    scopes = index.scopes(frame.module)
    names = []
    for name, scope in scopes.items():
        # A line that no release lacks, of those with the scope, is not kept.
        has = scope.lines.get(key, scope.releases)
        if name.rpartition(".")[2] == frame.function and has >> before & 1:
            names.append(name)
    known = index.module(frame.module)
    for owner in known.scopes(FUNCTION) if known else ():
        name = f"{owner}.{frame.function}" if owner else frame.function
        if known and name not in scopes and known.having(FUNCTION, frame.function, owner) >> before & 1:
            names.append(name)
    return names[0] if len(names) == 1 else ""
