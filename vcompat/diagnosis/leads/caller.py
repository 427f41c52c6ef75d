"""Which releases of the calling package use what is missing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from vcompat.diagnosis.leads.callee import Callee
from vcompat.diagnosis.leads.frame_releases import Frame
from vcompat.diagnosis.leads.python_errors import NAME, Missing
from vcompat.index.rows import IMPORT, union
from vcompat.index.store import Index


class Caller(NamedTuple):
    """A package that uses what is missing."""

    package: Index
    module: str
    uses: int
    """The releases that use it there."""


def caller_of(missing: Missing, callee: Callee, frames: Sequence[Frame]) -> Caller | None:
    """Return the package whose code used what is missing, as far as the frames show it; None for other code."""
    for frame in reversed(frames):
        index = frame.index
        if index is None:
            if not _is_machinery(frame.path):
                return None
            continue
        if index.package == callee.package.package:
            continue
        uses = _imports(index, frame.module, callee, missing.name) if missing.kind == NAME else 0
        if frame.is_telling and missing.name in frame.code:
            uses |= frame.releases
        return Caller(index, frame.module, uses) if uses else None
    return None


def _imports(index: Index, module: str, callee: Callee, name: str) -> int:
    """The releases in which a module imports a name from the package that lacks it."""
    here = index.module(module)
    if here is None:
        return 0

    def is_it(target: str) -> bool:
        origin, _, original = target.partition(":")
        return original == name and (origin == callee.module or origin.partition(".")[0] == callee.package.root)

    return union(mask for targets in here.names(IMPORT).values() for target, mask in targets if is_it(target))


def _is_machinery(path: str) -> bool:
    """Whether a frame is of Python's own import."""
    return path.startswith("<") or "/importlib/" in path
