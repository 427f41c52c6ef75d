"""Operators and methods are those of Python, within limits."""

from __future__ import annotations

import ast
import operator
from typing import Any

import pytest

from vcompat.sources.reading.python.values.operators import (
    BINARY,
    LARGEST_NUMBER,
    LARGEST_TEXT,
    METHODS,
    PURE,
    UNARY,
    bounded,
    method,
)


def test_every_operator_is_that_of_python() -> None:
    left, right = 13, 6
    for kind, apply in BINARY.items():
        expression = ast.unparse(ast.BinOp(ast.Constant(left), kind(), ast.Constant(right)))
        assert apply(left, right) == eval(expression)
    for one, single in UNARY.items():
        assert single(left) == eval(ast.unparse(ast.UnaryOp(one(), ast.Constant(left))))
    assert len(BINARY) == 12
    assert len(UNARY) == 4


ARGUMENTS: dict[str, tuple[Any, ...]] = {
    "os.path.join": ("a", "b"), "os.path.basename": ("a/b",), "os.path.dirname": ("a/b",), "os.path.splitext": ("a.b",),
    "os.path.normpath": ("a/../b",), "os.fspath": ("a",), "int": ("7", 8), "float": ("1e-6",), "str": (1,), "bool": ("",),
    "abs": (-3,), "round": (2.567, 1), "repr": ("a",), "len": ("abc",), "min": (3, 2), "max": (3, 4), "sum": ([1, 2],),
    "sorted": ([2, 1],), "any": ([0, 1],), "all": ([0, 1],), "math.ceil": (-7 / 3,), "math.floor": (-7 / 3,),
    "divmod": (7, 3), "pow": (2, 5), "operator.add": (1, 2),
}  # fmt: skip


@pytest.mark.parametrize("name", PURE)
def test_every_pure_function_is_that_of_python(name: str) -> None:
    import math
    import os

    really = eval(name, {"math": math, "os": os, "operator": operator})(*ARGUMENTS[name])
    found = PURE[name](*ARGUMENTS[name])
    assert (type(found), found) == (type(really), really)


def test_no_other_function_has_arguments() -> None:
    assert set(ARGUMENTS) == set(PURE)


CALLS: dict[str, tuple[Any, tuple[Any, ...]]] = {
    "upper": ("aB", ()), "lower": ("aB", ()), "strip": (" a ", ()), "lstrip": ("xa", ("x",)), "rstrip": ("ax", ("x",)),
    "split": ("a,b", (",",)), "rsplit": ("a,b,c", (",", 1)), "splitlines": ("a\nb", ()), "partition": ("a.b", (".",)),
    "rpartition": ("a.b.c", (".",)), "replace": ("aa", ("a", "b", 1)), "startswith": ("ab", ("a",)), "endswith": ("ab", ("a",)),
    "format": ("{}-{}", (1, 2)), "removeprefix": ("ab", ("a",)), "removesuffix": ("ab", ("b",)), "title": ("a b", ()),
    "capitalize": ("ab", ()), "casefold": ("Aß", ()), "isdigit": ("1", ()), "isnumeric": ("½", ()), "isalpha": ("a", ()),
    "isalnum": ("a1", ()), "find": ("ab", ("b",)), "rfind": ("aba", ("a",)), "index": ("ab", ("b",)), "count": ("aab", ("a",)),
    "join": (",", (["a", "b"],)), "encode": ("é", ()), "decode": (b"a", ()), "zfill": ("7", (3,)), "is_integer": (1.0, ()),
    "bit_length": (5, ()), "isspace": (" ", ()), "islower": ("a", ()), "isupper": ("a", ()),
}  # fmt: skip


@pytest.mark.parametrize("name", sorted(METHODS))
def test_every_method_is_that_of_python(name: str) -> None:
    value, arguments = CALLS[name]
    assert method(value, name, list(arguments), {}) == getattr(value, name)(*arguments)


def test_methods_take_keywords() -> None:
    assert method("a,b,c", "split", [","], {"maxsplit": 1}) == ["a", "b,c"]
    assert method("{n}", "format", [], {"n": 1}) == "1"


@pytest.mark.parametrize("name", ["expandtabs", "ljust", "translate", "__len__", "XXupperXX"])
def test_other_methods_are_refused(name: str) -> None:
    with pytest.raises(ValueError, match=name):
        method("a", name, [20], {})


def refused(run: Any, *arguments: Any) -> bool:
    try:
        run(*arguments)
    except ValueError as error:
        return str(error) in ("large", "without order")
    return False


