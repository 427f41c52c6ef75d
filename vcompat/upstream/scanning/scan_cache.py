"""What was read from releases, kept in the user's cache: reading all of them again takes minutes.

An entry is valid for the files that the release had and for the code that read them.
"""

from __future__ import annotations

import contextlib
import gzip
import hashlib
import json
import sys
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

from vcompat.foundation.errors import InputError
from vcompat.foundation.writing import write_bytes
from vcompat.upstream.archive import Archive, Tree
from vcompat.upstream.index import Release
from vcompat.upstream.store import default_folder


class Kept:
    """The entry of one release: a table of JSON values."""

    def __init__(self, kind: str, release: Release, source: Archive | Tree, readers: Sequence[ModuleType]) -> None:
        """Read the entry, empty if there is no valid one. `readers` are the modules that compute what is kept."""
        self._path = None
        self.table: dict[str, Any] = {}
        if isinstance(source, Archive):
            self._key = hashlib.sha256(f"{source.digest()} {_code(tuple(readers))}".encode()).hexdigest()
            self._path = kept_folder() / kind / f"{release.package}-{release.version}.json.gz"
            self.table = self._read(self._path)

    def _read(self, path: Path) -> dict[str, Any]:
        try:
            entry = json.loads(gzip.decompress(path.read_bytes()))
        except (OSError, EOFError, ValueError):
            return {}
        return entry["table"] if entry["key"] == self._key else {}

    def save(self) -> None:
        """Write the entry. A cache that cannot be written is no error."""
        if self._path is None:
            return
        text = json.dumps({"key": self._key, "table": self.table}, separators=(",", ":"))
        with contextlib.suppress(OSError, InputError):
            self._path.parent.mkdir(parents=True, exist_ok=True)
            write_bytes(self._path, gzip.compress(text.encode(), 1))


def kept_folder() -> Path:
    """Return the folder of all entries."""
    return default_folder().parent / "scan"


@cache
def _code(modules: tuple[ModuleType, ...]) -> str:
    """A hash of the source of modules and of the Python version, whose parser reads the releases."""
    digest = hashlib.sha256(sys.version.encode())
    for module in modules:
        digest.update(Path(module.__file__ or "").read_bytes())
    return digest.hexdigest()
