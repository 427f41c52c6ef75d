"""Which releases of a package have a name, and where: as text."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from click import style

from vcompat.index.rows import ATTRIBUTE, CLASS, FIELD, FUNCTION, IMPORT, KEY, TYPING, VARIABLE, union
from vcompat.index.signature_text import parsed
from vcompat.index.spans import spans
from vcompat.index.store import Index
from vcompat.report.parts.layout import field

_KINDS = {
    CLASS: "class",
    FUNCTION: "function",
    VARIABLE: "variable",
    ATTRIBUTE: "attribute",
    FIELD: "field",
    KEY: "entry",
}
_IMPORTED = "imported by"
#: Columns of the releases.
_MARGIN = 34
#: The most places that are printed of each sort.
_MOST = 20


class _Place(NamedTuple):
    """One way in which a package has a name."""

    what: str
    releases: int


def names_table(index: Index, name: str, width: int) -> Iterator[str]:
    """Yield where a package has a name, newest first, and where code that had it went; nothing if it never had it."""
    owner, _, plain = name.rpartition(".")
    places = [*_defined(index, plain, owner), *([] if owner else _imported(index, plain)), *_taken(index, plain, owner)]
    if not places:
        return
    yield style(f"{name} in {index.package}, of {index.releases[0]} - {index.releases[-1]}", bold=True)
    for place in sorted(places, key=_order)[:_MOST]:
        label = f"  {spans(index, place.releases)}"
        if len(label) >= _MARGIN:
            yield label
            label = ""
        yield from field(label, place.what, width, margin=_MARGIN)
    if len(places) > _MOST:
        yield f"  and {len(places) - _MOST} more"
    for text in _moved(index, plain, owner):
        yield from field("  moved", text, width, margin=_MARGIN)


def _order(place: _Place) -> tuple[bool, int]:
    """Sort key: what defines the name before what imports it, then the newest."""
    return place.what.startswith(_IMPORTED), -place.releases.bit_length()


def _defined(index: Index, name: str, owner: str) -> Iterator[_Place]:
    places = index.places_of(name)
    fields = {(where.module, where.scope) for where in places if where.kind == FIELD}
    for where in places:
        if where.kind == ATTRIBUTE and (where.module, where.scope) in fields:
            # A method assigns a field again.
            continue
        inside = f"{where.module}.{where.scope}" if where.scope else where.module
        if not owner or inside == owner or inside.endswith(f".{owner}"):
            kind = "method" if where.kind == FUNCTION and where.scope else _KINDS[where.kind]
            yield _Place(f"{kind} of {inside}" if where.scope else f"{kind} in {inside}", where.releases)


def _imported(index: Index, name: str) -> Iterator[_Place]:
    """The modules that import the name, from which it can be imported, too."""
    for module in index.modules_with(name):
        here = index.module(module)
        releases = (here.having(IMPORT, name) | here.having(TYPING, name)) if here else 0
        if releases:
            yield _Place(f"{_IMPORTED} {module}", releases)


def _taken(index: Index, name: str, owner: str) -> Iterator[_Place]:
    """The functions that take an argument of the name."""
    for module in index.modules_with(name):
        here = index.module(module)
        for scope in here.scopes(FUNCTION) if here else ():
            for function, signatures in here.names(FUNCTION, scope).items() if here else ():
                inside = ".".join(filter(None, (module, scope, function)))
                releases = union(has for text, has in signatures if _has_parameter(text, name))
                if releases and (not owner or inside.removesuffix(".__init__").endswith(owner)):
                    yield _Place(f"argument of {inside}", releases)


def _has_parameter(signature: str, name: str) -> bool:
    return name in signature and any(one.lstrip("*") == name for one, _ in parsed(signature).parameters)


def _moved(index: Index, name: str, owner: str) -> Iterator[str]:
    """Where the same code stands from the next release on."""
    for place, moves in index.moves.items():
        scope = place.partition(":")[2]
        if scope.rpartition(".")[2] == name and (not owner or scope.endswith(f"{owner}.{name}")):
            for release, there in moves:
                yield f"{place.replace(':', '.')} is {there.replace(':', '.')} since {index.releases[release + 1]}"
