"""The settings that a class itself defines: fields of dataclasses and models, or parameters of its constructor."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

from vcompat.facts.records.recorded_settings import REFUSED
from vcompat.foundation.syntax.bindings import annotated, assigned_by, is_class_variable
from vcompat.foundation.syntax.function_parameters import parameters
from vcompat.foundation.syntax.terms import called, dotted, item, keywords, text_of
from vcompat.upstream.settings.annotations import read_annotation
from vcompat.upstream.settings.code import Code, Unknown, decorators, methods
from vcompat.upstream.settings.side_effects import Foreign

#: The kinds of classes, by how they get their settings.
DATACLASS, MODEL, STRUCT, CONSTRUCTOR, NONE = "dataclass", "model", "struct", "constructor", "none"
#: Names of decorators that make a dataclass; vLLM's is ``config``.
_DATACLASS_DECORATORS = frozenset({"dataclass", "config"})
_ORDER = ("bool", "int", "float", "str", "list", "dict", "none", "any")
Table = dict[str, Any]


def empty_table(module: str, **parts: Any) -> Table:
    """Return what is recorded of a class that refuses unknown settings, but for its `parts`."""
    return {"module": module, "bases": [], "extra": REFUSED, "fields": {}, "checks": [], **parts}


def kind_of(code: Code, module: str, node: ast.ClassDef) -> str:
    """Return how a class gets its settings."""
    if "__init__" in methods(node) and not _is_model(code, module, node):
        # `dataclass` keeps a constructor that the class defines.
        return CONSTRUCTOR
    if decorators(node) & _DATACLASS_DECORATORS:
        return DATACLASS
    if _is_model(code, module, node):
        return MODEL
    return STRUCT if "Struct" in code.names_of_bases(module, node) else NONE


def _is_model(code: Code, module: str, node: ast.ClassDef) -> bool:
    return "BaseModel" in code.names_of_bases(module, node)


def own_fields(code: Code, module: str, node: ast.ClassDef) -> dict[str, Table]:
    """Return the settings that a class defines, each as in a record."""
    kind = kind_of(code, module, node)
    if kind == CONSTRUCTOR:
        return dict(_parameters(code, module, methods(node)["__init__"]))
    if kind == NONE:
        return {}
    fields: dict[str, Table] = {}
    for name, statement in annotated(node):
        # A name with an underscore is private in a model only.
        if not is_class_variable(statement) and not (kind == MODEL and name.startswith("_")):
            for key in _names(name, statement.value):
                table = _field(code, module, node, statement.annotation, statement.value)
                fields.update({key: table} if table is not None else {})
    return fields


def given_settings(code: Code, module: str, node: ast.ClassDef, foreign: Foreign) -> frozenset[str]:
    """Return the settings of a class and all its bases."""
    names: set[str] = set()
    for where, owner in code.with_bases(module, node):
        names.update(own_fields(code, where, owner))
        names.update(*(foreign.fields.get(code.foreign(where, base), frozenset()) for base in owner.bases))
    return frozenset(names)


def aliases(node: ast.ClassDef) -> dict[str, str]:
    """Return the fields of a model that also have another keyword, with that."""
    keys = {name: _names(name, statement.value) for name, statement in annotated(node)}
    return {name: names[1] for name, names in keys.items() if len(names) == 2}


def default_of(code: Code, module: str, node: ast.ClassDef, name: str, depth: int = 0) -> Any:
    """Return the constant default of a field of a class or its bases. Raises Unknown."""
    for where, owner in code.with_bases(module, node):
        statement = next((statement for field, statement in annotated(owner) if field == name), None)
        if statement is not None:
            value = _default_node(statement.value)
            if value is None:
                raise Unknown
            return _constant(code, where, owner, value, depth + 1)
    raise Unknown


def _parameters(code: Code, module: str, method: ast.FunctionDef) -> Iterator[tuple[str, Table]]:
    for parameter in parameters(method, is_bound=True):
        table = _typed(code, module, parameter.annotation)
        yield parameter.name, {**table, **_default(code, module, None, parameter.default)}


def _typed(code: Code, module: str, annotation: ast.expr | None) -> Table:
    stated = read_annotation(code, module, annotation)
    table: Table = {"types": [name for name in _ORDER if name in stated.types]}
    if stated.choices is not None:
        table["choices"] = list(stated.choices)
    return table


def _field(code: Code, module: str, owner: ast.ClassDef, annotation: ast.expr, value: ast.expr | None) -> Table | None:
    """One field; None if the constructor does not take it."""
    given = _given(value)
    init = given.get("init")
    if isinstance(init, ast.Constant) and not init.value:
        return None
    table = _typed(code, module, annotation)
    _limit(code, module, given, table)
    table |= _default(code, module, owner, _default_node(value), has_factory="default_factory" in given)
    return table | _deprecation(given)


def _limit(code: Code, module: str, given: dict[str, ast.expr], table: Table) -> None:
    """Take the choices that the metadata of a field states."""
    choices = item(given.get("metadata"), "choices")
    if choices is not None:
        with suppress(Unknown):
            values = code.constant(module, choices)
            if isinstance(values, list):
                table["choices"] = [value for value in values if value is not None]


def _deprecation(given: dict[str, ast.expr]) -> Table:
    """What DeepSpeed's models and pydantic state about deprecated fields."""
    extra = given.get("json_schema_extra")
    marks = [given.get(key) or item(extra, key) for key in ("deprecated", "new_param")]
    is_deprecated, new = (mark.value if isinstance(mark, ast.Constant) else None for mark in marks)
    return {"deprecated": True, **({"replaced_by": new} if new else {})} if is_deprecated else {}


