"""Models of how scripts ask a configuration class for the names of its settings.

They do it to leave out what the installed release has not. The presuming reading takes all releases together: it keeps
each setting that any of them has.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from vcompat.facts.presumption import RELEASE
from vcompat.facts.records.recorded_settings import all_names
from vcompat.sources.reading.python.classes import classes
from vcompat.sources.reading.python.values.values import (
    PYTHON_TYPES,
    UNSET,
    ClassValue,
    Const,
    Held,
    Lib,
    Obj,
    Seq,
    Table,
    Unknown,
    Value,
)

if TYPE_CHECKING:
    from vcompat.sources.reading.python.values.abstract_run import Run
    from vcompat.sources.reading.python.values.core import Site


def names_of(run: Run, value: Value, site: Site) -> list[str]:
    """Return the names of the settings of a class; none if they are not known, or not presumed."""
    if isinstance(value, Lib) and value.path.endswith(".__init__"):
        value = Lib(value.path.removesuffix(".__init__"), value.imported)
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
    run.presume(RELEASE, f"the installed release has every setting that {value.name} gets", site.place)
    return list(names)


def has_setting(run: Run, kind: Lib, name: str, site: Site) -> bool:
    """Return whether a library's class presumably has a setting: any release has it."""
    if not run.presuming or name not in all_names(kind.root, kind.name):
        return False
    run.presume(RELEASE, f"the installed release has every setting that {kind.name} gets", site.place)
    return True


def _signature(run: Run, site: Site) -> Value:
    names = names_of(run, site.arguments[0].value, site) if len(site.arguments) == 1 else []
    if not names:
        return Unknown()
    made = Obj(Lib("inspect.Signature"), site.place)
    made.cells["parameters"] = Held(Table({name: Held(Unknown(), site.place) for name in names}), site.place)
    return made


def _fields(run: Run, site: Site) -> Value:
    value = site.argument(0, "class_or_instance")
    kind = value.kind if isinstance(value, Obj) else value
    if isinstance(kind, ClassValue) and kind.is_dataclass and not run.objects.library_classes(kind):
        own = classes.all_fields(run, kind)
        return Seq("tuple", [Held(_described(run, kind, name, held), held.place) for name, held in own.items()])
    names = names_of(run, site.arguments[0].value, site) if len(site.arguments) == 1 else []
    if not names:
        return Unknown()
    held = []
    for name in names:
        one = Obj(Lib("dataclasses.Field"), site.place)
        one.cells["name"] = Held(Const(name), site.place)
        held.append(Held(one, site.place))
    return Seq("tuple", held)


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
