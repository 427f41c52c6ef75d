"""Build the index of a package: the rows of every module with the releases that have them, in chunks.

A module is read once for each content that it has had. With an index of older releases, only chunks are read in which
a newer release changes a module; the result is the same as without it, bit by bit.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple

from vcompat.index.chunks import ABOUT, LINES, MOVES, NAMES, chunk_of, modules_of
from vcompat.index.packages import IMPORTED
from vcompat.index.rows import text_of_mask, union
from vcompat.index.store import Index
from vcompat.upstream.index import Release
from vcompat.upstream.names.reading import Chunk, Modules, imports_in, read
from vcompat.upstream.names.sources import Content, contents
from vcompat.upstream.names.stamp import stamp
from vcompat.upstream.processes import spread

_Contents = Mapping[str, Sequence[Content]]


class _Move(NamedTuple):
    """Code that went from one place to another."""

    place: str
    last: int
    """The last release in which it stands there."""
    there: str


def build(
    package: str, releases: Sequence[Release], each: Callable[[str], None], before: Index | None = None
) -> dict[str, bytes]:
    """Return the members of the index of a package. `each` is called with the name of every chunk that is done.

    What is not changed since `before` is taken from it. Raises Unavailable and BadArchive for a release that cannot be
    read.
    """
    known = contents(package, releases)
    parts = _parts(known)
    old = before if before is not None and _continues(before, releases) else None
    kept = {name: Chunk(name, *old.stored(name)) for name in _unchanged(old, parts, len(releases))} if old else {}
    tasks = [Modules(name, tuple(releases), tuple(part.items())) for name, part in parts.items() if name not in kept]
    for name in kept:
        each(name)
    found = []
    for chunk in spread(read, tasks):
        each(chunk.name)
        found.append(chunk)
    chunks = sorted([*kept.values(), *found], key=lambda chunk: chunk.name)
    about = {
        "package": package,
        "made by": stamp(),
        "releases": " ".join(str(release.version) for release in releases),
        "without source": _without_source(chunks, known, IMPORTED[package], len(releases)),
    }
    members = {ABOUT: (json.dumps(about, indent=1, sort_keys=True) + "\n").encode()}
    moves = _moves_with(old, found) if old else _moves(found)
    members[MOVES] = "\n".join(f"{place} {last} {there}" for place, last, there in sorted(moves)).encode()
    for chunk in chunks:
        members[NAMES + chunk.name] = chunk.names.encode()
        members[LINES + chunk.name] = chunk.lines
    return members


def _parts(known: _Contents) -> dict[str, dict[str, Sequence[Content]]]:
    """The modules by their chunk."""
    found: dict[str, dict[str, Sequence[Content]]] = defaultdict(dict)
    name = ""
    for module, versions in known.items():
        name = chunk_of(module, name)
        found[name][module] = versions
    return found


def _continues(before: Index, releases: Sequence[Release]) -> bool:
    """Whether the releases are those of an index that this code has built, and newer ones."""
    versions = tuple(release.version for release in releases)
    return before.made_by == stamp() and before.releases == versions[: len(before.releases)]


def _unchanged(before: Index, parts: Mapping[str, _Contents], count: int) -> Iterator[str]:
    """The chunks whose modules are the same in the last release of an index and in all newer ones.

    What holds in the last release is stored as holding in whatever follows, so the text of such a chunk stays true.
    """
    last = len(before.releases) - 1
    every = (1 << count - last) - 1
    for name, part in parts.items():
        since = {content.releases >> last for versions in part.values() for content in versions}
        if since <= {0, every} and name in before.chunks and modules_of(before.stored(name)[0]) == list(part):
            yield name


def _moves(chunks: Sequence[Chunk]) -> set[_Move]:
    """Where code that ends in one place begins in another place in the next release."""
    begins: dict[tuple[str, int], list[str]] = defaultdict(list)
    for begin in (begin for chunk in chunks for begin in chunk.begins):
        begins[begin.code, begin.release].append(begin.place)
    found = set()
    for end in (end for chunk in chunks for end in chunk.ends):
        there = begins.get((end.code, end.release + 1), [])
        if len(there) == 1 and there[0] != end.place:
            found.add(_Move(end.place, end.release, there[0]))
    return found


def _moves_with(before: Index, read_again: Sequence[Chunk]) -> set[_Move]:
    """Where code went, from an index and from the chunks that were read again.

    Code that went before the last release of the index went where the index states, unless its place has code again.
    Code that went later was in a chunk that was read again, and is in one now.
    """
    last = len(before.releases) - 1
    found = {move for move in _moves(read_again) if move.last >= last}
    again = {module for chunk in read_again for module in modules_of(chunk.names)}
    ends = {(end.place, end.release) for chunk in read_again for end in chunk.ends}
    for place, moves in before.moves.items():
        for release, there in moves:
            if (place, release) in ends or place.partition(":")[0] not in again:
                found.add(_Move(place, release, there))
    return found


def _without_source(chunks: Sequence[Chunk], known: _Contents, root: str, count: int) -> dict[str, str]:
    """Modules that the package imports where no file of a release has them: compiled ones, for example."""
    there = {module: union(content.releases for content in versions) for module, versions in known.items()}
    found: dict[str, int] = defaultdict(int)
    for chunk in chunks:
        for module, has in imports_in(chunk.names, root, count):
            found[module] |= has & ~there.get(module, 0)
    return {module: text_of_mask(has, count) for module, has in sorted(found.items()) if has}
