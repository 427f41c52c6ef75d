"""Copies of objects, and the settings that a constructor gives them."""

from __future__ import annotations

from vcompat.sources.reading.python.values.abstract_run import Run
from vcompat.sources.reading.python.values.core import Site
from vcompat.sources.reading.python.values.values import Either, Frame, Held, Obj, Seq, Table, Value, join_held


def copied(value: Value, deep: bool = False, depth: int = 0) -> Value:
    """Return a copy of an object, with copies of what it holds if `deep`."""

    def inner(held: Held) -> Held:
        return held._replace(value=copied(held.value, deep, depth + 1)) if deep and depth < 20 else held

    if isinstance(value, Either):
        return Either(tuple(copied(part, deep, depth + 1) for part in value.values))
    if isinstance(value, Seq):
        items = value.items
        return Seq(value.kind, None if items is None else [inner(held) for held in items])
    if isinstance(value, Obj | Table) and not isinstance(value, Frame):
        copy = Obj(value.kind, value.place) if isinstance(value, Obj) else Table()
        copy.cells = {key: inner(held) for key, held in value.cells.items()}
        return copy
    return value


def set_keywords(run: Run, made: Obj, site: Site) -> None:
    """Set attributes from the keyword arguments of a constructor. Unknown ones open the object."""
    if site.why_open:
        run.open(made, site.why_open)
    for name, held in site.keywords.items():
        before = made.cells.get(name)
        if held.optional and before is not None:
            run.state.write(made, name, join_held(before, held._replace(optional=False)))
        else:
            run.state.initialize(made, name, held)
