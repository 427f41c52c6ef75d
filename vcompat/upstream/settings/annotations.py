"""What an annotation states about a setting: the types of its values, and the values that it is limited to."""

from __future__ import annotations

import ast
from typing import Any, NamedTuple

from vcompat.foundation.syntax.terms import last_name
from vcompat.upstream.settings.code import Code, Unknown

ANY = "any"
_PLAIN = {"bool": "bool", "int": "int", "float": "float", "str": "str", "None": "none", "NoneType": "none"}
_LISTS = frozenset(
    "list List tuple Tuple set Set frozenset FrozenSet Sequence Iterable Collection MutableSequence".split()
)
_DICTS = frozenset("dict Dict Mapping MutableMapping OrderedDict".split())
_MAX_DEPTH = 8


class Stated(NamedTuple):
    """What an annotation states."""

    types: frozenset[str]
    choices: tuple[Any, ...] | None
    """Values that are not None; None if the annotation does not limit them."""


_ANYTHING = Stated(frozenset({ANY}), None)


def read_annotation(code: Code, module: str, node: ast.expr | None, depth: int = 0) -> Stated:
    """Return what an annotation in `module` states. What is not understood is ANY, without choices."""
    if node is None or depth > _MAX_DEPTH:
        return _ANYTHING
    if isinstance(node, ast.Constant):
        return _of_constant(code, module, node.value, depth)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
        return _union([read_annotation(code, module, part, depth + 1) for part in (node.left, node.right)])
    if isinstance(node, ast.Subscript):
        return _of_subscript(code, module, node, depth)
    name = last_name(node)
    if name in _PLAIN:
        return Stated(frozenset({_PLAIN[name]}), None)
    if name in _LISTS | _DICTS:
        return Stated(frozenset({"list" if name in _LISTS else "dict"}), None)
    return _of_name(code, module, node, depth)


def _of_constant(code: Code, module: str, value: object, depth: int) -> Stated:
    if value is None:
        return Stated(frozenset({"none"}), None)
    if not isinstance(value, str):
        return _ANYTHING
    try:
        return read_annotation(code, module, ast.parse(value.strip(), mode="eval").body, depth + 1)
    except SyntaxError:
        return _ANYTHING


def _of_subscript(code: Code, module: str, node: ast.Subscript, depth: int) -> Stated:
    name = last_name(node.value)
    parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
    if name in _LISTS | _DICTS:
        return Stated(frozenset({"list" if name in _LISTS else "dict"}), None)
    if name == "Literal":
        return _literal(code, module, parts, depth)
    if name in ("Union", "Optional"):
        found = [read_annotation(code, module, part, depth + 1) for part in parts]
        return _union([*found, *([Stated(frozenset({"none"}), None)] if name == "Optional" else [])])
    if name in ("Annotated", "Final", "Required", "NotRequired", "SkipValidation"):
        return read_annotation(code, module, parts[0], depth + 1)
    return _ANYTHING


def _literal(code: Code, module: str, parts: list[ast.expr], depth: int) -> Stated:
    stated = []
    for part in parts:
        if isinstance(part, ast.Constant) and (part.value is None or isinstance(part.value, str | int)):
            types = frozenset({"none" if part.value is None else type(part.value).__name__})
            stated.append(Stated(types, None if part.value is None else (part.value,)))
        else:
            try:
                value = code.constant(module, part)
                stated.append(Stated(frozenset({type(value).__name__}), (value,)))
            except Unknown:
                stated.append(read_annotation(code, module, part, depth + 1))
    return _union(stated)


def _of_name(code: Code, module: str, node: ast.expr, depth: int) -> Stated:
    """A name that stands for another annotation, or a class."""
    defined = code.definitions.named(module, node)
    if defined is None or defined.node is None:
        return _ANYTHING
    if isinstance(defined.node, ast.ClassDef):
        enumeration = code.enumeration(module, node)
        if enumeration is None:
            return _ANYTHING
        values = tuple(dict.fromkeys(enumeration.members.values()))
        return Stated(frozenset(type(value).__name__ for value in values), values)
    if isinstance(defined.node, ast.Assign | ast.AnnAssign) and defined.node.value is not None:
        name = node.id if isinstance(node, ast.Name) else ""
        single = code.constant_node(module, name)
        return read_annotation(code, single[0], single[1], depth + 1) if single else _ANYTHING
    return _ANYTHING


def _union(parts: list[Stated]) -> Stated:
    types = frozenset().union(*(part.types for part in parts))
    if ANY in types:
        return _ANYTHING
    limited = [part for part in parts if part.types != {"none"}]
    if not limited or any(part.choices is None and part.types != {"bool"} for part in limited):
        return Stated(types, None)
    if all(part.choices is None for part in limited):
        return Stated(types, None)
    choices = [value for part in limited for value in (part.choices if part.choices is not None else (False, True))]
    return Stated(types, tuple(_distinct(choices)))


def _distinct(values: list[Any]) -> list[Any]:
    """Without repetition; 1 and True are distinct."""
    return list({(type(value), value): value for value in values}.values())