@pytest.mark.parametrize(
    ("apply", "left", "right", "is_refused"),
    [
        (operator.mul, "a", LARGEST_TEXT, False),
        (operator.mul, "a", LARGEST_TEXT + 1, True),
        (operator.mul, LARGEST_TEXT + 1, "a", True),
        (operator.mul, LARGEST_TEXT, "a", False),
        (operator.mul, [0] * 10, LARGEST_TEXT // 10, False),
        (operator.mul, [0] * 10, LARGEST_TEXT // 10 + 1, True),
        (operator.mul, (0,), LARGEST_TEXT + 1, True),
        (operator.mul, b"a", LARGEST_TEXT + 1, True),
        (operator.mul, "a" * LARGEST_TEXT, 0, False),
        (operator.mul, "a" * (LARGEST_TEXT + 1), 0, True),
        (operator.mul, "a", -5, False),
        (operator.add, "a" * (LARGEST_TEXT - 1), "b", False),
        (operator.add, "a" * LARGEST_TEXT, "b", True),
        (operator.add, "a", "b" * LARGEST_TEXT, True),
        (operator.mod, "%s", "a" * (LARGEST_TEXT - 2), False),
        (operator.mod, "%s", 1, False),
        (operator.mod, "%s", {}, False),
        (operator.mod, "a" * LARGEST_TEXT, {}, False),
        (operator.mod, "%999d", 1, False),
        (operator.mod, "%1000d", 1, True),
        (operator.mod, b"%1000d", 1, True),
        (operator.mod, b"%100d", 1, False),
        (operator.mod, "%*d", (5, 1), True),
        (operator.mod, "%5d %d 1000", (5, 1), True),
        (operator.mod, 1000, 7, False),
        (operator.pow, 2, LARGEST_NUMBER, False),
        (operator.pow, 2, LARGEST_NUMBER + 1, True),
        (operator.pow, 2, -LARGEST_NUMBER, False),
        (operator.pow, 2, -LARGEST_NUMBER - 1, True),
        (operator.pow, 1_000_000, 2, False),
        (operator.pow, -1_000_000, 2, False),
        (operator.pow, 1_000_001, 2, True),
        (operator.pow, -1_000_001, 2, True),
        (operator.lshift, 1, LARGEST_NUMBER, False),
        (operator.lshift, 1, LARGEST_NUMBER + 1, True),
        (operator.rshift, 1 << 500, 200, False),
        (operator.mul, 1_000_001, 1_000_001, False),
        (operator.mul, 1 << 511, 1 << 512, False),
        (operator.mul, 1 << 512, 1 << 512, True),
        (operator.mul, 1e300, 2.0, False),
    ],
)
def test_what_would_be_large_is_refused(apply: Any, left: Any, right: Any, is_refused: bool) -> None:
    assert refused(bounded, apply, left, right) == is_refused
    if not is_refused:
        assert bounded(apply, left, right) == apply(left, right)


@pytest.mark.parametrize(
    ("value", "name", "arguments", "is_refused"),
    [
        ("a" * (LARGEST_TEXT - 2), "upper", [], False),
        ("7", "zfill", [LARGEST_TEXT], False),
        ("7", "zfill", [LARGEST_TEXT + 1], True),
        ("{:999}", "format", [1], False),
        ("{:1000}", "format", [1], True),
        ("{:{}}", "format", [1, 5], False),
        ("a*", "format", [], True),
        ("a*", "upper", [], False),
        ("a1000", "upper", [], False),
        ("a" * 100, "replace", ["a", "b" * 100], False),
        ("a" * 100, "replace", ["a", "b" * 101], True),
        ("a" * 5000, "count", ["a"], False),
        (",", "join", [["a", "b"]], False),
        (",", "join", [frozenset({"a", "b"})], True),
    ],
)
def test_methods_with_a_large_result_are_refused(value: str, name: str, arguments: list[Any], is_refused: bool) -> None:
    assert refused(method, value, name, arguments, {}) == is_refused
    if not is_refused:
        assert method(value, name, arguments, {}) == getattr(value, name)(*arguments)


def test_methods_of_a_large_value_are_refused() -> None:
    assert method("a" * (LARGEST_TEXT - 2), "isalpha", [], {})
    with pytest.raises(ValueError, match="isalpha"):
        method("a" * (LARGEST_TEXT - 1), "isalpha", [], {})


def test_the_limits() -> None:
    assert (LARGEST_TEXT, LARGEST_NUMBER) == (10_000, 128)
    assert PURE["pow"](2, 3) == 8
    assert refused(PURE["pow"], 2, 1000)
    assert refused(PURE["operator.add"], "a" * 6000, "a" * 6000)
