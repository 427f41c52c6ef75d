"""What changes a class of the script when it is made: its metaclass, hooks of its bases and attributes, decorators."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import TYPE_CHECKING

from vcompat.sources.reading.python import modal_apps
from vcompat.sources.reading.python.values.core import Site
from vcompat.sources.reading.python.values.values import (
    AT_RUN_TIME,
    Bound,
    ClassValue,
    Frame,
    Function,
    Held,
    Lib,
    Obj,
    Partial,
    Unknown,
    Value,
    candidates,
)

if TYPE_CHECKING:
    from vcompat.sources.reading.python.values.abstract_run import Run

#: Library decorators that leave a class as it is, beside ``dataclass``.
_TRANSPARENT = frozenset("dataclass final runtime_checkable total_ordering register add_start_docstrings".split())
_METACLASSES = frozenset({"ABCMeta", "EnumMeta"})


def made(run: Run, kind: ClassValue, frame: Frame) -> None:
    """Do to a class what Python does at the end of a class statement, before its decorators."""
    why = ""
    for owner in run.objects.lineage(kind):
        for keyword in owner.node.keywords if isinstance(owner, ClassValue) else ():
            name = ast.unparse(keyword.value).rpartition(".")[2]
            if keyword.arg == "metaclass" and name not in _METACLASSES:
                why = "a metaclass makes the class"
                metaclass = run.expressions.evaluate(keyword.value, frame)
                if isinstance(metaclass, ClassValue):
                    _may_call(run, metaclass, why)
    for held in list(kind.cells.values()):
        own = held.value.kind if isinstance(held.value, Obj) else None
        if isinstance(own, ClassValue) and run.objects.inherited(own, "__set_name__", held.value, own=True) is not None:
            why = "an attribute changes the class"
            _may_call(run, own, why)
    if any(not isinstance(owner, ClassValue | Lib) for owner in run.objects.lineage(kind)):
        why = "a base of the class is not known"
    _subclassed(run, kind, frame)
    if why:
        _open(run, kind, why)


def _may_call(run: Run, kind: ClassValue, why: str) -> None:
    for held in list(kind.cells.values()):
        if isinstance(held.value, Function):
            run.calls.maybe_call(held.value, why)


def _subclassed(run: Run, kind: ClassValue, frame: Frame) -> None:
    """Call ``__init_subclass__`` of the bases."""
    hook = run.objects.inherited(kind, "__init_subclass__", kind, own=False)
    if isinstance(hook, Function):
        node = kind.node
        keywords = {
            word.arg: Held(run.expressions.evaluate(word.value, frame), run.place(word.value, frame))
            for word in node.keywords
            if word.arg and word.arg != "metaclass"
        }
        why = "" if all(word.arg for word in node.keywords) else AT_RUN_TIME
        run.calls.call(Bound(hook, kind), Site((), keywords, why, run.place(node, frame), node, frame))


def decorated(run: Run, kind: ClassValue, decorators: Sequence[Value], frame: Frame) -> Value:
    """Return what the decorators make of a class, the last one first."""
    value: Value = kind
    for decorator in reversed(decorators):
        if isinstance(decorator, Function | Bound | Partial | ClassValue):
            place = run.place(kind.node, frame)
            value = run.calls.call(decorator, Site((Held(value),), {}, "", place, kind.node, frame))
        elif modal_apps.is_class_decorator(decorator):
            continue
        elif not isinstance(decorator, Lib) or decorator.name not in _TRANSPARENT:
            _open(run, kind, "the class is changed by a decorator")
    return value


def _open(run: Run, kind: ClassValue, why: str) -> None:
    """Note that something unknown may have changed a class: its attributes and its constructor, not its methods."""
    for name, held in list(kind.cells.items()):
        if not isinstance(held.value, Function):
            run.state.write(kind, name, held._replace(value=Unknown(why, candidates(held.value))))
    run.open(Obj(kind), AT_RUN_TIME)
    kind.fields["**"] = Held(Unknown(why))
