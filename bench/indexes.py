"""How long the largest index of names takes to open, and one lookup in it."""

from __future__ import annotations

import random
import statistics
import time
from pathlib import Path

from vcompat.foundation.shipped import evidence_folder
from vcompat.index.names import Names
from vcompat.index.store import Index

_OPENED, _ASKED = 30, 60


def times() -> str:
    """Return the figures. Each lookup is of a name in another module, so that its chunk is read from the file."""
    path = max(Path(evidence_folder(), "index").glob("*.zip"), key=lambda path: path.stat().st_size)
    opened, asked = [], []
    for _ in range(_OPENED):
        started = time.perf_counter()
        Index(str(path))
        opened.append(time.perf_counter() - started)
    index = Index(str(path))
    modules = sorted(module for chunk in index.chunks for module in index.modules_in(chunk))
    for module in random.Random(1).sample(modules, _ASKED):
        names = Names(Index(str(path)))
        started = time.perf_counter()
        names.name(module, "absent")
        asked.append(time.perf_counter() - started)
    return (
        f"the index of {index.package}, {path.stat().st_size / 1e6:.1f} MB: opened in"
        f" {statistics.median(opened) * 1000:.1f} ms (target: under 30), a first lookup in a module"
        f" {statistics.median(asked) * 1000:.1f} ms, at most {max(asked) * 1000:.0f} ms (target: under 5 in the median)"
    )
