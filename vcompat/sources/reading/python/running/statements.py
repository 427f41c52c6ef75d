"""Runs statements, each by its kind."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from typing import Any

from vcompat.facts.presumption import CALL
from vcompat.sources.reading.python.running.control import Control
from vcompat.sources.reading.python.running.flow import Done
from vcompat.sources.reading.python.values.core import MOST_STEPS, SHARE_OF_CALL, Jump, Stopped, TooComplexError
from vcompat.sources.reading.python.values.values import Frame, Function, Held, Lib, Method, Unknown, Value


class Execution(Control):
    """Runs statements."""

    def statement(self, node: ast.stmt, frame: Frame) -> Done:
        """Run a statement."""
        self.step()
        runner = _RUNNERS.get(type(node))
        if runner is None:
            return None
        if node in self.outer:
            self.most_steps = max(self.most_steps, min(self.steps + 2 * SHARE_OF_CALL, 3 * MOST_STEPS))
        before, depth, written = self.steps, len(self.uncertain), len(self.state.written)
        try:
            return runner(self, node, frame)
        except Stopped as stopped:
            return stopped.jump
        except TooComplexError:
            if node not in self.outer or self.steps - before < SHARE_OF_CALL or self.configures(node):
                raise
        del self.uncertain[depth:]
        self.steps = before + SHARE_OF_CALL
        self._pass_over(node, frame, written)
        return None

    def _pass_over(self, node: ast.stmt, frame: Frame, since: int) -> None:
        """Go on after a statement that takes too many steps and makes no configuration, in the presuming reading."""
        place = self.place(node, frame)
        self.given_up.append(f"what stands at {place}, which takes too many steps")
        self.presume(CALL, "what takes too many steps changes no setting", place)
        why = f"{place} may change it"
        names = [part for part in ast.walk(node) if isinstance(part, ast.Name)]
        self.open_stored(node, [self.lookup(name.id, frame) for name in names], since, why)
        for name in names:
            if not isinstance(name.ctx, ast.Load):
                self.state.write(self.home(name.id, frame), name.id, Held(Unknown(why)))

    def _expression(self, node: ast.Expr, frame: Frame) -> Done:
        self.evaluate(node.value, frame)
        return None

    # Definitions and imports

    def _function(self, node: ast.FunctionDef | ast.AsyncFunctionDef, frame: Frame) -> Done:
        function = Function(node, frame, self.defaults(node.args, frame), frame.owner)
        self.state.write(self.home(node.name, frame), node.name, Held(self.decorated(function, node, frame)))
        return None

    def decorated(self, function: Function, node: Any, frame: Frame) -> Value:
        """Return what the decorators of a function make of it."""
        raise NotImplementedError

    def evaluate_decorator(self, node: ast.expr, frame: Frame) -> Value:
        """Return the decorator; of a call of a library's function, that function."""
        if isinstance(node, ast.Call):
            callee = self.evaluate(node.func, frame)
            if isinstance(callee, Lib | Method | Unknown):
                return callee
        return self.evaluate(node, frame)

    def _class(self, node: ast.ClassDef, frame: Frame) -> Done:
        self.state.write(self.home(node.name, frame), node.name, Held(self.define(node, frame)))
        return None

    def define(self, node: ast.ClassDef, frame: Frame) -> Value:
        """Return the class that a statement defines."""
        raise NotImplementedError

    def _import(self, node: ast.Import | ast.ImportFrom, frame: Frame) -> Done:
        self.import_names(node, frame)
        return None

    def imported(self, name: str, node: ast.AST, frame: Frame) -> Value:
        """Return the module `name`."""
        raise NotImplementedError

    def import_names(self, node: ast.Import | ast.ImportFrom, frame: Frame) -> None:
        """Bind imported names."""
        raise NotImplementedError


_RUNNERS: Mapping[type[ast.stmt], Callable[[Execution, Any, Frame], Done]] = {
    ast.Expr: Execution._expression,
    ast.Assign: Execution._assign,
    ast.AnnAssign: Execution._annotated,
    ast.AugAssign: Execution._augmented,
    ast.Delete: Execution._delete,
    ast.Global: Execution._global,
    ast.Nonlocal: Execution._global,
    ast.If: Execution._if,
    ast.Match: Execution._match,
    ast.For: Execution._for,
    ast.AsyncFor: Execution._for,
    ast.While: Execution._while,
    ast.Try: Execution._try,
    ast.With: Execution._with,
    ast.AsyncWith: Execution._with,
    ast.Return: Execution._return,
    ast.Raise: Execution._raise,
    ast.Assert: Execution._assert,
    ast.Break: lambda run, node, frame: Jump("break"),
    ast.Continue: lambda run, node, frame: Jump("continue"),
    ast.FunctionDef: Execution._function,
    ast.AsyncFunctionDef: Execution._function,
    ast.ClassDef: Execution._class,
    ast.Import: Execution._import,
    ast.ImportFrom: Execution._import,
}
if hasattr(ast, "TryStar"):
    _RUNNERS = {**_RUNNERS, ast.TryStar: Execution._try}
