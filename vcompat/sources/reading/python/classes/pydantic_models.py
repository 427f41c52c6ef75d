"""Models of pydantic: classes of the script that extend `BaseModel` have fields, as dataclasses do.

A default is not validated. A value that is given may be converted, so that it is known only if its type is the declared
one. Validators and aliases are not followed.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from vcompat.facts.facts import Place
from vcompat.sources.reading.python.values import objects
from vcompat.sources.reading.python.values.values import (
    NONE,
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

_BASES = frozenset({"pydantic.BaseModel", "pydantic.main.BaseModel"})
_PLAIN: Mapping[str, type] = {"str": str, "int": int, "float": float, "bool": bool}
#: What makes a class other than its fields and defaults tell.
_CHANGES = re.compile(
    r"\b(?:validate_default|(?:\w+_)?alias(?:_generator)?|str_\w+|use_enum_values|coerce_numbers_to_str)\s*="
)


def is_model(run: Run, kind: ClassValue) -> bool:
    """Return whether a class of the script is one of pydantic's models, and has no other base of a library."""
    others = [owner for owner in run.objects.lineage(kind) if not isinstance(owner, ClassValue)]
    return len(others) == 1 and isinstance(others[0], Lib) and others[0].path in _BASES


def is_field(name: str) -> bool:
    """Return whether an annotated name of a model's body is a field."""
    return not name.startswith("_") and name != "model_config"


def field(run: Run, site: Site) -> Value:
    """Return what `Field(...)` stands for, as `dataclasses.field` does."""
    made = Obj(Lib("dataclasses.field"))
    if site.arguments:
        made.cells["default"] = site.arguments[0]
    made.cells.update({name: held for name, held in site.keywords.items() if name in ("default", "default_factory")})
    default = made.cells.get("default")
    if default is not None and isinstance(default.value, Const) and default.value.value is ...:
        del made.cells["default"]
    if site.why_open:
        made.cells["default"] = Held(Unknown(site.why_open), site.place)
    return made


def _why_unclear(run: Run, kind: ClassValue) -> str:
    """Return why the values of an instance may be others than what is stated; empty if they are not."""
    owners = run.objects.own_classes(kind)
    for owner in owners:
        if owner.node.keywords or owner.node.decorator_list:
            return "its class has other options"
        if why := next(filter(None, map(_why_changing, owner.node.body)), ""):
            return why
    texts = [ast.unparse(owner.node) for owner in owners]
    if any(_sets_elsewhere(run, owner) for owner in owners):
        texts += [columns.source.decode("utf-8", "replace") for columns in run.sources.values()]
    return "pydantic may change its values" if any(map(_CHANGES.search, texts)) else ""


def _why_changing(statement: ast.stmt) -> str:
    """Return why a statement of a class may change the values of its instances; empty if it does not."""
    if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef):
        validates = "validator" in " ".join(map(ast.unparse, statement.decorator_list))
        changes = validates or statement.name in ("model_post_init", "__setattr__")
        return f"its class defines {statement.name}()" if changes else ""
    if isinstance(statement, ast.ClassDef):
        return "its class has a class inside"
    if isinstance(statement, ast.AnnAssign) and "Annotated" in ast.unparse(statement.annotation):
        return "its class has annotated types"
    return ""


def _sets_elsewhere(run: Run, owner: ClassValue) -> bool:
    """Return whether a class gets its options or a field from something that is defined outside of it."""
    for statement in owner.node.body:
        value = statement.value if isinstance(statement, ast.Assign | ast.AnnAssign) else None
        callee = run.expressions.evaluate(value.func, owner.frame) if isinstance(value, ast.Call) else None
        if isinstance(statement, ast.Assign) and ast.unparse(statement.targets[0]) == "model_config":
            if not isinstance(value, ast.Dict) and not (isinstance(callee, Lib) and callee.name in _OPTIONS):
                return True
        elif callee is not None and not isinstance(callee, Lib):
            # A function of the script may return a field.
            return True
    return False


