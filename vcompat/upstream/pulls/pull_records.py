"""The records of pull requests: made from a clone, compared with what is recorded, written."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache, partial
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

from packaging.version import Version

from vcompat.index.lines import Scope
from vcompat.index.pulls import MEMBER, Pulls, encoded, pulls_file, recorded_text
from vcompat.index.store import Index
from vcompat.upstream.names.write import write_index
from vcompat.upstream.pulls.clone import Clone
from vcompat.upstream.pulls.history import History


class Surveyed(NamedTuple):
    """What a clone states of the changes that the index of a package has."""

    pulls: Pulls
    found: int
    """The changes of which the pull requests are known."""
    every: int
    """The changes of functions that the index has: a line of an earlier release is gone."""
    untagged: tuple[Version, ...]
    """The recorded releases of which the clone has no tag."""


def survey(index: Index, clone: Clone, each: Callable[[str], None]) -> Surveyed:
    """Find the pull requests of all changes that the index has. Call `each` with every release.

    Only what the index has is kept: that is all that a lead can ask for, and a tag that is not the source of its
    release does not agree with it.
    """
    history = History(clone, index.package)
    scopes = cache(index.scopes)
    pulls: dict[str, dict[str, dict[Version, tuple[int, ...]]]] = {}
    for number, (before, after) in enumerate(pairwise(index.releases), 1):
        each(str(after))
        old, new = _tag(clone, before), _tag(clone, after)
        has_lost = partial(_has_lost, scopes, number)
        for change in history.changed(old, new, has_lost) if old and new else ():
            if has_lost(change.module, change.scope):
                pulls.setdefault(change.module, {}).setdefault(change.scope, {})[after] = change.pulls
    return Surveyed(
        pulls,
        sum(len(releases) for module in pulls.values() for releases in module.values()),
        _every(index),
        tuple(version for version in index.releases if not _tag(clone, version)),
    )


def _has_lost(scopes: Callable[[str], Mapping[str, Scope]], number: int, module: str, name: str | None = None) -> bool:
    """Whether a scope of a module, or any of its scopes, has lost a line in a release."""
    return any(_lost(scope, number) for one, scope in scopes(module).items() if one and name in (None, one))


def _lost(scope: Scope, number: int) -> bool:
    """Whether a scope has lost a line in a release, which is what a lead is about."""
    return any(has >> number - 1 & 1 and not has >> number & 1 for has in scope.lines.values())


def _every(index: Index) -> int:
    numbers = range(1, len(index.releases))
    modules = (module for chunk in index.chunks for module in index.modules_in(chunk))
    scopes = (scope for module in modules for name, scope in index.scopes(module).items() if name)
    return sum(_lost(scope, number) for scope in scopes for number in numbers)


def _tag(clone: Clone, version: Version) -> str:
    """The tag of a release; empty if there is none."""
    return next((tag for tag in (f"v{version}", str(version)) if tag in clone.tags), "")


def is_recorded(package: str, pulls: Pulls, folder: str | None = None) -> bool:
    """Whether the record of a package has exactly these pull requests. Raises InputError if it is damaged."""
    return recorded_text(package, folder) == encoded(pulls)


def write(package: str, pulls: Pulls, folder: str | None = None) -> Path | None:
    """Write the record of a package; return its file if it changed."""
    path = Path(pulls_file(package, folder))
    return path if write_index(path, {MEMBER: encoded(pulls).encode()}) else None
