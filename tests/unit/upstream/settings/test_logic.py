"""Conditions are combined without changing when they are true."""

from __future__ import annotations

import ast
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vcompat.upstream.settings.logic import all_of, any_of, negation

NAMES = ("a", "b", "c")
ATOMS = st.sampled_from([*NAMES, "a > 1", "b is None", "c in [0, 2]"]).map(
    lambda text: ast.parse(text, mode="eval").body
)
EXPRESSIONS = st.recursive(
    ATOMS,
    lambda inner: st.one_of(
        st.lists(inner, min_size=2, max_size=3).map(lambda parts: ast.BoolOp(ast.And(), parts)),
        st.lists(inner, min_size=2, max_size=3).map(lambda parts: ast.BoolOp(ast.Or(), parts)),
        inner.map(lambda part: ast.UnaryOp(ast.Not(), part)),
    ),
    max_leaves=6,
)


def truths(node: ast.expr) -> list[bool]:
    """Return whether an expression is true, for all values of its names."""
    code = compile(ast.fix_missing_locations(ast.Expression(node)), "", "eval")
    return [bool(eval(code, dict(zip(NAMES, values, strict=True)))) for values in product((0, 1, 2), repeat=3)]


@given(EXPRESSIONS)
def test_a_negation_is_true_where_the_expression_is_false(node: ast.expr) -> None:
    assert truths(negation(node)) == [not truth for truth in truths(node)]


@given(st.lists(EXPRESSIONS, min_size=1, max_size=4))
def test_a_conjunction_is_true_where_all_parts_are(parts: list[ast.expr]) -> None:
    found = all_of(parts)
    assert found is not None
    assert truths(found) == [all(row) for row in zip(*map(truths, parts), strict=True)]


@given(st.lists(EXPRESSIONS, min_size=1, max_size=4))
def test_a_disjunction_is_true_where_one_part_is(parts: list[ast.expr]) -> None:
    found = any_of(parts)
    assert found is not None
    assert truths(found) == [any(row) for row in zip(*map(truths, parts), strict=True)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("(a or b) and not a", "b and (not a)"),
        ("(a or b) and a", "a"),
        ("(a or b) and (a or not b)", "a"),
        ("a and a and b", "a and b"),
        ("a is None and a is not None", "False"),
    ],
)
def test_a_conjunction_is_simplified(text: str, expected: str) -> None:
    node = ast.parse(text, mode="eval").body
    assert isinstance(node, ast.BoolOp)
    found = all_of(node.values)
    assert found is not None and ast.unparse(found) == expected


def test_an_unknown_part_makes_a_conjunction_unknown_and_leaves_the_others_of_a_disjunction() -> None:
    part = ast.Name("a", ast.Load())
    assert all_of([part, None]) is None
    assert any_of([part, None]) is part
    assert any_of([None]) is None
