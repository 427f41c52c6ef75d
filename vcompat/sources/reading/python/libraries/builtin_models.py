"""Models of Python's builtin functions, as far as scripts compute settings with them."""

from __future__ import annotations

import ast
import os
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from vcompat.sources.reading.python.libraries import setting_names
from vcompat.sources.reading.python.values.core import Jump, Site, Stopped
from vcompat.sources.reading.python.values.values import (
    AT_RUN_TIME,
    NONE,
    ClassValue,
    Const,
    Frame,
    Held,
    Lib,
    Loaded,
    Model,
    NotPlainError,
    Obj,
    Seq,
    Super,
    Table,
    Unknown,
    Value,
    join,
    members,
    text_of,
    to_plain,
)

if TYPE_CHECKING:
    from vcompat.sources.reading.python.values.abstract_run import Run

_Model = Callable[["Run", Site], Value]


def _positional(site: Site) -> list[Value]:
    """Return the arguments of a function that takes no keywords."""
    return [held.value for held in site.arguments]


def _range(run: Run, site: Site) -> Value:
    try:
        numbers = range(*map(to_plain, _positional(site)))
    except (NotPlainError, TypeError, ValueError):
        return Seq("list", None)
    return Seq("list", [Held(Const(n)) for n in numbers] if len(numbers) <= 1000 else None)


def _zip(run: Run, site: Site) -> Value:
    columns = [run.objects.iterate(value) for value in _positional(site)]
    if site.why_open or any(column is None for column in columns):
        return Seq("list", None)
    rows = zip(*(column for column in columns if column is not None), strict=False)
    return Seq("list", [Held(Seq("tuple", row)) for row in rows])


def _enumerate(run: Run, site: Site) -> Value:
    items = run.objects.iterate(site.arguments[0].value) if site.arguments else None
    if items is None or len(site.arguments) + len(site.keywords) > 1:
        return Seq("list", None)
    return Seq("list", [Held(Seq("tuple", [Held(Const(i)), item])) for i, item in enumerate(items)])


def _collected(kind: str) -> _Model:
    def collect(run: Run, site: Site) -> Value:
        if not site.arguments:
            return Seq(kind, [])
        given = site.arguments[0].value
        return Seq(kind, run.objects.iterate(members(given) if kind == "set" else given))

    return collect


def _map(run: Run, site: Site) -> Value:
    items = run.objects.iterate(site.arguments[1].value) if len(site.arguments) == 2 else None
    if items is None or len(items) > 100:
        return run.calls.unknown_call(site, AT_RUN_TIME, Lib("map"))

    def called() -> Value:
        values = [run.calls.call(site.arguments[0].value, site._replace(arguments=(item,))) for item in items]
        return Seq("list", [Held(value) for value in values])

    # It calls the function only as far as something asks for its items.
    return run.comprehensions.perhaps(called)


def _dict(run: Run, site: Site) -> Value:
    table = Table()
    update(run, table, site)
    return table


def update(run: Run, table: Table, site: Site) -> Value:
    """Model the method of dictionaries."""
    for held in site.arguments:
        run.objects.merge(table, held.value)
    if site.why_open:
        run.open(table, site.why_open)
    for name, held in site.keywords.items():
        run.objects.set_item(table, Const(name), held)
    return NONE


def _isinstance(run: Run, site: Site) -> Value:
    if len(site.arguments) != 2:
        return Unknown()
    value, wanted = site.arguments[0].value, site.arguments[1].value
    kinds = run.objects.iterate(wanted) if isinstance(wanted, Seq) else (Held(wanted),)
    names = {held.value.path for held in kinds or () if isinstance(held.value, Lib)}
    if kinds is None or len(names) != len(kinds):
        return Unknown()
    if isinstance(value, Const):
        return (
            Const(bool(names & {k.__name__ for k in type(value.value).__mro__[:-1]})) if names <= _TYPES else Unknown()
        )
    if isinstance(value, Loaded | Model):
        # What from_pretrained() returns is none of Python's own types.
        return Const(False) if names <= _TYPES else Unknown()
    own = value.kind if isinstance(value, Seq) else "dict" if isinstance(value, Table) else ""
    return Const(own in names) if own and names <= _TYPES else Unknown()


_TYPES = frozenset("int float str bool list tuple set dict bytes".split())


def get_attribute(run: Run, site: Site) -> Value:
    """Model ``getattr``."""
    if len(site.arguments) < 2:
        return Unknown()
    value, name, *default = _positional(site)
    if not isinstance(name, Const):
        return Unknown()
    attribute = run.objects.attribute(value, str(name.value))
    if not default or not isinstance(value, Obj):
        return attribute
    known = _has(run, value, str(name.value), site)
    return join(attribute, default[0]) if known is None else attribute if known else default[0]


def _has(run: Run, value: Value, name: str, site: Site) -> bool | None:
    """Return whether a value has an attribute; None if that is not known."""
    if not isinstance(value, Obj):
        return None
    held = value.cells.get(name)
    if held is not None:
        return None if held.optional else True
    if value.why_open:
        return None
    if isinstance(value.kind, Lib) and value.kind.name == "Namespace":
        return False
    if isinstance(value.kind, ClassValue) and run.objects.inherited(value.kind, name, value, own=True) is not None:
        return True
    bases = run.objects.library_classes(value.kind)
    return True if any(setting_names.has_setting(run, base, name, site) for base in bases) else None


