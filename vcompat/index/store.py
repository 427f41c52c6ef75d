"""The index of a package, opened from its file: modules, lines and words are read when they are asked for.

Without a file for a package there is no index of it, and `open_index` returns None.
"""

from __future__ import annotations

import json
import os
import re
import zipfile
import zlib
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from functools import cache, cached_property
from typing import NamedTuple

from packaging.version import InvalidVersion, Version

from vcompat.foundation.errors import InputError
from vcompat.foundation.shipped import evidence_folder
from vcompat.index.chunks import ABOUT, LINES, MOVES, NAMES, modules_of
from vcompat.index.encoding import Module
from vcompat.index.lines import Scope, decoded_lines
from vcompat.index.packages import IMPORTED, package_of
from vcompat.index.rows import ATTRIBUTE, CLASS, FIELD, FUNCTION, KEY, STAR, VARIABLE, intervals, mask_of_text, union

#: What reading a file raises that is not an index.
BROKEN = (OSError, ValueError, KeyError, TypeError, AttributeError, IndexError, zipfile.BadZipFile, zlib.error)

#: A character that belongs to the name before or after it.
_IN_WORD = re.compile(r"[\w.-]")


class Where(NamedTuple):
    """A place where a package has a name."""

    module: str
    scope: str
    """The class or the registry that has it; empty for the module itself."""
    kind: str
    """CLASS, FUNCTION, VARIABLE, ATTRIBUTE, FIELD or KEY of `vcompat.index.rows`."""
    releases: int
    """The releases in which it is there, a bit for each."""


