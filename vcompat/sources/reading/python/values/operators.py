"""Operators and pure functions on plain values, bounded so that no expression of a script takes long or grows large."""

from __future__ import annotations

import ast
import operator
import os.path
from collections.abc import Callable, Mapping
from typing import Any

#: Limits: characters or items of a value, exponents and bytes of a number.
LARGEST_TEXT, LARGEST_NUMBER = 10_000, 128

BINARY: Mapping[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.Pow: operator.pow,
    ast.BitOr: operator.or_,
    ast.BitAnd: operator.and_,
    ast.BitXor: operator.xor,
    ast.LShift: operator.lshift,
    ast.RShift: operator.rshift,
}
UNARY: Mapping[type[ast.unaryop], Callable[[Any], Any]] = {
    ast.Not: operator.not_,
    ast.USub: operator.neg,
    ast.UAdd: operator.pos,
    ast.Invert: operator.invert,
}
#: Methods of strings and numbers that a script computes settings with.
METHODS = frozenset(
    "upper lower strip lstrip rstrip split rsplit splitlines partition rpartition replace startswith endswith format "
    "removeprefix removesuffix title capitalize casefold isdigit isnumeric isalpha isalnum find rfind index count join "
    "encode decode zfill is_integer bit_length isspace islower isupper".split()
)
#: Functions of the standard library without side effects, by dotted name.
PURE: Mapping[str, Callable[..., Any]] = {
    "os.path.join": os.path.join,
    "os.path.basename": os.path.basename,
    "os.path.dirname": os.path.dirname,
    "os.path.splitext": os.path.splitext,
    "os.path.normpath": os.path.normpath,
    "os.fspath": os.fspath,
    "int": int,
    "float": float,
    "str": str,
    "bool": bool,
    "abs": abs,
    "round": round,
    "repr": repr,
    "len": len,
    "min": min,
    "max": max,
    "sum": sum,
    "sorted": sorted,
    "any": any,
    "all": all,
    "math.ceil": lambda x: int(-(-x // 1)),
    "math.floor": lambda x: int(x // 1),
    "divmod": divmod,
    "pow": lambda a, b: bounded(operator.pow, a, b),
    "operator.add": lambda a, b: bounded(operator.add, a, b),
}


def bounded(apply: Callable[[Any, Any], Any], left: Any, right: Any) -> Any:
    """Return the result of an operator. Raises ValueError if it would be too large."""
    for sequence, other in ((left, right), (right, left)):
        if isinstance(sequence, str | bytes | list | tuple):
            times = other if isinstance(other, int) else 1
            more = len(other) if hasattr(other, "__len__") else 0
            if len(sequence) * max(times, 1) + more > LARGEST_TEXT:
                raise ValueError("large")
    if apply is operator.mod and isinstance(left, str | bytes) and _wide(left):
        raise ValueError("large")
    if apply in (operator.pow, operator.lshift) and (abs(right) > LARGEST_NUMBER or abs(left) > 1_000_000):
        raise ValueError("large")
    result = apply(left, right)
    if isinstance(result, int) and result.bit_length() > LARGEST_NUMBER * 8:
        raise ValueError("large")
    return result


def method(value: Any, name: str, arguments: list[Any], keywords: dict[str, Any]) -> Any:
    """Return the result of a method of a plain value. Raises ValueError if it is not one of METHODS or too large."""
    if name not in METHODS or len(repr(value)) > LARGEST_TEXT:
        raise ValueError(name)
    if name == "format" and _wide(value):
        raise ValueError("large")
    if name == "join" and isinstance(arguments[0], frozenset):
        raise ValueError("without order")
    if name == "zfill" and arguments[0] > LARGEST_TEXT:
        raise ValueError("large")
    result = getattr(value, name)(*arguments, **keywords)
    if hasattr(result, "__len__") and len(result) > LARGEST_TEXT:
        raise ValueError("large")
    return result


def _wide(template: Any) -> bool:
    """Return whether a format asks for a width, which can be huge."""
    text = template.decode("latin-1") if isinstance(template, bytes) else str(template)
    return any(len(digits) > 3 for digits in "".join(c if c.isdecimal() else " " for c in text).split()) or "*" in text


def limited(text: str) -> str:
    """Return `text`. Raises ValueError if it is too long to go on with."""
    if len(text) > LARGEST_TEXT:
        raise ValueError("large")
    return text
