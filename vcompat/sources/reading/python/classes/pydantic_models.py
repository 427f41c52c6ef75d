"""Models of pydantic: classes of the script that extend `BaseModel` have fields, as dataclasses do.

A default is not validated. A value that is given may be converted, so that it is known only if its type is the declared
one. Validators and aliases are not followed.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping
from typing import TYPE_CHECKING

from vcompat.sources.reading.python.values import objects
from vcompat.sources.reading.python.values.values import ClassValue, Const, Held, Lib, Obj, Seq, Table, Unknown, Value

if TYPE_CHECKING:
    from vcompat.sources.reading.python.values.abstract_run import Run
    from vcompat.sources.reading.python.values.core import Site

_BASES = frozenset({"pydantic.BaseModel", "pydantic.main.BaseModel"})
_PLAIN: Mapping[str, type] = {"str": str, "int": int, "float": float, "bool": bool}
#: What makes a class other than its fields and defaults tell.
_CHANGES = re.compile(
    r"\b(?:validate_default|(?:\w+_)?alias(?:_generator)?|str_\w+|use_enum_values|coerce_numbers_to_str)\s*="
)
_CONVERTED = "pydantic may convert it"


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
    owners = [owner for owner in run.objects.lineage(kind) if isinstance(owner, ClassValue)]
    for owner in owners:
        if owner.node.keywords or owner.node.decorator_list:
            return "its class has other options"
        for statement in owner.node.body:
            if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef):
                decorators = " ".join(map(ast.unparse, statement.decorator_list))
                if "validator" in decorators or statement.name in ("model_post_init", "__setattr__"):
                    return f"its class defines {statement.name}()"
            if isinstance(statement, ast.ClassDef):
                return "its class has a class inside"
            if isinstance(statement, ast.AnnAssign) and "Annotated" in ast.unparse(statement.annotation):
                return "its class has annotated types"
    texts = [ast.unparse(owner.node) for owner in owners]
    if any(_sets_elsewhere(run, owner) for owner in owners):
        texts += [columns.source.decode("utf-8", "replace") for columns in run.sources.values()]
    return "pydantic may change its values" if any(map(_CHANGES.search, texts)) else ""


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


def _validated_call(run: Run, kind: ClassValue, site: Site) -> Site:
    keywords = {name: _validated(run, kind, name, held) for name, held in site.keywords.items()}
    return site._replace(arguments=(), keywords=keywords)


def _validated(run: Run, kind: ClassValue, name: str, held: Held) -> Held:
    for owner in run.objects.lineage(kind):
        for statement in owner.node.body if isinstance(owner, ClassValue) else ():
            if isinstance(statement, ast.AnnAssign) and ast.unparse(statement.target) == name:
                assert isinstance(owner, ClassValue)
                return held._replace(value=_converted(run, owner, statement.annotation, held))
    return held._replace(value=Unknown("its class may have no such field"))


def _converted(run: Run, owner: ClassValue, annotation: ast.expr, held: Held) -> Value:
    value = held.value
    declared = [part.strip() for part in ast.unparse(annotation).split("|")]
    if isinstance(value, Const):
        kinds = [_PLAIN[one] for one in declared if one in _PLAIN]
        if type(value.value) in kinds or (value.value is None and "None" in declared):
            return value
        if type(value.value) is int and declared == ["float"]:
            return Const(float(value.value))
        return Unknown(_CONVERTED)
    if isinstance(value, Seq) and value.items is not None and value.kind == "list":
        match = re.fullmatch(r"list\[(\w+)\]", declared[0])
        inner = _PLAIN.get(match[1]) if match else None
        if all(isinstance(one.value, Const) and type(one.value.value) is inner for one in value.items):
            return Seq("list", value.items)
    if isinstance(value, Table) and not value.why_open and isinstance(annotation, ast.Name):
        nested = run.expressions.evaluate(annotation, owner.frame)
        if isinstance(nested, ClassValue) and is_model(run, nested):
            keywords = {str(key): cell for key, cell in value.cells.items() if not cell.optional}
            if len(keywords) == len(value.cells) and held.place is not None:
                return run.calls.call(nested, run.implicit(place=held.place)._replace(keywords=keywords))
    return Unknown(_CONVERTED)