class Index:
    """The names and lines of all recorded releases of a package."""

    def __init__(self, path: str) -> None:
        """Open the file of an index. Raises OSError, ValueError, KeyError or BadZipFile if it is not one."""
        self._archive = zipfile.ZipFile(path)
        about = json.loads(self._archive.read(ABOUT))
        self.package = str(about["package"])
        self.root = IMPORTED[self.package]
        self.releases = tuple(map(Version, about["releases"].split()))
        """The recorded releases, oldest first. Their numbers are the bits of sets of releases."""
        self.every = (1 << len(self.releases)) - 1
        self.made_by = str(about["made by"])
        """Identifies the code that built the index; see `vcompat.upstream.names.stamp`."""
        self._absent: dict[str, str] = about["without source"]
        self.chunks = sorted(name.removeprefix(NAMES) for name in self._archive.namelist() if name.startswith(NAMES))
        """The names of the chunks; each is named after its first module."""
        self._modules: dict[str, Module | None] = {}
        self._texts: dict[str, str] = {}
        self._places: dict[str, list[Where]] = {}
        self._has: dict[str, bool] = {}
        self._mentioned: dict[str, list[bool]] = {}

    def module(self, name: str) -> Module | None:
        """Return what is known of a module; None if no release has a file of it."""
        if name not in self._modules:
            text = self._text_of(self._chunk_of(name), name)
            self._modules[name] = Module(text, len(self.releases)) if text else None
        return self._modules[name]

    def stored(self, chunk: str) -> tuple[str, bytes]:
        """Return the names and the lines of a chunk as the file has them."""
        return self._text(chunk), self._member(LINES + chunk)

    def modules_in(self, chunk: str) -> list[str]:
        """Return the modules of a chunk, in order."""
        return modules_of(self._text(chunk))

    def has_no_source(self, module: str) -> int:
        """Return the releases that import a module of their own without having its source."""
        text = self._absent.get(module)
        return mask_of_text(text, len(self.releases)) if text else 0

    def scopes(self, module: str) -> dict[str, Scope]:
        """Return the scopes of a module whose code is not the same in all releases, by name."""
        chunk = self._chunk_of(module)
        data = self._member(LINES + chunk) if chunk else b"\n\n"
        return decoded_lines(data, module, len(self.releases))

    def places_of(self, word: str) -> list[Where]:
        """Return where the package defines a name. This reads the whole index: tenths of a second for a large one."""
        if word not in self._places:
            found = (where for module in self.modules_with(word) for where in self._places_in(module, word))
            self._places[word] = list(found)
        return self._places[word]

    def defining(self, word: str) -> int:
        """Return the releases that define a name anywhere. This reads the whole index."""
        return union(where.releases for where in self.places_of(word))

    def mentions(self, module: str, word: str) -> bool:
        """Return whether a word may be in what is kept of a module, or of one below it."""
        if word not in self._mentioned:
            self._mentioned[word] = [word in self._text(chunk) for chunk in self.chunks]
        first = max(0, bisect_right(self.chunks, module) - 1)
        return any(self._mentioned[word][first : bisect_right(self.chunks, f"{module}.\uffff")])

    def stars(self, module: str) -> Iterable[str]:
        """Return the modules all of whose names a module imports in some release."""
        known = self.module(module)
        return known.names(STAR) if known else ()

    def modules_with(self, word: str) -> Iterator[str]:
        """Yield the modules that have a name in any way. This reads the whole index."""
        for chunk in self.chunks:
            text = self._text(chunk)
            last, at = "", text.find(word)
            while at >= 0:
                end = at + len(word)
                # A pattern that begins with a lookbehind is tried at each character: ten times slower.
                if not _IN_WORD.match(text, end) and not (at and _IN_WORD.match(text, at - 1)):
                    start = text.rfind("\n@", 0, at) + 2
                    module = text[max(1, start) : text.find("\n", max(1, start))]
                    if module != last:
                        yield module
                    last = module
                at = text.find(word, at + 1)

    def has(self, word: str) -> bool:
        """Return whether any module has a name in any way."""
        if word not in self._has:
            self._has[word] = next(self.modules_with(word), None) is not None
        return self._has[word]

    @cached_property
    def moves(self) -> dict[str, list[tuple[int, str]]]:
        """Return, for places such as ``trl.trainer.utils:pad``, the last release there, and where the code went."""
        moves: dict[str, list[tuple[int, str]]] = {}
        for line in self._member(MOVES).decode().splitlines():
            place, release, there = line.split(" ")
            moves.setdefault(place, []).append((int(release), there))
        return moves

    def only(self, version: Version) -> int:
        """Return the set that has one release; empty for one that is not recorded."""
        public = Version(version.public)
        return 1 << self.releases.index(public) if public in self.releases else 0

    def spans(self, releases: int) -> list[tuple[Version, Version]]:
        """Return a set of releases as intervals."""
        return [(self.releases[first], self.releases[last]) for first, last in intervals(releases)]

    def _places_in(self, module: str, word: str) -> Iterator[Where]:
        known = self.module(module)
        for kind in (CLASS, FUNCTION, VARIABLE, ATTRIBUTE, FIELD, KEY) if known else ():
            for scope in known.scopes(kind) if known else ():
                if known and (releases := known.having(kind, word, scope)):
                    yield Where(module, scope, kind, releases)

    def _member(self, name: str) -> bytes:
        """Read a member of the file. Raises InputError if it is damaged."""
        try:
            return self._archive.read(name)
        except BROKEN:
            # What zipfile says has bytes of the file in it.
            path = str(self._archive.filename)
            raise InputError(path, "damaged", "the file of this release of vcompat; install it again") from None

    def _chunk_of(self, module: str) -> str:
        at = bisect_right(self.chunks, module)
        return self.chunks[at - 1] if at else ""

    def _text(self, chunk: str) -> str:
        if chunk not in self._texts:
            self._texts[chunk] = self._member(NAMES + chunk).decode()
        return self._texts[chunk]

    def _text_of(self, chunk: str, module: str) -> str:
        text = f"\n{self._text(chunk)}" if chunk else ""
        start = text.find(f"\n@{module}\n")
        if start < 0:
            return ""
        start += len(module) + 3
        end = text.find("\n@", start)
        return text[start : end if end >= 0 else len(text)].rstrip("\n")


@cache
def open_index(package: str) -> Index | None:
    """Return the index of a distribution, such as ``ms-swift``; None if there is none or it cannot be read."""
    try:
        return Index(os.path.join(evidence_folder(), "index", f"{package}.zip"))
    except (*BROKEN, InvalidVersion):
        return None


def index_of(module: str) -> Index | None:
    """Return the index of the package that has a module, such as ``swift.llm``."""
    package = package_of(module)
    return open_index(package) if package else None
