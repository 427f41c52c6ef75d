"""Select the recorded releases to inspect again: those on both sides of a change, which are the most relevant ones."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from itertools import pairwise

from packaging.version import Version

from tests.upstream.releases import source
from vcompat.rules.record import Record, load_record
from vcompat.upstream.requirements import Read


@cache
def record(package: str) -> Record:
    """Return the record of a package."""
    return load_record(package)


def edges(package: str, claim: Callable[[Version], object]) -> list[Version]:
    """Return neighboring releases with different values of `claim`, and the newest release."""
    versions = record(package).releases
    chosen = {versions[-1]}
    for before, after in pairwise(versions):
        if claim(before) != claim(after):
            chosen |= {before, after}
    return sorted(chosen)


def reader(package: str, version: Version) -> Read:
    """Return a reader of a release's source files by path, which returns None for a missing file."""
    return source(package, str(version)).read
