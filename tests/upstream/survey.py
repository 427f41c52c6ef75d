"""Which of the recorded releases to look at again: those on both sides of a change, which say most."""

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
    """What is recorded of a package."""
    return load_record(package)


def edges(package: str, claim: Callable[[Version], object]) -> list[Version]:
    """The releases next to each other of which `claim` says different things, and the newest one."""
    versions = record(package).releases
    chosen = {versions[-1]}
    for before, after in pairwise(versions):
        if claim(before) != claim(after):
            chosen |= {before, after}
    return sorted(chosen)


def reader(package: str, version: Version) -> Read:
    """Reads files of a release's source tree by their path in it; None for one that it does not have."""
    return source(package, str(version)).read
