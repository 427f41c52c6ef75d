"""Build the index of a package: the rows of every module with the releases that have them, in chunks.

A module is read once for each content that it has had. A release changes only the chunks of modules that it changes.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

from vcompat.index.chunks import ABOUT, LINES, MOVES, NAMES, chunk_of
from vcompat.index.encoding import encoded
from vcompat.index.lines import encoded_lines, scopes_of
from vcompat.index.rows import CODE, IMPORT, LINE, STAR, TYPING, Row, text_of_mask
from vcompat.upstream.index import Release
from vcompat.upstream.names.detail import is_outlined, outline
from vcompat.upstream.names.extract import rows_of
from vcompat.upstream.names.sources import Content, contents, opened
from vcompat.upstream.processes import spread

_Modules = Sequence[tuple[str, Sequence[Content]]]
#: Marks a module that its package imports and that has no source: it is compiled, or a build creates it.
NO_SOURCE = "nosource"


class _Ending(NamedTuple):
    """Code of a scope: where it stands, and the first or last release in which it does."""

    code: str
    place: str
    release: int


class _Chunk(NamedTuple):
    """What was read of the modules of one chunk."""

    name: str
    names: str
    lines: bytes
    imported: dict[str, int]
    """Modules of the package that these import, with the releases in which they do."""
    begins: tuple[_Ending, ...]
    ends: tuple[_Ending, ...]


def build(package: str, releases: Sequence[Release], each: Callable[[str], None]) -> dict[str, bytes]:
    """Return the members of the index of a package. `each` is called with the name of every chunk that is done.

    Raises Unavailable and BadArchive for a release that cannot be read.
    """
    known = contents(package, releases)
    by_chunk: dict[str, list[tuple[str, Sequence[Content]]]] = defaultdict(list)
    name = ""
    for module, versions in known.items():
        name = chunk_of(module, name)
        by_chunk[name].append((module, versions))
    tasks = [(name, tuple(releases), modules) for name, modules in by_chunk.items()]
    chunks = []
    for chunk in spread(_read, tasks):
        each(chunk.name)
        chunks.append(chunk)
    chunks.sort(key=lambda chunk: chunk.name)
    return _members(
        chunks, {module: _union(c.releases for c in versions) for module, versions in known.items()}, releases
    )


def _members(chunks: Sequence[_Chunk], modules: Mapping[str, int], releases: Sequence[Release]) -> dict[str, bytes]:
    count = len(releases)
    about = {
        "package": releases[0].package,
        "releases": " ".join(str(release.version) for release in releases),
        "without source": _without_source(chunks, modules, count),
    }
    members = {ABOUT: (json.dumps(about, indent=1, sort_keys=True) + "\n").encode()}
    members[MOVES] = "\n".join(_moves(chunks)).encode()
    for chunk in chunks:
        members[NAMES + chunk.name] = chunk.names.encode()
        members[LINES + chunk.name] = chunk.lines
    return members


def _without_source(chunks: Sequence[_Chunk], modules: Mapping[str, int], count: int) -> dict[str, str]:
    """Modules that the package imports where no file of a release has them: compiled ones, for example."""
    found: dict[str, int] = defaultdict(int)
    for chunk in chunks:
        for module, has in chunk.imported.items():
            if lacking := has & ~modules.get(module, 0):
                found[module] |= lacking
    return {module: text_of_mask(has, count) for module, has in sorted(found.items())}


def _moves(chunks: Sequence[_Chunk]) -> list[str]:
    """Where code that ends in one place begins in another place in the next release."""
    begins: dict[tuple[str, int], list[str]] = defaultdict(list)
    for chunk in chunks:
        for code, place, release in chunk.begins:
            begins[code, release].append(place)
    found = []
    for chunk in chunks:
        for code, place, release in chunk.ends:
            there = begins.get((code, release + 1), [])
            if len(there) == 1 and there[0] != place:
                found.append(f"{place} {release} {there[0]}")
    return sorted(found)


def _read(task: tuple[str, tuple[Release, ...], _Modules]) -> _Chunk:
    """Read the modules of one chunk."""
    name, releases, modules = task
    count = len(releases)
    texts, scopes = [], {}
    imported: dict[str, int] = defaultdict(int)
    begins: list[_Ending] = []
    ends: list[_Ending] = []
    for module, versions in modules:
        rows = _rows(module, versions, releases)
        has = _union(content.releases for content in versions)
        kept = {row: mask for row, mask in rows.items() if row[0] not in (CODE, LINE)}
        if is_outlined(module):
            kept = outline(kept, has)
        else:
            scopes[module] = scopes_of(rows)
        texts.append(f"@{module}\n{encoded(has, kept, count)}\n")
        for target, mask in _imports_of(rows, module.partition(".")[0]):
            imported[target] |= mask
        first, last = _endings(module, rows, has, count)
        begins += first
        ends += last
    lines = encoded_lines(scopes, count)
    return _Chunk(name, "".join(texts), lines, dict(imported), tuple(begins), tuple(ends))


def _rows(module: str, versions: Sequence[Content], releases: Sequence[Release]) -> dict[Row, int]:
    rows: dict[Row, int] = defaultdict(int)
    for content in versions:
        text = opened(releases[content.first]).read(content.path) or ""
        for row in rows_of(module, text, content.path.endswith("__init__.py")):
            rows[row] |= content.releases
    return rows


def _imports_of(rows: Mapping[Row, int], root: str) -> Iterable[tuple[str, int]]:
    for (kind, _, name, value), mask in rows.items():
        target = value.partition(":")[0] if kind in (IMPORT, TYPING) else name if kind == STAR else ""
        if target.partition(".")[0] == root:
            yield target, mask


def _endings(module: str, rows: Mapping[Row, int], has: int, count: int) -> tuple[list[_Ending], list[_Ending]]:
    """The code with which scopes begin after the first release, and end before the last one."""
    begins, ends = [], []
    by_scope: dict[str, int] = defaultdict(int)
    for (kind, scope, _, _), mask in rows.items():
        if kind == CODE and scope:
            by_scope[scope] |= mask
    for (kind, scope, code, _), mask in rows.items():
        if kind == CODE and scope:
            whole = by_scope[scope]
            first, last = (whole & -whole).bit_length() - 1, whole.bit_length() - 1
            if first > 0 and mask >> first & 1:
                begins.append(_Ending(code, f"{module}:{scope}", first))
            if last < count - 1 and mask >> last & 1:
                ends.append(_Ending(code, f"{module}:{scope}", last))
    return begins, ends


def _union(masks: Iterable[int]) -> int:
    found = 0
    for mask in masks:
        found |= mask
    return found
