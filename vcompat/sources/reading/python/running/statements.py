"""Runs statements, each by its kind."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from typing import Any

from vcompat.facts.presumption import CALL
from vcompat.sources.reading.python.running.relevance import configures
from vcompat.sources.reading.python.values.core import MOST_STEPS, SHARE_OF_CALL, Done, Jump, Stopped, TooComplexError
from vcompat.sources.reading.python.values.interpreter_part import Part
from vcompat.sources.reading.python.values.values import Frame, Function, Held, Lib, Method, Unknown, Value


class Statements(Part):
    """Runs statements."""

    def statement(self, node: ast.stmt, frame: Frame) -> Done:
        """Run a statement."""
        self.run.step()
        runner = _RUNNERS.get(type(node))
        if runner is None:
            return None
        if node in self.run.outer:
            self.run.most_steps = max(self.run.most_steps, min(self.run.steps + 2 * SHARE_OF_CALL, 3 * MOST_STEPS))
        before, depth, written = self.run.steps, len(self.run.uncertain), len(self.run.state.written)
        try:
            return runner(self, node, frame)
        except Stopped as stopped:
            return stopped.jump
        except TooComplexError:
            if node not in self.run.outer or self.run.steps - before < SHARE_OF_CALL or configures(self.run, node):
                raise
        del self.run.uncertain[depth:]
        self.run.steps = before + SHARE_OF_CALL
        self._pass_over(node, frame, written)
        return None

    def _pass_over(self, node: ast.stmt, frame: Frame, since: int) -> None:
        """Go on after a statement that takes too many steps and makes no configuration, in the presuming reading."""
        place = self.run.place(node, frame)
        self.run.given_up.append(f"what stands at {place}, which takes too many steps")
        self.run.presume(CALL, "what takes too many steps changes no setting", place)
        why = f"{place} may change it"
        names = [part for part in ast.walk(node) if isinstance(part, ast.Name)]
        self.run.open_stored(node, [self.run.expressions.lookup(name.id, frame) for name in names], since, why)
        for name in names:
            if not isinstance(name.ctx, ast.Load):
                self.run.state.write(self.run.expressions.home(name.id, frame), name.id, Held(Unknown(why)))

    def _expression(self, node: ast.Expr, frame: Frame) -> Done:
        self.run.expressions.evaluate(node.value, frame)
        return None

    # Definitions and imports

    def _function(self, node: ast.FunctionDef | ast.AsyncFunctionDef, frame: Frame) -> Done:
        function = Function(node, frame, self.run.expressions.defaults(node.args, frame), frame.owner)
        self.run.state.write(
            self.run.expressions.home(node.name, frame),
            node.name,
            Held(self.run.models.decorated(function, node, frame)),
        )
        return None

    def evaluate_decorator(self, node: ast.expr, frame: Frame) -> Value:
        """Return the decorator; of a call of a library's function, that function."""
        if isinstance(node, ast.Call):
            callee = self.run.expressions.evaluate(node.func, frame)
            if isinstance(callee, Lib | Method | Unknown):
                return callee
        return self.run.expressions.evaluate(node, frame)

    def _class(self, node: ast.ClassDef, frame: Frame) -> Done:
        self.run.state.write(
            self.run.expressions.home(node.name, frame), node.name, Held(self.run.models.define(node, frame))
        )
        return None

    def _import(self, node: ast.Import | ast.ImportFrom, frame: Frame) -> Done:
        self.run.imports.import_names(node, frame)
        return None


_RUNNERS: Mapping[type[ast.stmt], Callable[[Statements, Any, Frame], Done]] = {
    ast.Expr: Statements._expression,
    ast.Assign: lambda own, node, frame: own.run.assignments.assign_statement(node, frame),
    ast.AnnAssign: lambda own, node, frame: own.run.assignments.annotated_statement(node, frame),
    ast.AugAssign: lambda own, node, frame: own.run.assignments.augmented_statement(node, frame),
    ast.Delete: lambda own, node, frame: own.run.assignments.delete_statement(node, frame),
    ast.Global: lambda own, node, frame: own.run.assignments.global_statement(node, frame),
    ast.Nonlocal: lambda own, node, frame: own.run.assignments.global_statement(node, frame),
    ast.If: lambda own, node, frame: own.run.control.if_statement(node, frame),
    ast.Match: lambda own, node, frame: own.run.control.match_statement(node, frame),
    ast.For: lambda own, node, frame: own.run.control.for_statement(node, frame),
    ast.AsyncFor: lambda own, node, frame: own.run.control.for_statement(node, frame),
    ast.While: lambda own, node, frame: own.run.control.while_statement(node, frame),
    ast.Try: lambda own, node, frame: own.run.control.try_statement(node, frame),
    ast.With: lambda own, node, frame: own.run.control.with_statement(node, frame),
    ast.AsyncWith: lambda own, node, frame: own.run.control.with_statement(node, frame),
    ast.Return: lambda own, node, frame: own.run.control.return_statement(node, frame),
    ast.Raise: lambda own, node, frame: own.run.control.raise_statement(node, frame),
    ast.Assert: lambda own, node, frame: own.run.control.assert_statement(node, frame),
    ast.Break: lambda run, node, frame: Jump("break"),
    ast.Continue: lambda run, node, frame: Jump("continue"),
    ast.FunctionDef: Statements._function,
    ast.AsyncFunctionDef: Statements._function,
    ast.ClassDef: Statements._class,
    ast.Import: Statements._import,
    ast.ImportFrom: Statements._import,
}
if hasattr(ast, "TryStar"):
    _RUNNERS = {**_RUNNERS, ast.TryStar: lambda own, node, frame: own.run.control.try_statement(node, frame)}
