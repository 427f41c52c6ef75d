"""Models of how scripts ask a configuration class for the names of its settings.

They do it to leave out what the installed release has not. The presuming reading takes all releases together: it keeps
each setting that any of them has.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Mapping
from inspect import Parameter
from typing import TYPE_CHECKING

from vcompat.facts.presumption import RELEASE
from vcompat.facts.records.recorded_settings import all_names
from vcompat.sources.reading.python.classes import classes
from vcompat.sources.reading.python.values.containers import PARAMETER_KINDS
from vcompat.sources.reading.python.values.values import (
    PYTHON_TYPES,
    UNSET,
    ClassValue,
    Const,
    Function,
    Held,
    Lib,
    Obj,
    Seq,
    Table,
    Unknown,
    Value,
    from_plain,
)

if TYPE_CHECKING:
    from vcompat.facts.place import Place
    from vcompat.sources.reading.python.values.abstract_run import Run
    from vcompat.sources.reading.python.values.core import Site


#: What follows the name of a class in what has the names of its settings.
_CONSTRUCTOR, _CODE = ".__init__", ".__init__.__code__"


def names_of(run: Run, value: Value, place: Place) -> list[str]:
    """Return the names of the settings of a class; none if they are not known, or not presumed."""
    if isinstance(value, Lib) and value.path.endswith(_CONSTRUCTOR):
        value = Lib(value.path.removesuffix(_CONSTRUCTOR), value.imported)
    if not run.presuming or not isinstance(value, Lib | ClassValue):
        return []
    kinds = run.objects.lineage(value) if isinstance(value, ClassValue) else [value]
    names: dict[str, None] = {}
    for kind in kinds:
        if not isinstance(kind, Lib | ClassValue):
            return []
        own = kind.fields if isinstance(kind, ClassValue) else all_names(kind.root, kind.name)
        if isinstance(kind, Lib) and not own:
            return []
        names.update(dict.fromkeys(sorted(own)))
        run.filtered.add(kind.name)
    run.presume(RELEASE, f"the installed release has every setting that {value.name} gets", place)
    return list(names)


def has_setting(run: Run, kind: Lib, name: str, site: Site) -> bool:
    """Return whether a library's class presumably has a setting: any release has it."""
    if not run.presuming or name not in all_names(kind.root, kind.name):
        return False
    run.presume(RELEASE, f"the installed release has every setting that {kind.name} gets", site.place)
    return True


def attribute(run: Run, kind: Value, name: str, place: Place) -> Value | None:
    """Return an attribute of a class, or of its constructor's code, that has the names of its settings; None: none."""
    if name == "__dataclass_fields__":
        held = _fields_of(run, kind, place)
        return None if held is None else Table({_name(one): one for one in held})
    if name in ("co_varnames", "co_argcount") and isinstance(kind, Lib) and kind.path.endswith(_CODE):
        names = names_of(run, Lib(kind.path.removesuffix(_CODE), kind.imported), place)
        if names:
            variables = ("self", *names)
            return Const(len(variables)) if name == "co_argcount" else from_plain(variables)
    return None


def _signature(run: Run, site: Site) -> Value:
    value = site.argument(0, "obj")
    if isinstance(value, Function) and not value.decorated:
        kinds: dict[str, object] = dict(_parameters(value.node.args))
    else:
        names = names_of(run, value, site.place) if value is not None else []
        kinds = dict.fromkeys(names, Parameter.POSITIONAL_OR_KEYWORD)
        if not kinds:
            return Unknown()
    made = Obj(Lib("inspect.Signature"), site.place)
    made.cells["parameters"] = Held(
        Table({n: _parameter(n, kind, site.place) for n, kind in kinds.items()}), site.place
    )
    return made


def _parameters(arguments: ast.arguments) -> Iterator[tuple[str, object]]:
    """Yield the parameters of a function of the script, with their kinds, in the order of its signature."""
    yield from ((each.arg, Parameter.POSITIONAL_ONLY) for each in arguments.posonlyargs)
    yield from ((each.arg, Parameter.POSITIONAL_OR_KEYWORD) for each in arguments.args)
    if arguments.vararg is not None:
        yield arguments.vararg.arg, Parameter.VAR_POSITIONAL
    yield from ((each.arg, Parameter.KEYWORD_ONLY) for each in arguments.kwonlyargs)
    if arguments.kwarg is not None:
        yield arguments.kwarg.arg, Parameter.VAR_KEYWORD


def _parameter(name: str, kind: object, place: Place) -> Held:
    """Return a parameter of a signature, whose default and annotation are not known."""
    made = Obj(Lib("inspect.Parameter"), place)
    made.cells |= {name: Held(Const(each)) for name, each in PARAMETER_KINDS.items()}
    made.cells |= {"name": Held(Const(name)), "kind": Held(Const(kind))}
    made.cells |= dict.fromkeys(("default", "annotation"), Held(Unknown()))
    return Held(made, place)


def _fields(run: Run, site: Site) -> Value:
    value = site.argument(0, "class_or_instance")
    held = _fields_of(run, value.kind if isinstance(value, Obj) else value, site.place)
    return Unknown() if held is None else Seq("tuple", held)


def _fields_of(run: Run, kind: Value | None, place: Place) -> list[Held] | None:
    """Return what describes the fields of a dataclass; None if they are not known."""
    if isinstance(kind, ClassValue) and kind.is_dataclass and not run.objects.library_classes(kind):
        own = classes.all_fields(run, kind)
        return [Held(_described(run, kind, name, held), held.place) for name, held in own.items()]
    held = []
    for name in names_of(run, kind, place) if kind is not None else ():
        one = Obj(Lib("dataclasses.Field"), place)
        one.cells["name"] = Held(Const(name), place)
        held.append(Held(one, place))
    return held or None


def _name(described: Held) -> object:
    name = described.value.cells["name"].value if isinstance(described.value, Obj) else None
    return name.value if isinstance(name, Const) else None


def _described(run: Run, kind: ClassValue, name: str, held: Held) -> Obj:
    """Return a field of a class of the script, with its name, its type and its default."""
    made = Obj(Lib("dataclasses.Field"), held.place)
    default = classes.default_of(run, held)
    made.cells["name"] = Held(Const(name))
    made.cells["type"] = Held(_declared(run, kind, name))
    made.cells["default"] = default if default.value is not UNSET else Held(Lib("dataclasses.MISSING"))
    return made


def _declared(run: Run, kind: ClassValue, name: str) -> Value:
    """Return the declared type of a field if it is one of Python's own, and no text."""
    if any(b"import annotations" in columns.source for columns in run.sources.values()):
        return Unknown()
    annotation = run.objects.annotation(kind, name)
    text = ast.unparse(annotation[1]) if annotation is not None else ""
    return Lib(text, imported=False) if text in PYTHON_TYPES else Unknown()


#: By dotted name.
MODELS: Mapping[str, Callable[[Run, Site], Value]] = {"inspect.signature": _signature, "dataclasses.fields": _fields}
