"""What identifies the code that builds an index: an index that other code has built is out of date.

It is made of the same hashes of code that an index has: comments, docstrings and wrapped lines do not count.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from vcompat.index.rows import CODE
from vcompat.upstream.names.extract import rows_of

_PACKAGE = Path(__file__).resolve().parents[2]
#: The modules that decide what is in an index.
_READING = ("chunks", "encoding", "lines", "packages", "rows")
_BUILDING = ("build", "detail", "extract", "reading", "signatures", "sources")


@cache
def stamp() -> str:
    """Return what identifies the code that builds an index."""
    return hashlib.sha256("\n".join(_codes()).encode()).hexdigest()[:12]


def _codes() -> Iterator[str]:
    paths = [*(f"index/{name}.py" for name in _READING), *(f"upstream/names/{name}.py" for name in _BUILDING)]
    for path in paths:
        rows = rows_of(path, (_PACKAGE / path).read_text(encoding="utf-8"), is_package=False)
        yield from sorted(f"{path} {scope} {code}" for kind, scope, code, _ in rows if kind == CODE)
