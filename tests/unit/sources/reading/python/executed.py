"""Scripts for tests of the abstract execution: what it knows after one, and whether Python computes the same.

A script can use names whose values are not known: ``A`` and ``B`` (conditions), ``U``, ``C`` (candidates 2 and 3), ``L`` (a
list), ``D`` (a dictionary), and ``F`` (a function).
"""

from __future__ import annotations

import ast
import itertools
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import vcompat.sources.reading.python.values.values as v
from vcompat.facts.facts import Place
from vcompat.sources.reading.python.interpreter import Interpreter
from vcompat.sources.reading.python.values.core import Event, Start
from vcompat.sources.reading.python.values.values import ITEMS, OPEN, Held, Value

PATH = "train.py"


def _changes(*arguments: Any, **keywords: Any) -> Any:
    """Change what can be changed: what ``F`` may do."""
    for argument in (*arguments, *keywords.values()):
        if isinstance(argument, list):
            argument.append(99)
        elif isinstance(argument, dict):
            argument["z"] = 99
        elif hasattr(argument, "__dict__"):
            argument.__dict__.update(dict.fromkeys(argument.__dict__, 99))
        elif callable(argument):
            try:
                argument()
            except TypeError:
                argument(5)
    return 7


def _raises(*arguments: Any, **keywords: Any) -> Any:
    raise ValueError(arguments, keywords)


#: What the names whose values are not known can be.
REALLY: Mapping[str, tuple[Callable[[], Any], ...]] = {
    "A": (lambda: True, lambda: False),
    "B": (lambda: False, lambda: True),
    "U": (lambda: 0, lambda: 3, lambda: "a"),
    "C": (lambda: 2, lambda: 3, lambda: 5),
    "L": (list, lambda: [7], lambda: [7, 8]),
    "D": (dict, lambda: {"a": 7}, lambda: {"z": 8}),
    "F": (lambda: lambda *a, **k: None, lambda: _changes, lambda: _raises),
}


def executed(text: str, start: Start | None = None, path: str = PATH) -> Interpreter:
    """Execute a script abstractly."""
    run = Interpreter(path, text.encode(), start or Start())
    run.module.cells.update(_given())
    run.run(ast.parse(text))
    return run


def _given() -> dict[str, Held]:
    given = {name: Held(v.Unknown(f"{name} is given")) for name in REALLY}
    given["C"] = Held(v.Unknown("C is given", (2, 3)))
    return given


def known(text: str, start: Start | None = None) -> str:
    """Return all that is known after a script: its names, its events, and whether it may raise."""
    run = executed(text, start)
    lines = [f"{name} = {held_as_text(held)}" for name, held in _own(run)]
    lines += [event_as_text(event) for event in run.events]
    if run.failed:
        lines.append(f"given up: {run.failed}")
    if run.may_raise:
        lines.append("may raise")
    return "\n".join(lines)


def _own(run: Interpreter) -> Iterator[tuple[str, Held]]:
    """Yield the names that a script has set, without imported ones."""
    given = _given()
    for name, held in run.module.cells.items():
        is_given = name in given and held == given[str(name)]
        if isinstance(name, str) and name != "__name__" and not is_given and not isinstance(held.value, v.Lib):
            yield name, held


def event_as_text(event: Event) -> str:
    """Return an event on one line."""
    settings = ", ".join(f"{name}={held_as_text(held)}" for name, held in event.settings.items() if name != "environ")
    more = f", **{event.why_open}" if event.why_open else ""
    when = f" if {event.uncertain}" if event.uncertain else ""
    return f"{event.kind} {event.name}({settings}{more}){_at(event.place)}{when}"


def held_as_text(held: Held) -> str:
    """Return what a cell holds, with its position; ``maybe`` if it may hold nothing."""
    return f"{'maybe ' if held.optional else ''}{as_text(held.value)}{_at(held.place)}"


def _at(place: Place | None) -> str:
    if place is None:
        return ""
    return f" @{'' if place.path == PATH else place.path + ':'}{place.line}:{place.column}"


def as_text(value: Value, depth: int = 0) -> str:
    """Return a value with everything that is known of it."""
    if depth > 6:
        return "..."
    if isinstance(value, v.Const):
        return repr(value.value) + (f" ({value.remark})" if value.remark else "")
    if isinstance(value, v.Unknown):
        return f"<{value.why}{': ' + ' or '.join(map(repr, value.candidates)) if value.candidates else ''}>"
    if isinstance(value, v.Lib):
        return value.path if value.imported else f"builtin {value.path}"
    if isinstance(value, v.Either):
        return " | ".join(as_text(part, depth + 1) for part in value.values)
    if isinstance(value, v.Seq):
        return _sequence(value, depth)
    if isinstance(value, v.Frame):
        return f"module {value.path}"
    if isinstance(value, v.Table):
        return f"{{{_cells(value, ': ', repr, depth)}}}"
    if isinstance(value, v.Obj):
        kind = value.kind.name if isinstance(value.kind, v.ClassValue) else as_text(value.kind)
        return f"{kind}({_cells(value, '=', str, depth)})"
    if isinstance(value, v.ClassValue):
        own = {k: h for k, h in value.cells.items() if not isinstance(h.value, v.Function)}
        return f"class {value.name}({', '.join(_one(k, h, '=', str, depth) for k, h in own.items())})"
    return _callable(value, depth)


