"""Comprehensions and generator expressions."""

from __future__ import annotations

import ast
from collections.abc import Callable

from vcompat.sources.reading.python.values.interpreter_part import Part
from vcompat.sources.reading.python.values.values import (
    AT_RUN_TIME,
    ON_CONDITION,
    Const,
    Frame,
    Held,
    Seq,
    Table,
    Unknown,
    Value,
    truth,
)

#: Maximum number of items that are followed one by one. A configuration class has up to 250 settings.
_MOST_ITEMS = 400


class Comprehensions(Part):
    """Evaluates comprehensions."""

    def evaluate(self, node: ast.expr, frame: Frame) -> Value:
        """Return the value of a comprehension."""
        if isinstance(node, ast.DictComp):
            return self._mapping(node, frame)
        assert isinstance(node, ast.ListComp | ast.SetComp | ast.GeneratorExp)
        if isinstance(node, ast.GeneratorExp) and _calls(node.elt):
            # It runs only as far as something asks for its items.
            return self.perhaps(lambda: self._listed(node, frame))
        return self._listed(node, frame)

    def perhaps(self, run: Callable[[], Value]) -> Value:
        """Return the result of something lazy, whose effects may or may not happen."""
        results: list[Value] = []

        def runs() -> Value:
            results.append(run())
            return Const(None)

        self.run.operations.choose([lambda: Const(None), runs], "it is evaluated lazily")
        return results[0] if results else Unknown()

    def _listed(self, node: ast.ListComp | ast.SetComp | ast.GeneratorExp, frame: Frame) -> Value:
        rows = self._generated(node.generators, frame, lambda inner: [self._held(node.elt, inner)])
        kind = "set" if isinstance(node, ast.SetComp) else "list"
        return Seq(kind, None if rows is None else [item for row in rows for item in row])

    def _mapping(self, node: ast.DictComp, frame: Frame) -> Value:
        table = Table()
        pairs = self._generated(
            node.generators, frame, lambda inner: [self._held(node.key, inner), self._held(node.value, inner)]
        )
        for key, value in pairs or ():
            self.run.objects.set_item(table, key.value, value)
        if pairs is None:
            self.run.open(table, AT_RUN_TIME)
        return table

    def _held(self, node: ast.expr, frame: Frame) -> Held:
        return Held(self.run.expressions.evaluate(node, frame), self.run.place(node, frame))

    def _generated(
        self, generators: list[ast.comprehension], frame: Frame, make: Callable[[Frame], list[Held]]
    ) -> list[list[Held]] | None:
        """Return what `make` returns for each pass; None if the passes are not known."""
        inner = Frame(frame)
        inner.owner, inner.receiver, inner.is_comprehension = frame.owner, frame.receiver, True
        rows: list[list[Held]] = []
        known = self._passes(generators, inner, lambda: rows.append(make(inner)))
        if not known:
            # What the passes may change is opened by running them once on unknown values.
            self.run.operations.choose(
                [lambda: Const(None), lambda: self._one_pass(generators, inner, make)], ON_CONDITION
            )
        return rows if known else None

    def _one_pass(
        self, generators: list[ast.comprehension], inner: Frame, make: Callable[[Frame], list[Held]]
    ) -> Value:
        for generator in generators:
            self.run.assignments.assign(generator.target, Held(Unknown()), inner)
        make(inner)
        return Const(None)

    def _passes(self, generators: list[ast.comprehension], inner: Frame, then: Callable[[], None]) -> bool:
        if not generators:
            then()
            return True
        items = self.run.objects.iterate(self.run.expressions.evaluate(generators[0].iter, inner))
        if items is None or len(items) > _MOST_ITEMS or any(item.optional for item in items):
            return False
        for item in items:
            self.run.assignments.assign(generators[0].target, item, inner)
            tests = [truth(self.run.expressions.evaluate(test, inner)) for test in generators[0].ifs]
            if None in tests:
                return False
            if False not in tests and not self._passes(generators[1:], inner, then):
                return False
        return True


def _calls(node: ast.expr) -> bool:
    return any(isinstance(part, ast.Call | ast.NamedExpr) for part in ast.walk(node))
