"""Whether a reward function returns a number for each completion."""

from __future__ import annotations

import ast

import pytest

from vcompat.sources.reading.scripts.reward_numbers import always_scores

NUMBERS = [
    "lambda completions, **k: [1.0 for c in completions]",
    "lambda completions, **k: [len(c) / 2 for c in completions]",
    "lambda completions, **k: [1.0 if c else -1.0 for c in completions]",
    "lambda completions, **k: [0.0] * len(completions)",
    "def f(cs):\n    return [float(c) for c in cs]",
    "def f(cs):\n    out = []\n    for c in cs:\n        s = 0\n        s += 0.5\n        out.append(s)\n    return out",
    "def f(cs):\n    out = []\n    for c in cs:\n        try:\n            out.append(1.0)\n        except E:\n"
    "            out.append(0.0)\n    print(out)\n    return out",
    "def f(cs):\n    if not cs:\n        return []\n    found = [c == 'a' for c in cs]\n    return found",
]
OTHERS = [
    "lambda completions, **k: [score(c) for c in completions]",
    "lambda completions, **k: [None for c in completions]",
    "lambda completions, **k: [c for c in completions]",
    "lambda completions, **k: score(completions)",
    "def f(cs):\n    return [1.0 if c else None for c in cs]",
    "def f(cs):\n    out = []\n    out.append(None)\n    return out",
    "def f(cs):\n    out = []\n    out.append(1.0)\n    out[0] = None\n    return out",
    "def f(cs):\n    out = []\n    out.extend(g(cs))\n    return out",
    "def f(cs):\n    s = 1.0\n    s = g(cs)\n    return [s]",
    "def f(cs):\n    for s in cs:\n        s = 1.0\n    return [s]",
    "def f(cs):\n    out = g(cs)\n    return out",
    "def f(cs):\n    float = g\n    return [float(c) for c in cs]",
    "def f(cs):\n    pass",
    "def f(cs):\n    return",
    "def f(cs):\n    yield [1.0]",
    "async def f(cs):\n    return [1.0]",
]


def function(code: str) -> ast.AST:
    statement = ast.parse(code).body[0]
    return statement.value if isinstance(statement, ast.Expr) else statement


@pytest.mark.parametrize("code", NUMBERS)
def test_a_function_whose_items_are_numbers_scores_each_completion(code: str) -> None:
    assert always_scores(function(code))


@pytest.mark.parametrize("code", OTHERS)
def test_any_other_function_may_return_none_for_a_completion(code: str) -> None:
    assert not always_scores(function(code))
