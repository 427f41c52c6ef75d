"""The settings that a class itself defines: fields of dataclasses and models, or parameters of its constructor."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

from vcompat.upstream.settings.annotations import read_annotation
from vcompat.upstream.settings.code import Code, Unknown, decorators, methods

#: The kinds of classes, by how they get their settings.
DATACLASS, MODEL, STRUCT, CONSTRUCTOR, NONE = "dataclass", "model", "struct", "constructor", "none"
#: Names of decorators that make a dataclass; vLLM's is ``config``.
_DATACLASS_DECORATORS = frozenset({"dataclass", "config"})
_ORDER = ("bool", "int", "float", "str", "list", "dict", "none", "any")
Table = dict[str, Any]


def kind_of(code: Code, module: str, node: ast.ClassDef) -> str:
    """Return how a class gets its settings."""
    if "__init__" in methods(node) and not _is_model(code, module, node):
        # `dataclass` keeps a constructor that the class defines.
        return CONSTRUCTOR
    if decorators(node) & _DATACLASS_DECORATORS:
        return DATACLASS
    if _is_model(code, module, node):
        return MODEL
    return STRUCT if "Struct" in _bases(code, module, node) else NONE


def _is_model(code: Code, module: str, node: ast.ClassDef) -> bool:
    return "BaseModel" in _bases(code, module, node)


def _bases(code: Code, module: str, node: ast.ClassDef) -> set[str]:
    """The last parts of the names of all bases."""
    bases = [base for _, owner in code.with_bases(module, node) for base in map(ast.unparse, owner.bases)]
    return {base.rpartition(".")[2] for base in bases}


def own_fields(code: Code, module: str, node: ast.ClassDef) -> dict[str, Table]:
    """Return the settings that a class defines, each as in a record."""
    kind = kind_of(code, module, node)
    if kind == CONSTRUCTOR:
        return dict(_parameters(code, module, methods(node)["__init__"]))
    if kind == NONE:
        return {}
    found: dict[str, Table] = {}
    for statement in _annotated(node.body):
        target = statement.target
        if isinstance(target, ast.Name) and not _is_class_variable(statement.annotation):
            for name in _names(target.id, statement.value):
                table = _field(code, module, node, statement.annotation, statement.value)
                # A name with an underscore is private in a model only.
                if table is not None and not (kind == MODEL and target.id.startswith("_")):
                    found[name] = table
    return found


def aliases(node: ast.ClassDef) -> dict[str, str]:
    """Return the fields of a model that also have another keyword, with that."""
    found: dict[str, str] = {}
    for statement in _annotated(node.body):
        names = _names(statement.target.id, statement.value) if isinstance(statement.target, ast.Name) else []
        found.update([(names[0], names[1])] if len(names) == 2 else [])
    return found


def default_of(code: Code, module: str, node: ast.ClassDef, name: str, depth: int = 0) -> Any:
    """Return the constant default of a field of a class or its bases. Raises Unknown."""
    for where, owner in code.with_bases(module, node):
        for statement in _annotated(owner.body):
            if isinstance(statement.target, ast.Name) and statement.target.id == name:
                value = _default_node(statement.value)
                if value is None:
                    raise Unknown
                return _constant(code, where, owner, value, depth + 1)
    raise Unknown


def _annotated(body: list[ast.stmt]) -> Iterator[ast.AnnAssign]:
    for statement in body:
        if isinstance(statement, ast.AnnAssign):
            yield statement
        elif isinstance(statement, ast.If) and "TYPE_CHECKING" not in ast.unparse(statement.test):
            yield from _annotated(statement.body)
            yield from _annotated(statement.orelse)


def _is_class_variable(annotation: ast.expr) -> bool:
    return "ClassVar" in ast.unparse(annotation).partition("[")[0]


def _parameters(code: Code, module: str, method: ast.FunctionDef) -> Iterator[tuple[str, Table]]:
    takes = method.args
    positional = [*takes.posonlyargs, *takes.args][1:]
    defaults: list[ast.expr | None] = [*([None] * (len(positional) - len(takes.defaults))), *takes.defaults]
    pairs = [*zip(positional, defaults[-len(positional) :] if positional else [], strict=True)]
    for argument, default in [*pairs, *zip(takes.kwonlyargs, takes.kw_defaults, strict=True)]:
        table = _typed(code, module, argument.annotation)
        yield argument.arg, {**table, **_default(code, module, None, default)}


def _typed(code: Code, module: str, annotation: ast.expr | None) -> Table:
    stated = read_annotation(code, module, annotation)
    table: Table = {"types": [name for name in _ORDER if name in stated.types]}
    if stated.choices is not None:
        table["choices"] = list(stated.choices)
    return table


def _field(code: Code, module: str, owner: ast.ClassDef, annotation: ast.expr, value: ast.expr | None) -> Table | None:
    """One field; None if the constructor does not take it."""
    keywords = _keywords(value)
    if isinstance(keywords.get("init"), ast.Constant) and not keywords["init"].value:  # type: ignore[attr-defined]
        return None
    table = _typed(code, module, annotation)
    _limit(code, module, keywords, table)
    table |= _default(code, module, owner, _default_node(value), has_factory="default_factory" in keywords)
    return table | _deprecation(code, module, keywords)


def _limit(code: Code, module: str, keywords: dict[str, ast.expr], table: Table) -> None:
    """Take the choices that the metadata of a field states."""
    choices = _in_display(keywords.get("metadata"), "choices")
    if choices is not None:
        try:
            values = code.constant(module, choices)
        except Unknown:
            return
        if isinstance(values, list):
            table["choices"] = [value for value in values if value is not None]


def _deprecation(code: Code, module: str, keywords: dict[str, ast.expr]) -> Table:
    """What DeepSpeed's models and pydantic state about deprecated fields."""
    extra = keywords.get("json_schema_extra")
    sources = {
        "deprecated": keywords.get("deprecated") or _in_display(extra, "deprecated"),
        "replaced_by": keywords.get("new_param") or _in_display(extra, "new_param"),
    }
    found: Table = {}
    for key, node in sources.items():
        if isinstance(node, ast.Constant) and node.value:
            found[key] = True if key == "deprecated" else node.value
    return found if "deprecated" in found else {}


