"""Evaluates shell arithmetic: ``$((A * 8))``, ``((i++))``, the index of an array."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Protocol

from vcompat.sources.reading.shell.tree.syntax import Node, children
from vcompat.sources.reading.shell.words.values import Value
from vcompat.sources.reading.word import UNKNOWN, Word

_NUMBER = re.compile(r"\s*([-+]?)\s*(?:0[xX]([0-9a-fA-F]+)|0([0-7]+)|(\d{1,2})#([0-9a-zA-Z]+)|(0|[1-9]\d*))\s*")
_NAME = re.compile(r"\s*[A-Za-z_]\w*\s*")
_DEEPEST = 100
_ASSIGNMENTS = {"=", "+=", "-=", "*=", "/=", "%=", "<<=", ">>=", "&=", "|=", "^="}


class Cells(Protocol):
    """The variables that an expression reads and sets."""

    def text(self, word: Node) -> Word:
        """Return the expanded text of a word."""
        ...

    def variable(self, name: str) -> Value:
        """Return the value of a variable."""
        ...

    def assign(self, name: str, value: Word) -> None:
        """Set a variable."""
        ...


def evaluate(expression: Node | None, cells: Cells, depth: int = 0) -> int | None:
    """Return the value of an arithmetic expression; None if it is not known, or an error such as a division by 0."""
    if expression is None:
        return 0
    if depth > _DEEPEST:
        return None
    kind = expression.get("Type", "Word")
    if kind == "ParenArithm":
        return evaluate(expression["X"], cells, depth + 1)
    if kind == "UnaryArithm":
        return _unary(expression, cells, depth)
    if kind == "BinaryArithm":
        return _binary(expression, cells, depth)
    return number(cells.text(expression), cells, depth)


def number(text: Word, cells: Cells, depth: int = 0) -> int | None:
    """Return the number that a text stands for: a literal, or the name of a variable."""
    if not isinstance(text, str) or depth > _DEEPEST:
        return None
    if not text.strip():
        return 0
    if match := _NUMBER.fullmatch(text):
        return _literal(match)
    if _NAME.fullmatch(text):
        value = cells.variable(text.strip())
        if isinstance(value, tuple):
            value = value[0] if value else ""
        return None if isinstance(value, Mapping) else number(value or "", cells, depth + 10)
    return None


def _literal(match: re.Match[str]) -> int | None:
    sign, hexadecimal, octal, base, digits, decimal = match.groups()
    if max(len(group or "") for group in match.groups()) > 18:
        return None
    try:
        if base:
            value = int(digits, int(base)) if int(base) >= 2 else None
        else:
            value = int(hexadecimal, 16) if hexadecimal else int(octal, 8) if octal else int(decimal)
    except ValueError:
        return None
    return -value if value is not None and sign == "-" else value


def _unary(expression: Node, cells: Cells, depth: int) -> int | None:
    operator, operand = expression["Op"], expression["X"]
    value = evaluate(operand, cells, depth + 1)
    if operator in ("++", "--"):
        after = None if value is None else value + (1 if operator == "++" else -1)
        _store(operand, after, cells)
        return value if expression.get("Post") else after
    if value is None:
        return None
    results = {"-": -value, "+": value, "!": int(not value), "~": ~value}
    return _wrapped(results[operator]) if operator in results else None


def _binary(expression: Node, cells: Cells, depth: int) -> int | None:
    operator, left, right = expression["Op"], expression["X"], expression["Y"]
    if operator in _ASSIGNMENTS:
        value = evaluate(right, cells, depth + 1)
        if operator != "=":
            value = _computed(operator[:-1], evaluate(left, cells, depth + 1), value)
        _store(left, value, cells)
        return value
    if operator == "?":
        return _choice(evaluate(left, cells, depth + 1), right["X"], right["Y"], cells, depth)
    first = evaluate(left, cells, depth + 1)
    if operator in ("&&", "||"):
        if first is not None and bool(first) == (operator == "||"):
            return int(bool(first))
        if first is None:
            _forget(right, cells)
            return None
        second = evaluate(right, cells, depth + 1)
        return None if second is None else int(bool(second))
    second = evaluate(right, cells, depth + 1)
    return second if operator == "," else _computed(operator, first, second)


def _choice(condition: int | None, yes: Node, no: Node, cells: Cells, depth: int) -> int | None:
    if condition is not None:
        return evaluate(yes if condition else no, cells, depth + 1)
    _forget(yes, cells)
    _forget(no, cells)
    return None


def _divided(a: int, b: int) -> int:
    """Return the quotient, rounded towards zero."""
    quotient = a // b
    return quotient + 1 if quotient < 0 and quotient * b != a else quotient


_OPERATORS: dict[str, Callable[[int, int], int]] = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "/": _divided,
    "%": lambda a, b: a - _divided(a, b) * b,
    "**": lambda a, b: a**b,
    "<<": lambda a, b: a << b,
    ">>": lambda a, b: a >> b,
    "&": lambda a, b: a & b,
    "|": lambda a, b: a | b,
    "^": lambda a, b: a ^ b,
    "<": lambda a, b: int(a < b),
    ">": lambda a, b: int(a > b),
    "<=": lambda a, b: int(a <= b),
    ">=": lambda a, b: int(a >= b),
    "==": lambda a, b: int(a == b),
    "!=": lambda a, b: int(a != b),
}


def _computed(operator: str, left: int | None, right: int | None) -> int | None:
    if left is None or right is None or operator not in _OPERATORS:
        return None
    if operator in ("**", "<<", ">>") and not 0 <= right < 64:
        return None
    if operator in ("/", "%") and right == 0:
        return None
    return _wrapped(_OPERATORS[operator](left, right))


def _wrapped(value: int) -> int | None:
    """Return `value` if it fits in 64 bits."""
    return value if -(2**63) <= value < 2**63 else None


def _store(target: Node, value: int | None, cells: Cells) -> None:
    part = children(target)[0]
    if isinstance(part.get("Value"), str):
        # Without a value: an error, or an evaluation that may not happen, leaves the variable as it was.
        cells.assign(part["Value"], UNKNOWN if value is None else str(value))
    elif "Param" in part:
        # An element of an array.
        cells.assign(part["Param"]["Value"], UNKNOWN)


def _forget(expression: Node, cells: Cells) -> None:
    """Make unknown what an expression assigns that may not be evaluated."""
    if expression.get("Op") in {*_ASSIGNMENTS, "++", "--"}:
        _store(expression["X"], None, cells)
    for key in ("X", "Y"):
        if isinstance(expression.get(key), dict):
            _forget(expression[key], cells)
