"""Evaluates shell arithmetic: ``$((A * 8))``, ``((i++))``, the index of an array."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Protocol

from vcompat.sources.reading.shell.tree.nodes import Binary, Expression, Grouped, Literal, Parameter, Unary, Written
from vcompat.sources.reading.shell.words.shell_values import Value
from vcompat.sources.reading.word import UNKNOWN, Word

_NUMBER = re.compile(r"\s*([-+]?)\s*(?:0[xX]([0-9a-fA-F]+)|0([0-7]+)|(\d{1,2})#([0-9a-zA-Z]+)|(0|[1-9]\d*))\s*")
_NAME = re.compile(r"\s*[A-Za-z_]\w*\s*")
_DEEPEST = 100
_ASSIGNMENTS = {"=", "+=", "-=", "*=", "/=", "%=", "<<=", ">>=", "&=", "|=", "^="}


class Cells(Protocol):
    """The variables that an expression reads and sets."""

    def text(self, word: Written) -> Word:
        """Return the expanded text of a word."""

    def variable(self, name: str) -> Value:
        """Return the value of a variable."""

    def assign(self, name: str, value: Word) -> None:
        """Set a variable."""


def evaluate(expression: Expression | None, cells: Cells, depth: int = 0) -> int | None:
    """Return the value of an arithmetic expression; None if it is not known, or an error such as a division by 0."""
    if expression is None:
        return 0
    if depth > _DEEPEST:
        return None
    if isinstance(expression, Grouped):
        return evaluate(expression.expression, cells, depth + 1)
    if isinstance(expression, Unary):
        return _unary(expression, cells, depth)
    if isinstance(expression, Binary):
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


def _unary(expression: Unary, cells: Cells, depth: int) -> int | None:
    operator, operand = expression.operator, expression.operand
    value = evaluate(operand, cells, depth + 1)
    if operator in ("++", "--"):
        after = None if value is None else value + (1 if operator == "++" else -1)
        _store(operand, after, cells)
        return value if expression.postfix else after
    if value is None:
        return None
    results = {"-": -value, "+": value, "!": int(not value), "~": ~value}
    return _wrapped(results[operator]) if operator in results else None


def _binary(expression: Binary, cells: Cells, depth: int) -> int | None:
    operator, left, right = expression.operator, expression.left, expression.right
    if operator in _ASSIGNMENTS:
        value = evaluate(right, cells, depth + 1)
        if operator != "=":
            value = _computed(operator[:-1], evaluate(left, cells, depth + 1), value)
        _store(left, value, cells)
        return value
    if operator == "?" and isinstance(right, Binary):
        return _choice(evaluate(left, cells, depth + 1), right.left, right.right, cells, depth)
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


def _choice(condition: int | None, yes: Expression, no: Expression, cells: Cells, depth: int) -> int | None:
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


def _store(target: Expression, value: int | None, cells: Cells) -> None:
    part = target.parts[0] if isinstance(target, Written) and target.parts else None
    if isinstance(part, Literal) and isinstance(part.text, str):
        # Without a value: an error, or an evaluation that may not happen, leaves the variable as it was.
        cells.assign(part.text, UNKNOWN if value is None else str(value))
    elif isinstance(part, Parameter):
        # An element of an array.
        cells.assign(part.name, UNKNOWN)


def _forget(expression: Expression, cells: Cells) -> None:
    """Make unknown what an expression assigns that may not be evaluated."""
    if isinstance(expression, Unary):
        if expression.operator in ("++", "--"):
            _store(expression.operand, None, cells)
        _forget(expression.operand, cells)
    elif isinstance(expression, Binary):
        if expression.operator in _ASSIGNMENTS:
            _store(expression.left, None, cells)
        _forget(expression.left, cells)
        _forget(expression.right, cells)
    elif isinstance(expression, Grouped):
        _forget(expression.expression, cells)