def _hasattr(run: Run, site: Site) -> Value:
    if len(site.arguments) != 2:
        return Unknown()
    value, name = _positional(site)
    known = _has(run, value, str(name.value), site) if isinstance(name, Const) else None
    return Unknown() if known is None else Const(known)


def set_attribute(run: Run, site: Site) -> Value:
    """Model ``setattr``. An unknown name opens the object."""
    if len(site.arguments) != 3:
        return run.calls.unknown_call(site, AT_RUN_TIME)
    target, name, held = site.arguments
    if isinstance(name.value, Const):
        run.objects.set_attribute(target.value, str(name.value.value), held)
    elif isinstance(target.value, Lib):
        run.objects.tamper(target.value, "an unknown attribute")
    else:
        run.open(target.value, "an unknown attribute is set")
    return NONE


def _delattr(run: Run, site: Site) -> Value:
    for held in site.arguments[:1]:
        run.open(held.value, "an attribute is deleted")
    return NONE


def _vars(run: Run, site: Site) -> Value:
    return run.objects.attribute(site.arguments[0].value, "__dict__") if site.arguments else site.frame


def _super(run: Run, site: Site) -> Value:
    given = _positional(site) or [site.frame.owner or NONE, site.frame.receiver or NONE]
    if len(given) != 2 or not isinstance(given[0], ClassValue | Lib) or given[1] is NONE:
        return Unknown()
    return Super(given[0], given[1])


def _only_text(site: Site) -> str | None:
    """Return the only argument if it is a text that is known."""
    values = _positional(site)
    return text_of(values[0]) if len(values) == 1 else None


_UNKNOWN_CODE = "unknown code is executed"


def _exec(run: Run, site: Site) -> Value:
    text = _only_text(site)
    if text is not None:
        frame = Frame(site.frame) if _is_of_function(site.frame) else site.frame
        run.imports.run_text(text, frame.path, frame, getattr(site.node, "lineno", 1))
        return NONE
    return _exec_elsewhere(run, site) if _has_own_names(site) else _eval_unknown(run)


def _has_own_names(site: Site) -> bool:
    """Return whether `exec` gets a dictionary of the script for its global names, so that it sees no others."""
    names = site.argument(1, "globals")
    return isinstance(names, Table) and not isinstance(names, Frame) and not site.why_open


def _exec_elsewhere(run: Run, site: Site) -> Value:
    """Run a text that sees only what it gets, as a call of an unknown function does; it can import os."""
    run.raises()
    for value in site.values:
        run.open(value, _UNKNOWN_CODE)
    run.open(run.environ, _UNKNOWN_CODE)
    return NONE


def _is_of_function(frame: Frame) -> bool:
    """Return whether `frame` is that of a function, which does not see the names that a text binds."""
    return frame.parent is not None and (frame.owner is None or frame.owner.cells is not frame.cells)


def _eval_unknown(run: Run) -> Value:
    run.raises()
    run.open_all(_UNKNOWN_CODE)
    return Unknown()


def _eval(run: Run, site: Site) -> Value:
    text = _only_text(site)
    if text is not None:
        try:
            tree = ast.parse(text, mode="eval")
        except (SyntaxError, ValueError, RecursionError):
            return Unknown()
        return run.expressions.evaluate(tree.body, site.frame)
    return _eval_unknown(run)


def _exit(run: Run, site: Site) -> Value:
    raise Stopped(Jump("exit"))


def path(run: Run, site: Site) -> Value:
    """Model ``pathlib.Path``: paths are kept as text."""
    return run.operations.combine(tuple(_positional(site)), lambda *parts: os.path.join("", *parts) or ".")


def _type(run: Run, site: Site) -> Value:
    values = _positional(site)
    if len(values) == 1 and isinstance(values[0], Obj):
        return values[0].kind
    return run.calls.unknown_call(site, AT_RUN_TIME)


#: The models, by the name of the function.
MODELS: Mapping[str, _Model] = {
    "range": _range,
    "zip": _zip,
    "enumerate": _enumerate,
    "list": _collected("list"),
    "tuple": _collected("tuple"),
    "set": _collected("set"),
    "map": _map,
    "dict": _dict,
    "collections.OrderedDict": _dict,
    "isinstance": _isinstance,
    "getattr": get_attribute,
    "hasattr": _hasattr,
    "setattr": set_attribute,
    "object.__setattr__": set_attribute,
    "delattr": _delattr,
    "vars": _vars,
    "globals": lambda run, site: site.frame.module,
    "locals": _vars,
    "super": _super,
    # What a notebook's reader writes for a magic command that it does not follow, and for the output of a program.
    "__unknown_magic__": lambda run, site: _eval_unknown(run),
    "__unknown_output__": lambda run, site: Unknown("the output of a program"),
    "exec": _exec,
    "eval": _eval,
    "exit": _exit,
    "quit": _exit,
    "sys.exit": _exit,
    "os._exit": _exit,
    "os.abort": _exit,
    "type": _type,
    "pathlib.Path": path,
}