_OPTIONS = frozenset({"ConfigDict", "dict"})


def fill(run: Run, made: Obj, kind: ClassValue, site: Site) -> None:
    """Give an instance, which has the defaults, the values that the call states."""
    objects.set_keywords(run, made, _validated_call(run, kind, site))
    if why := _why_unclear(run, kind):
        run.open(made, why)


def validated(run: Run, kind: ClassValue, name: str, site: Site) -> Value | None:
    """Return the instance that a method of a model's class makes of a dictionary; None if it is not known."""
    held = site.held(0, "obj")
    if len(site.arguments) + len(site.keywords) != 1 or site.why_open or held is None or name not in _VALIDATE:
        return None
    value = held.value
    return _nested(run, kind, value, site.place) if isinstance(value, Table) and not value.why_open else None


#: Methods of a model's class that make an instance of a dictionary; the second is the first one's former name.
_VALIDATE = frozenset({"model_validate", "parse_obj"})


def copied(run: Run, value: Obj, site: Site) -> Value | None:
    """Return what a model's ``model_copy()`` makes, which validates nothing; None if it is not known."""
    deep = site.keywords.get("deep", Held(Const(False))).value
    if site.why_open or site.arguments or site.keywords.keys() - {"update", "deep"} or not isinstance(deep, Const):
        return None
    made = objects.copied(value, deep=bool(deep.value))
    assert isinstance(made, Obj)
    made.place = site.place
    update = site.keywords.get("update")
    if update is not None and update.value != NONE:
        run.merge_attributes(made, update.value)
    return made


def _validated_call(run: Run, kind: ClassValue, site: Site) -> Site:
    keywords = {name: _validated(run, kind, name, held) for name, held in site.keywords.items()}
    return site._replace(arguments=(), keywords=keywords)


def _validated(run: Run, kind: ClassValue, name: str, held: Held) -> Held:
    annotation = run.objects.annotation(kind, name)
    if annotation is None:
        return held._replace(value=Unknown("its class may have no such field"))
    return held._replace(value=_converted(run, *annotation, held) or Unknown("pydantic may convert it"))


def _converted(run: Run, owner: ClassValue, annotation: ast.expr, held: Held) -> Value | None:
    """Return what pydantic makes of a value; None if that is not known."""
    value = held.value
    declared = [part.strip() for part in ast.unparse(annotation).split("|")]
    if isinstance(value, Const):
        return _converted_constant(value, declared)
    if isinstance(value, Seq) and value.items is not None and value.kind == "list":
        match = re.fullmatch(r"list\[(\w+)\]", declared[0])
        inner = _PLAIN.get(match[1]) if match else None
        is_kept = all(isinstance(item.value, Const) and type(item.value.value) is inner for item in value.items)
        return Seq("list", value.items) if is_kept else None
    if isinstance(value, Table) and not value.why_open and isinstance(annotation, ast.Name) and held.place is not None:
        return _nested(run, run.expressions.evaluate(annotation, owner.frame), value, held.place)
    return None


def _converted_constant(value: Const, declared: Sequence[str]) -> Value | None:
    kinds = [_PLAIN[name] for name in declared if name in _PLAIN]
    if type(value.value) in kinds or (value.value is None and "None" in declared):
        return value
    return Const(float(value.value)) if type(value.value) is int and declared == ["float"] else None


def _nested(run: Run, kind: Value, table: Table, place: Place) -> Value | None:
    """Return an instance of a model that is made of the items of a dictionary; None if that is not known."""
    keywords = {str(key): cell for key, cell in table.cells.items() if not cell.optional}
    if not isinstance(kind, ClassValue) or not is_model(run, kind) or len(keywords) < len(table.cells):
        return None
    return run.calls.call(kind, run.implicit(place=place)._replace(keywords=keywords))