def _given(value: ast.expr | None) -> dict[str, ast.expr]:
    """What is passed to the function that describes a field."""
    return keywords(value) if isinstance(value, ast.Call) and called(value) in ("field", "Field") else {}


def _names(name: str, value: ast.expr | None) -> list[str]:
    """The keywords of a field: its name, and its alias."""
    return [name, *filter(None, [text_of(_given(value).get("alias"))])]


def _default_node(value: ast.expr | None) -> ast.expr | None:
    """The expression of a field's default; None if it has none or a factory."""
    if isinstance(value, ast.Call) and called(value) in ("field", "Field"):
        positional = value.args[0] if value.args and called(value) == "Field" else None
        return _given(value).get("default", positional)
    return value


def _default(
    code: Code, module: str, owner: ast.ClassDef | None, node: ast.expr | None, has_factory: bool = False
) -> Table:
    if node is None:
        return {"computed": True} if has_factory else {"required": True}
    if isinstance(node, ast.Constant) and node.value is Ellipsis:
        return {"required": True}
    try:
        value = _constant(code, module, owner, node)
    except Unknown:
        return {"computed": True}
    return {"computed": True} if isinstance(value, list) else {"default": value}


def _constant(code: Code, module: str, owner: ast.ClassDef | None, node: ast.expr, depth: int = 0) -> Any:
    """The value of a default, which may name another class's field (vLLM's EngineArgs do). Raises Unknown."""
    if depth > 4:
        raise Unknown
    value = _assigned(owner, node.id) if isinstance(node, ast.Name) and owner is not None else None
    if value is not None:
        return _constant(code, module, owner, value, depth + 1)
    if isinstance(node, ast.Call) and called(node) == "get_field" and len(node.args) == 2:
        holder, name = node.args[0], text_of(node.args[1])
    else:
        with suppress(Unknown):
            return code.constant(module, node)
        holder, name = (node.value, node.attr) if isinstance(node, ast.Attribute) else (node, None)
    holder_class = code.find_class(module, holder) if name else None
    if holder_class is None or name is None:
        raise Unknown
    return default_of(code, *holder_class, name, depth)


def _assigned(owner: ast.ClassDef, name: str) -> ast.expr | None:
    """The value of a variable in the body of a class; None if it has none. Raises Unknown if it may have several."""
    assignments = (inner for inner in ast.walk(owner) if isinstance(inner, ast.Assign | ast.AnnAssign))
    assigning = [inner for inner in assignments if name in map(dotted, assigned_by(inner))]
    if len(assigning) > 1 or not all(inner in owner.body and inner.value is not None for inner in assigning):
        raise Unknown
    return assigning[0].value if assigning else None
