"""Evaluates what upstream's constructors check, as recorded: expressions over settings, in three-valued logic.

The language is that of the records of settings: names of settings, constants, ``and``, ``or``, ``not``, comparisons,
arithmetic and ``len``. Whatever depends on a value that is not known, or does not evaluate, is unknown.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from vcompat.foundation.comparisons import ARITHMETIC, COMPARISONS


class _Unknown(Exception):
    """The value depends on something that is not known."""


def holds(expression: str, values: Mapping[str, object]) -> bool | None:
    """Return whether the check `expression` holds for the settings `values`; None if that is not known."""
    try:
        return bool(_value(_parsed(expression), values))
    except _Unknown:
        return None


@lru_cache(maxsize=4096)
def names_in(expression: str) -> tuple[str, ...]:
    """Return the settings that a check reads."""
    names = [node.id for node in ast.walk(_parsed(expression)) if isinstance(node, ast.Name) and node.id != "len"]
    return tuple(dict.fromkeys(names))


def constants_in(expression: str) -> tuple[object, ...]:
    """Return the constants that a check names."""
    return tuple(node.value for node in ast.walk(_parsed(expression)) if isinstance(node, ast.Constant))


@lru_cache(maxsize=4096)
def _parsed(expression: str) -> ast.expr:
    return ast.parse(expression, mode="eval").body


def _value(node: ast.expr, values: Mapping[str, object]) -> Any:
    """Return the value of an expression. Raises _Unknown."""
    if isinstance(node, ast.Constant):
        return node.value
    if isinstance(node, ast.Name):
        if node.id not in values:
            raise _Unknown
        return values[node.id]
    if isinstance(node, ast.BoolOp):
        return _both(node, values)
    if isinstance(node, ast.UnaryOp):
        return _unary(node, values)
    if isinstance(node, ast.List | ast.Tuple | ast.Set):
        return [_value(item, values) for item in node.elts]
    if isinstance(node, ast.IfExp):
        return _value(node.body if _value(node.test, values) else node.orelse, values)
    try:
        return _computed(node, values)
    except (TypeError, ValueError, ArithmeticError, KeyError):
        # Upstream's own check would raise, or take another way, for such a value: nothing is claimed about it.
        raise _Unknown from None


def _computed(node: ast.expr, values: Mapping[str, object]) -> Any:
    if isinstance(node, ast.Compare):
        left = _value(node.left, values)
        for compare, right_node in zip(node.ops, node.comparators, strict=True):
            right = _value(right_node, values)
            if not COMPARISONS[type(compare)](left, right):
                return False
            left = right
        return True
    if isinstance(node, ast.BinOp) and type(node.op) in ARITHMETIC:
        return ARITHMETIC[type(node.op)](_value(node.left, values), _value(node.right, values))
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "len" and len(node.args) == 1:
        return len(_value(node.args[0], values))
    raise _Unknown


def _both(node: ast.BoolOp, values: Mapping[str, object]) -> Any:
    """Return what ``and`` or ``or`` yields: one part that decides is enough, whatever the unknown ones are."""
    decides = isinstance(node.op, ast.Or)
    unknown, last = False, None
    for part in node.values:
        try:
            last = _value(part, values)
        except _Unknown:
            unknown = True
            continue
        if bool(last) is decides:
            if unknown:
                return decides
            return last
    if unknown:
        raise _Unknown
    return last


def _unary(node: ast.UnaryOp, values: Mapping[str, object]) -> Any:
    value = _value(node.operand, values)
    if isinstance(node.op, ast.Not):
        return not value
    if isinstance(node.op, ast.USub) and isinstance(value, int | float):
        return -value
    raise _Unknown