def _in_display(display: ast.expr | None, key: str) -> ast.expr | None:
    if isinstance(display, ast.Dict):
        for name, value in zip(display.keys, display.values, strict=True):
            if isinstance(name, ast.Constant) and name.value == key:
                return value
    return None


def _keywords(value: ast.expr | None) -> dict[str, ast.expr]:
    if isinstance(value, ast.Call) and _called(value) in ("field", "Field"):
        return {keyword.arg: keyword.value for keyword in value.keywords if keyword.arg}
    return {}


def _called(value: ast.Call) -> str:
    return ast.unparse(value.func).rpartition(".")[2]


def _names(name: str, value: ast.expr | None) -> list[str]:
    """The keywords of a field: its name, and its alias."""
    alias = _keywords(value).get("alias")
    return [name, alias.value] if isinstance(alias, ast.Constant) and isinstance(alias.value, str) else [name]


def _default_node(value: ast.expr | None) -> ast.expr | None:
    """The expression of a field's default; None if it has none or a factory."""
    if isinstance(value, ast.Call) and _called(value) in ("field", "Field"):
        positional = value.args[0] if value.args and _called(value) == "Field" else None
        return _keywords(value).get("default", positional)
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
    if isinstance(node, ast.Name) and owner is not None:
        assigned = [
            inner
            for inner in ast.walk(owner)
            if isinstance(inner, ast.Assign | ast.AnnAssign) and _assigns(inner, node.id)
        ]
        if assigned:
            value = assigned[0].value
            if len(assigned) > 1 or assigned[0] not in owner.body or value is None:
                raise Unknown
            return _constant(code, module, owner, value, depth + 1)
    if isinstance(node, ast.Call) and _called(node) == "get_field" and len(node.args) == 2:
        named, field = node.args
        found = code.find_class(module, named)
        if found is None or not isinstance(field, ast.Constant):
            raise Unknown
        return default_of(code, *found, str(field.value), depth)
    try:
        return code.constant(module, node)
    except Unknown:
        if not isinstance(node, ast.Attribute):
            raise
        found = code.find_class(module, node.value)
        if found is None:
            raise
        return default_of(code, *found, node.attr, depth)


def _assigns(node: ast.Assign | ast.AnnAssign, name: str) -> bool:
    targets = node.targets if isinstance(node, ast.Assign) else [node.target]
    return any(isinstance(target, ast.Name) and target.id == name for target in targets)