def _callable(value: Value, depth: int) -> str:
    if isinstance(value, v.Function):
        name = "lambda" if isinstance(value.node, ast.Lambda) else value.node.name
        return f"def {name}({', '.join(f'{k}={_inner(h, depth)}' for k, h in value.defaults.items())})"
    if isinstance(value, v.Bound):
        return f"{as_text(value.function, depth)} of {as_text(value.receiver, depth + 1)}"
    if isinstance(value, v.Method | v.Super):
        owner = value.receiver
        return f"{value.name if isinstance(value, v.Method) else 'super()'} of {as_text(owner, depth + 1)}"
    if isinstance(value, v.Partial):
        given = [_inner(h, depth) for h in value.arguments]
        given += [f"{k}={_inner(h, depth)}" for k, h in value.keywords.items()]
        return f"partial {as_text(value.function, depth)}({', '.join(given)})"
    return type(value).__name__


def _inner(held: Held, depth: int) -> str:
    return f"{'maybe ' if held.optional else ''}{as_text(held.value, depth + 1)}{_at(held.place)}"


def _sequence(value: v.Seq, depth: int) -> str:
    inside = value.cells[ITEMS].value
    parts = [_inner(h, depth) for h in inside.held] if isinstance(inside, v.Items) else [f"*{as_text(inside)}"]
    parts += [f"**{value.why_open}"] if value.why_open else []
    text = ", ".join(parts)
    return {"list": f"[{text}]", "tuple": f"({text})", "set": f"set({text})"}[value.kind]


def _cells(value: v.Mutable, between: str, name: Callable[[Any], str], depth: int) -> str:
    parts = [_one(k, h, between, name, depth) for k, h in value.cells.items() if k is not OPEN]
    parts += [f"**{value.why_open}"] if value.why_open else []
    return ", ".join(parts)


def _one(key: object, held: Held, between: str, name: Callable[[Any], str], depth: int) -> str:
    return f"{name(key)}{between}{_inner(held, depth)}"


# What Python computes


def contradictions(text: str, start: Start | None = None) -> list[str]:
    """Run a script with Python for each of some values of the unknown names; return what is stated and is not so."""
    run = executed(text, start)
    names = [name for name in REALLY if re.search(rf"\b{name}\b", text)]
    found = []
    for values in itertools.product(*(REALLY[name] for name in names)):
        really: dict[str, Any] = {"__name__": "__main__", "__file__": PATH}
        really |= {name: make() for name, make in zip(names, values, strict=True)}
        shown = {name: really[name] for name in names if name != "F"}
        try:
            exec(compile(text, PATH, "exec", dont_inherit=True), really)
        except (Exception, SystemExit):
            continue
        found += [
            f"{name}: {held_as_text(held)}, but {really.get(str(name), 'nothing')!r} for {shown}"
            for name, held in _own(run)
            if not _is_so(held, really, str(name))
        ]
        # Names that ``globals()`` sets are not followed; they are unknown where the script reads them.
        missing = [name for name in really if name not in run.module.cells and "globals()" not in text]
        found += [f"{name}: nothing, but {really[name]!r}" for name in missing if not name.startswith("__")]
    return found


def _is_so(held: Held, really: Mapping[Any, Any], name: Any) -> bool:
    if name not in really:
        return held.optional or isinstance(held.value, v.Unknown)
    return _is(held.value, really[name])


def _is(value: Value, really: Any) -> bool:
    """Return whether what is known of a value is true of the real one."""
    if isinstance(value, v.Const):
        return type(value.value) is type(really) and value.value == really
    if isinstance(value, v.Either):
        return any(_is(part, really) for part in value.values)
    if isinstance(value, v.Seq) and value.items is not None:
        if not isinstance(really, list | tuple | set):
            # An iterator, a range or a view is known as a list.
            return not isinstance(really, int | str | dict | None)
        if isinstance(really, set):
            plain = [h.value.value for h in value.items if isinstance(h.value, v.Const)]
            return len(plain) < len(value.items) or (value.kind == "set" and set(plain) == really)
        same = type(really).__name__ == value.kind and len(really) == len(value.items)
        return same and all(_is(h.value, r) for h, r in zip(value.items, really, strict=True))
    if isinstance(value, v.Table) and not isinstance(value, v.Frame):
        if not isinstance(really, dict):
            return False
        keys = [key for key in value.cells if key is not OPEN]
        return (bool(value.why_open) or set(really) <= set(keys)) and all(
            _is_so(value.cells[key], really, key) for key in keys
        )
    if isinstance(value, v.Obj) and isinstance(value.kind, v.ClassValue):
        return all(_is_so(h, vars(really), key) for key, h in value.cells.items() if key is not OPEN)
    return True
