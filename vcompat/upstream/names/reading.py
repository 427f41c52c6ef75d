"""Read the modules of one chunk of the index, in all releases: names, lines, and where code begins and ends."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from vcompat.index.encoding import Module, encoded
from vcompat.index.lines import encoded_lines, scopes_of
from vcompat.index.rows import CODE, FLAG, IMPORT, LINE, OUTLINED, STAR, TYPING, Row, union
from vcompat.upstream.index import Release
from vcompat.upstream.names.detail import is_outlined, outline
from vcompat.upstream.names.extract import rows_of
from vcompat.upstream.names.sources import Content, opened


class Modules(NamedTuple):
    """What a chunk is read from."""

    chunk: str
    releases: tuple[Release, ...]
    contents: tuple[tuple[str, Sequence[Content]], ...]
    """The contents of each module of the chunk."""


class Ending(NamedTuple):
    """Code of a scope: where it stands, and the first or last release in which it does."""

    code: str
    place: str
    release: int


class Chunk(NamedTuple):
    """What is kept of the modules of one chunk."""

    name: str
    names: str
    lines: bytes
    begins: tuple[Ending, ...] = ()
    ends: tuple[Ending, ...] = ()


def read(modules: Modules) -> Chunk:
    """Read the modules of one chunk. Raises Unavailable and BadArchive."""
    count = len(modules.releases)
    texts, scopes = [], {}
    begins: list[Ending] = []
    ends: list[Ending] = []
    for module, versions in modules.contents:
        rows = _rows(module, versions, modules.releases)
        has = union(content.releases for content in versions)
        kept = {row: mask for row, mask in rows.items() if row[0] not in (CODE, LINE)}
        if is_outlined(module):
            kept = outline(module, kept, has)
        else:
            scopes[module] = scopes_of(rows)
        texts.append(f"@{module}\n{encoded(has, kept, count)}\n")
        first, last = _endings(module, rows, count)
        begins += first
        ends += last
    return Chunk(modules.chunk, "".join(texts), encoded_lines(scopes, count), tuple(begins), tuple(ends))


def imports_in(names: str, root: str, count: int) -> Iterator[tuple[str, int]]:
    """Return the modules of the package that the modules of a chunk import, with the releases in which they do.

    Only what the chunk has of its modules counts, so that a chunk that is read and one that is stored have the same.
    """
    for part in f"\n{names}".split("\n@")[1:]:
        module = Module(part.partition("\n")[2].rstrip("\n"), count)
        for kind in () if module.having(FLAG, OUTLINED) else (IMPORT, TYPING, STAR):
            for scope in module.scopes(kind):
                for name, values in module.names(kind, scope).items():
                    for value, mask in values:
                        target = name if kind == STAR else value.partition(":")[0]
                        if target.partition(".")[0] == root:
                            yield target, mask


def _rows(module: str, versions: Sequence[Content], releases: Sequence[Release]) -> dict[Row, int]:
    rows: dict[Row, int] = defaultdict(int)
    for content in versions:
        text = opened(releases[content.first]).read(content.path) or ""
        for row in rows_of(module, text, content.path.endswith("__init__.py")):
            rows[row] |= content.releases
    return rows


def _endings(module: str, rows: Mapping[Row, int], count: int) -> tuple[list[Ending], list[Ending]]:
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
                begins.append(Ending(code, f"{module}:{scope}", first))
            if last < count - 1 and mask >> last & 1:
                ends.append(Ending(code, f"{module}:{scope}", last))
    return begins, ends
