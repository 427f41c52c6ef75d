"""Compare recorded indexes with the source of their newest release: a sample, since a whole index takes minutes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from random import Random

from vcompat.index.encoding import Module
from vcompat.index.packages import IMPORTED
from vcompat.index.rows import (
    ATTRIBUTE,
    CLASS,
    CONDITIONAL,
    FIELD,
    FLAG,
    FOREIGN,
    FUNCTION,
    IMPORT,
    KEY,
    LAZY,
    LINE,
    STAR,
    STORED,
    TYPING,
    VARIABLE,
)
from vcompat.index.store import Index
from vcompat.upstream.archive import BadArchive
from vcompat.upstream.index import Release
from vcompat.upstream.names.extract import rows_of
from vcompat.upstream.names.name_record import recorded_index
from vcompat.upstream.names.reading import Modules, read
from vcompat.upstream.names.sources import Content, modules_in, opened
from vcompat.upstream.store import Unavailable

#: Chunks of each package that are read again.
_SAMPLED = 2
_KINDS = (
    FLAG, IMPORT, FOREIGN, TYPING, STAR, LAZY, VARIABLE, CLASS, FIELD, FUNCTION, ATTRIBUTE, STORED, CONDITIONAL, KEY,
)  # fmt: skip


def disagreements(releases: Iterable[Release]) -> Iterator[str]:
    """Yield a line for each chunk of a sample that is not what the source of the newest recorded release has."""
    for package in IMPORTED:
        index = recorded_index(package)
        newest = [one for one in releases if index and (one.package, one.version) == (package, index.releases[-1])]
        if index and newest:
            try:
                for chunk in Random(str(newest[0].version)).sample(index.chunks, min(_SAMPLED, len(index.chunks))):
                    if differs(index, newest[0], chunk):
                        yield f"{package} {newest[0].version}: the index of names does not have the code of {chunk}"
            except (Unavailable, BadArchive):
                # The inspection of the release has reported it.
                continue


def differs(index: Index, newest: Release, chunk: str) -> bool:
    """Whether a chunk has not the names and lines that the newest release of an index has. Raises Unavailable."""
    following = [name for name in index.chunks if name > chunk]
    source = opened(newest)
    paths = {
        module: path
        for module, path in modules_in(index.package, source.names()).items()
        if chunk <= module and not (following and following[0] <= module)
    }
    fresh = read(Modules(chunk, (newest,), tuple((m, [Content(1, 0, path)]) for m, path in sorted(paths.items()))))
    names, _ = index.stored(chunk)
    if set(_names(names, len(index.releases))) != set(_names(fresh.names, 1)):
        return True
    return any(_lines_differ(index, module, path, source.read(path) or "") for module, path in paths.items())


def _lines_differ(index: Index, module: str, path: str, text: str) -> bool:
    rows = rows_of(module, text, path.endswith("__init__.py")) if index.scopes(module) else ()
    lines = {(scope, bytes.fromhex(line)) for kind, scope, line, _ in rows if kind == LINE}
    return any((line in lines) != is_there for line, is_there in _lines(index, module))


def _names(names: str, count: int) -> Iterator[tuple[str, ...]]:
    """The rows that the newest release has, with their modules."""
    newest = 1 << count - 1
    for part in f"\n{names}".split("\n@")[1:]:
        name, _, text = part.rstrip("\n").partition("\n")
        module = Module(text, count)
        if module.mask & newest:
            yield (name,)
        for kind in _KINDS:
            for scope in module.scopes(kind):
                for row, values in module.names(kind, scope).items():
                    yield from ((name, kind, scope, row, value) for value, mask in values if mask & newest)


def _lines(index: Index, module: str) -> Iterator[tuple[tuple[str, bytes], bool]]:
    """The lines that distinguish releases, of the scopes that the newest one has; whether it has them, too."""
    newest = index.only(index.releases[-1])
    for name, scope in index.scopes(module).items():
        if scope.releases & newest:
            yield from (((name, line), bool(has & newest)) for line, has in scope.lines.items())
