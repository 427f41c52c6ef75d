"""Where a release has what an earlier one had elsewhere: by the index of names, else by its name."""

from __future__ import annotations

from vcompat.facts.use import ARGUMENT, Use
from vcompat.foundation.suggest import near
from vcompat.index.store import open_index
from vcompat.upstream.raising.changed_parameters import taken
from vcompat.upstream.raising.side import Side

#: The most places that are named.
_MOST = 3


def now_in(use: Use, before: Side, after: Side) -> list[str]:
    """Return where something that is gone is now, in words; nothing if that is not known."""
    if use.kind == ARGUMENT:
        return _renamed(use, before, after)
    moved = _moved(use, before, after)
    if moved:
        return [f"now {moved}"]
    name = use.name.rpartition(".")[2]
    places = [module for module in after.definitions.rows.modules_with(name) if module != use.module] if name else []
    more = f" and {len(places) - _MOST} more" if len(places) > _MOST else ""
    return [f"{name} is in {', '.join(places[:_MOST])}{more}"] if places else []


def _renamed(use: Use, before: Side, after: Side) -> list[str]:
    names = []
    for side in (before, after):
        defined = side.definition(use.module, use.name)
        takes = taken(side, defined, "." in use.name) if defined else None
        names.append({p.name for p in takes.named} if takes else set())
    added = near(use.argument, names[1] - names[0])
    return [f"perhaps {added}, which is new"] if added else []


def _moved(use: Use, before: Side, after: Side) -> str:
    """The place that has the same code in the later of two recorded releases, as the index of names states it."""
    index = open_index(before.release.package)
    defined = before.definition(use.module, use.name)
    if index is None or defined is None or defined.node is None:
        return ""
    first, last = (index.only(side.release.version).bit_length() - 1 for side in (before, after))
    name = f"{use.name.partition('.')[0]}." if "." in use.name else ""
    place = f"{defined.module}:{name}{getattr(defined.node, 'name', '')}"
    start = place
    while move := next((m for m in index.moves.get(place, ()) if first <= m[0] < last), None):
        first, place = move[0] + 1, move[1]
    return place.replace(":", ".") if place != start else ""
