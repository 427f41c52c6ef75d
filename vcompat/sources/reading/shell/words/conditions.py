"""Evaluates `test`, ``[ ]`` and ``[[ ]]``. A condition on files, or on what is not known, is None."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Protocol

from vcompat.sources.reading.shell.tree.nodes import Binary, Expression, Grouped, Unary, Written
from vcompat.sources.reading.shell.words import patterns
from vcompat.sources.reading.shell.words.arithmetic import Cells, number
from vcompat.sources.reading.shell.words.patterns import Run
from vcompat.sources.reading.shell.words.shell_values import Value, is_filled, same
from vcompat.sources.reading.word import Word, concat, has_words, in_texts

_COMPARED: dict[str, Callable[[int, int], bool]] = {
    "-eq": lambda a, b: a == b,
    "-ne": lambda a, b: a != b,
    "-lt": lambda a, b: a < b,
    "-le": lambda a, b: a <= b,
    "-gt": lambda a, b: a > b,
    "-ge": lambda a, b: a >= b,
}
_BINARY = {*_COMPARED, "=", "==", "!=", "<", ">", "-nt", "-ot", "-ef", "=~"}
#: Regular expressions that mean the same in Python and cannot take long: at most one repetition.
_SIMPLE_REGEX = re.compile(r"\^?(?:[\w ,:/=@%-]|\\\.)*(?:\[[\w-]+\][+*]?)?(?:[\w ,:/=@%-]|\\\.)*\$?", re.ASCII)


class Words(Cells, Protocol):
    """Expands the words of a condition."""

    def runs(self, word: Written | None) -> list[Run]:
        """Return the word without splitting, with the parts in which wildcards are ordinary characters."""


def inverted(value: bool | None) -> bool | None:
    """Return the opposite of a condition."""
    return None if value is None else not value


def both(left: bool | None, right: bool | None) -> bool | None:
    """Return whether two conditions are both true."""
    if left is False or right is False:
        return False
    return None if left is None or right is None else True


def either(left: bool | None, right: bool | None) -> bool | None:
    """Return whether one of two conditions is true."""
    return inverted(both(inverted(left), inverted(right)))


def test(words: Sequence[Word], variable: Callable[[str], Value]) -> bool | None:
    """Return the value of `test words`."""
    if any(map(has_words, words)) or len(words) > 40:
        return None
    count = len(words)
    if count <= 1:
        return is_filled(words[0]) if words else False
    if count == 2:
        return _unary(words[0], words[1], variable)
    if count == 3 and words[1] in _BINARY:
        return _binary(words[0], words[1], words[2])
    if words[0] == "(" and words[-1] == ")" and count <= 4:
        return test(words[1:-1], variable)
    if at := _combining(words):
        combine = either if words[at] == "-o" else both
        return combine(test(words[:at], variable), test(words[at + 1 :], variable))
    return inverted(test(words[1:], variable)) if words[0] == "!" else None


def _combining(words: Sequence[Word]) -> int:
    """Return the position of the operator that combines two conditions; 0 if there is none, or if it is not known."""
    if words[0] == "!" and len(words) <= 4:
        return 0
    inner = list(words[1:-1])
    operator = next((operator for operator in ("-o", "-a") if operator in inner), None)
    return 0 if operator is None or "(" in words or ")" in words else 1 + inner.index(operator)


def _unary(operator: Word, operand: Word, variable: Callable[[str], Value]) -> bool | None:
    if operator in ("!", "-z"):
        return inverted(is_filled(operand))
    if operator == "-n":
        return is_filled(operand)
    if operator == "-v" and isinstance(operand, str) and re.fullmatch(r"[A-Za-z_]\w*", operand):
        return _is_set(variable(operand))
    return None


def _is_set(value: Value) -> bool | None:
    """Return whether a variable is set. An array is if it has a first element."""
    if value is None or value == ():
        return False
    first = value[0] if isinstance(value, tuple) else value
    return None if isinstance(first, Mapping) or is_filled(first) is None else True


def _binary(left: Word, operator: Word, right: Word) -> bool | None:
    if operator in ("=", "=="):
        return same(left, right)
    if operator == "!=":
        return inverted(same(left, right))
    if not isinstance(left, str) or not isinstance(right, str):
        return None
    if isinstance(operator, str) and operator in _COMPARED:
        try:
            return _COMPARED[operator](int(left), int(right)) if len(left) < 19 and len(right) < 19 else None
        except ValueError:
            return False
    if operator in ("<", ">") and (left + right).isdecimal() and left != right:
        return (left < right) == (operator == "<")
    return None


def extended(expression: Expression, words: Words) -> bool | None:
    """Return the value of ``[[ expression ]]``."""
    if isinstance(expression, Grouped):
        return extended(expression.expression, words)
    if isinstance(expression, Unary):
        if expression.operator == "!":
            return inverted(extended(expression.operand, words))
        if not isinstance(expression.operand, Written):
            return None
        return _unary(expression.operator, words.text(expression.operand), words.variable)
    if isinstance(expression, Binary):
        return _extended_binary(expression, words)
    return is_filled(words.text(expression))


def _extended_binary(expression: Binary, words: Words) -> bool | None:
    operator, left, right = expression.operator, expression.left, expression.right
    if operator in ("&&", "||"):
        first = extended(left, words)
        if first is not None and first == (operator == "||"):
            return first
        return (both if operator == "&&" else either)(first, extended(right, words))
    if not isinstance(left, Written) or not isinstance(right, Written):
        return None
    text = words.text(left)
    if operator in _COMPARED:
        a, b = number(text, words), number(words.text(right), words)
        return None if a is None or b is None else _COMPARED[operator](a, b)
    if operator in ("=", "==", "!="):
        equal = _matches(text, words.runs(right))
        return inverted(equal) if operator == "!=" else equal
    if operator == "=~":
        return _regex(text, words.runs(right))
    return _binary(text, operator, words.text(right))


def _matches(text: Word, pattern: list[Run]) -> bool | None:
    whole = concat(part for part, _ in pattern)
    if not any(not quoted and any(char in part for char in ("*", "?", "[")) for part, quoted in pattern):
        return same(text, whole)
    try:
        return patterns.matches(patterns.items_of(pattern), text) if isinstance(text, str) else None
    except patterns.Unmatchable:
        return None


def _regex(text: Word, pattern: list[Run]) -> bool | None:
    whole = concat(in_texts(part, re.escape) if quoted else part for part, quoted in pattern)
    if not isinstance(text, str) or not isinstance(whole, str) or not _SIMPLE_REGEX.fullmatch(whole):
        return None
    # In Python, $ also matches before a line end at the end.
    return re.search(re.sub(r"\$$", r"\\Z", whole), text) is not None
