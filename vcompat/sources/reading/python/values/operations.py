"""Operators, conditions and choices, on values that may be unknown."""

from __future__ import annotations

import ast
import functools
from collections.abc import Callable
from typing import Any

from vcompat.foundation.comparisons import COMPARISONS
from vcompat.sources.reading.python.values import operators
from vcompat.sources.reading.python.values.core import Stopped
from vcompat.sources.reading.python.values.interpreter_part import Part
from vcompat.sources.reading.python.values.values import (
    AT_RUN_TIME,
    ON_CONDITION,
    PYTHON_TYPES,
    Const,
    Either,
    Lib,
    Method,
    NotPlainError,
    Seq,
    Table,
    Unknown,
    Unordered,
    Value,
    candidates,
    distinct,
    from_plain,
    is_none,
    joined,
    to_plain,
)
from vcompat.sources.reading.python.values.writes import Diff

_MOST_COMBINATIONS = 32
#: What stands for the default of a field that has none.
_MISSING = Lib("dataclasses.MISSING")


class Operations(Part):
    """Evaluates operators."""

    def binary(self, kind: type[ast.operator], left: Value, right: Value) -> Value:
        """Return the result of a binary operator."""
        if isinstance(left, Either):
            return self.run.objects.each(left, lambda part: self.binary(kind, part, right))
        if kind is ast.BitOr and isinstance(left, Table):
            table = Table(dict(left.cells))
            self.run.objects.merge(table, right)
            return table
        apply = operators.BINARY.get(kind)
        if kind is ast.Add and isinstance(left, Seq) and isinstance(right, Seq) and left.kind == right.kind:
            one, other = left.items, right.items
            return Seq(left.kind, (*one, *other) if one is not None and other is not None else None)
        if kind is ast.Div and isinstance(left, Lib | Unknown | Const) and not _is_number(left):
            # pathlib's operator on paths that are kept as text.
            return self.combine((left, right), _below)
        if apply is None:
            return Unknown()
        return self.combine((left, right), lambda a, b: operators.bounded(apply, a, b))

    def compared(self, kind: type[ast.cmpop], left: Value, right: Value) -> Value:
        """Return the result of a comparison."""
        right = self.run.objects.as_table(right) if kind in (ast.In, ast.NotIn) else right
        if kind in (ast.In, ast.NotIn) and isinstance(right, Table) and isinstance(left, Const):
            there = self.run.objects.contains(right, left.value)
            return Unknown(ON_CONDITION) if there is None else Const(there is (kind is ast.In))
        if kind in (ast.Is, ast.IsNot, ast.Eq, ast.NotEq):
            identical = self._identical(left, right)
            if identical is not None:
                return Const(identical is (kind in (ast.Is, ast.Eq)))
        return self.combine((left, right), COMPARISONS[kind])

    @staticmethod
    def _identical(left: Value, right: Value) -> bool | None:
        """Return whether two values are the same object; None if that is not known, or they are constants."""
        both = (left, right)
        if all(isinstance(value, Const | Unknown | Either) for value in both):
            return None
        if left is right or (isinstance(left, Lib) and left == right):
            return True
        if all(isinstance(value, Lib) and value.path in PYTHON_TYPES for value in both):
            return False
        if _MISSING in both:
            return False if any(isinstance(value, Const) for value in both) else None
        is_object = any(not isinstance(value, Const | Unknown | Either | Lib | Method) for value in both)
        return False if is_object and any(map(is_none, both)) else None

    def choose(self, arms: list[Callable[[], Value]], why: str) -> Value:
        """Run each of `arms`, of which one runs, and return what stands for all results."""
        diffs: list[Diff] = []
        results: list[Value] = []
        stopped: Stopped | None = None
        self.run.uncertain.append(why)
        for arm in arms:
            with self.run.state.arm() as diff:
                try:
                    results.append(arm())
                except Stopped as end:
                    stopped = end
                    if end.jump.kind == "raise":
                        self.run.raises()
                    continue
            diffs.append(diff)
        self.run.uncertain.pop()
        if not results:
            assert stopped is not None
            raise stopped
        self.run.state.apply(functools.reduce(self.run.state.join, diffs))
        return joined(results, why)

    def combine(self, operands: tuple[Value, ...], apply: Callable[..., Any]) -> Value:
        """Return the results of `apply` on plain values, for every combination of the operands' possible values."""
        try:
            plain = [to_plain(operand, as_set=_unordered) for operand in operands]
        except NotPlainError as error:
            return self._possible(operands, apply, str(error))
        try:
            result = apply(*plain)
        except Exception:
            # An expression that raises here also raises when the script runs.
            self.run.raises()
            return Unknown()
        remark = next((operand.remark for operand in operands if isinstance(operand, Const) and operand.remark), "")
        value = from_plain(result)
        return Const(value.value, remark) if isinstance(value, Const) else value

    def _possible(self, operands: tuple[Value, ...], apply: Callable[..., Any], why: str) -> Value:
        self.run.raises()
        combinations: list[tuple[Any, ...]] = [()]
        for operand in operands:
            combinations = [(*c, v) for c in combinations for v in candidates(operand)][:_MOST_COMBINATIONS]
        results = []
        for combination in combinations:
            try:
                results.append(apply(*combination))
            except Exception:
                # This combination cannot occur in a run that goes on.
                continue
        scalars = (result for result in results if not isinstance(result, list | dict | set | tuple))
        reason = next((operand.why for operand in operands if isinstance(operand, Unknown)), why)
        return Unknown(reason, distinct(scalars))


def _is_number(value: Value) -> bool:
    listed = candidates(value)
    return not listed or any(isinstance(c, int | float) for c in listed)


def _unordered(items: list[Any]) -> Any:
    try:
        return Unordered(items)
    except TypeError:
        raise NotPlainError(AT_RUN_TIME) from None


def _below(folder: object, path: object) -> object:
    """Return a path in a folder as pathlib joins them."""
    return (
        path if folder == "." or str(path).startswith("/") else operators.limited(f"{str(folder).rstrip('/')}/{path}")
    )
