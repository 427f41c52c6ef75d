"""Apps of Modal: functions that `modal run` starts, and calls that run a function in a container.

A container imports the module anew: it has what the module sets, and not what the caller has changed since.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import TYPE_CHECKING

from vcompat.sources.reading.python.parsers import function_options
from vcompat.sources.reading.python.values.core import Site
from vcompat.sources.reading.python.values.values import (
    AT_RUN_TIME,
    Bound,
    ClassValue,
    Frame,
    Function,
    Held,
    Lib,
    Method,
    Mutable,
    Native,
    Obj,
    Unknown,
    Value,
    function_of,
)

if TYPE_CHECKING:
    from vcompat.sources.reading.python.values.abstract_run import Run

APPS = frozenset({"modal.App", "modal.Stub"})
#: The decorators that leave a function what it is. Those of an app are its methods.
_OF_APPS, _OF_MODULE = frozenset({"function", "local_entrypoint"}), frozenset({"modal.method", "modal.enter"})
_FUNCTION, _ENTRY = "modal.function", "modal.local_entrypoint"
_REMOTE = frozenset({_FUNCTION, "modal.method"})
#: Maximum number of objects that are compared.
_MOST_OBJECTS = 5_000
#: What calls a function in a container, once. What a function returns is known where the call waits for it.
_WAITS, _LATER = frozenset({"remote", "local"}), frozenset({"spawn", "remote_gen"})


def app(run: Run, site: Site) -> Value:
    """Model ``modal.App(...)``."""
    return Obj(Lib("modal.App"), site.place)


def decorator_of(value: Value) -> str:
    """Return the name of a decorator of Modal, such as ``modal.function``; empty if it is none."""
    if isinstance(value, Method) and _is_app(value.receiver) and value.name in _OF_APPS:
        return f"modal.{value.name}"
    return value.path if isinstance(value, Lib) and value.path in _OF_MODULE else ""


def is_class_decorator(value: Value) -> bool:
    """Return whether a decorator makes a class of Modal, which has the constructor and the methods that it had."""
    return isinstance(value, Method) and _is_app(value.receiver) and value.name == "cls"


def attribute(run: Run, value: Function | Bound, name: str) -> Value | None:
    """Return what calls a function in a container: its ``remote``; None for another attribute."""
    function = value.function if isinstance(value, Bound) else value
    if not isinstance(function, Function) or not _REMOTE & set(function.decorated) or name not in _WAITS | _LATER:
        return None

    def called(site: Site) -> Value:
        if name != "local":
            _forget_changes(run)
        result = run.calls.call(value, site)
        return result if name in _WAITS else Unknown(AT_RUN_TIME)

    return Native(f"modal.{name}", called)


def start(run: Run, module: Frame, name: str) -> bool:
    """Run the function of a module that `modal run` starts: `name`, or the only one. Returns whether it is known."""
    started = _named(run, module, name) if name else _only(module)
    if started is None:
        return False
    function = function_of(started)
    assert isinstance(function, Function)
    run.before_entry = _cells_of([module, run.environ])
    site = function_options.started(run, function, run.words, run.alone(function), by="modal")
    run.calls.call(started, site)
    return True


def _is_app(value: Value) -> bool:
    return isinstance(value, Obj) and isinstance(value.kind, Lib) and value.kind.path in APPS


def _named(run: Run, module: Frame, name: str) -> Value | None:
    first, _, method = name.removeprefix("app.").partition(".")
    held = module.cells.get(first)
    value = held.value if held is not None else None
    if isinstance(value, ClassValue) and method:
        own = value.cells.get(method)
        if own is None or not isinstance(own.value, Function):
            return None
        return Bound(own.value, run.calls.call(value, run.implicit()))
    return value if isinstance(value, Function) and not method else None


def _only(module: Frame) -> Function | None:
    """Return the only local entry point of a module, else its only function."""
    functions = [held.value for held in module.cells.values() if isinstance(held.value, Function)]
    for decorator in (_ENTRY, _FUNCTION):
        marked = [function for function in functions if decorator in function.decorated]
        if marked:
            return marked[0] if len(marked) == 1 else None
    return None


def _forget_changes(run: Run) -> None:
    """Make unknown what the caller has changed of the module, which a container does not have."""
    for owner, before in run.before_entry:
        for key in {**before, **owner.cells}:
            held = owner.cells.get(key)
            if held is not before.get(key):
                why = Unknown("the caller of the container changes it")
                run.state.write(owner, key, Held(why, held.place if held is not None else None))


def _cells_of(roots: list[Mutable]) -> list[tuple[Mutable, dict[Hashable, Held]]]:
    """Return the objects that can be reached from `roots`, each with what it holds now."""
    seen: dict[int, Mutable] = {}
    waiting = list(roots)
    while waiting and len(seen) < _MOST_OBJECTS:
        owner = waiting.pop()
        if id(owner) not in seen:
            seen[id(owner)] = owner
            waiting += [held.value for held in owner.cells.values() if isinstance(held.value, Mutable)]
    return [(owner, dict(owner.cells)) for owner in seen.values()]
