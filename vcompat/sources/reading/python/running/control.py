"""Statements that decide what runs: branches, loops, exceptions and contexts."""

from __future__ import annotations

import ast
from collections.abc import Callable

from vcompat.facts.presumption import EXCEPTION
from vcompat.sources.reading.python.running.flow import bound
from vcompat.sources.reading.python.values.core import MOST_PASSES, NORMAL, Done, Jump, Outcomes
from vcompat.sources.reading.python.values.interpreter_part import Part
from vcompat.sources.reading.python.values.values import (
    NONE,
    Bound,
    Const,
    Frame,
    Held,
    Mutable,
    Obj,
    Unknown,
    Value,
    join_held,
    truth,
)
from vcompat.sources.reading.python.values.writes import Diff

_IN_LOOP = "changed in a loop"


class Control(Part):
    """Runs statements that decide what runs."""

    # Branches

    def if_statement(self, node: ast.If, frame: Frame) -> Done:
        """Run `if`."""
        known = truth(self.run.expressions.evaluate(node.test, frame))
        if known is not None:
            return self.run.flow.block(node.body if known else node.orelse, frame)
        return self.run.flow.branch(
            [lambda: self.run.flow.block(node.body, frame), lambda: self.run.flow.block(node.orelse, frame)]
        )

    def match_statement(self, node: ast.Match, frame: Frame) -> Done:
        """Run `match`."""
        return self._cases(self.run.expressions.evaluate(node.subject, frame), node.cases, frame)

    def _cases(self, subject: Value, cases: list[ast.match_case], frame: Frame) -> Done:
        for index, case in enumerate(cases):
            known = self._matches(subject, case.pattern, frame)
            if known is not False and case.guard is not None:
                guard = truth(self.run.expressions.evaluate(case.guard, frame))
                known = False if guard is False else known if guard else None
            if known is None:
                this = bound(self.run.flow.block, case.body, frame)
                return self.run.flow.branch([this, bound(self._cases, subject, cases[index + 1 :], frame)])
            if known:
                return self.run.flow.block(case.body, frame)
        return None

    def _matches(self, subject: Value, pattern: ast.pattern, frame: Frame) -> bool | None:
        """Bind the names of a pattern. Return whether it matches; None if that is not known."""
        if isinstance(pattern, ast.MatchValue):
            compared = self.run.operations.compared(
                ast.Eq, subject, self.run.expressions.evaluate(pattern.value, frame)
            )
            return truth(compared)
        if isinstance(pattern, ast.MatchSingleton):
            return truth(self.run.operations.compared(ast.Is, subject, Const(pattern.value)))
        if isinstance(pattern, ast.MatchAs):
            known = True if pattern.pattern is None else self._matches(subject, pattern.pattern, frame)
            if pattern.name is not None and known is not False:
                home = self.run.expressions.home(pattern.name, frame)
                held = Held(subject) if known else join_held(home.cells.get(pattern.name), Held(subject))
                self.run.state.write(home, pattern.name, held)
            return known
        if isinstance(pattern, ast.MatchOr):
            result: bool | None = False
            for one in pattern.patterns:
                known = self._matches(subject, one, frame)
                if known:
                    return True
                result = None if known is None else result
            return result
        for part in ast.walk(pattern):
            name = getattr(part, "name", None) or getattr(part, "rest", None)
            if isinstance(name, str):
                self.run.state.write(self.run.expressions.home(name, frame), name, Held(Unknown()))
        return None

    # Loops

    def for_statement(self, node: ast.For | ast.AsyncFor, frame: Frame) -> Done:
        """Run a loop over items."""
        items = self.run.objects.iterate(self.run.expressions.evaluate(node.iter, frame))
        if items is not None and len(items) <= MOST_PASSES and not any(item.optional for item in items):
            passes = [bound(self._pass, node, item, frame) for item in items]
            return self._after_loop(self.run.flow.sequence(passes), node.orelse, frame)
        return self._unknown_loop(lambda: self._pass(node, Held(Unknown()), frame), node.orelse, frame)

    def _pass(self, node: ast.For | ast.AsyncFor, item: Held, frame: Frame) -> Done:
        self.run.assignments.assign(node.target, item, frame)
        return self._went_on(self.run.flow.block(node.body, frame))

    def while_statement(self, node: ast.While, frame: Frame) -> Done:
        """Run `while`."""
        return self._after_loop(self._while_passes(node, frame, MOST_PASSES), node.orelse, frame)

    def _while_passes(self, node: ast.While, frame: Frame, left: int) -> Done:
        known = truth(self.run.expressions.evaluate(node.test, frame))
        if known is False:
            return None
        if known is None or left == 0:
            return self._unknown_loop(lambda: self._while_pass(node, frame), [], frame)
        done = self._went_on(self.run.flow.block(node.body, frame))
        if done is None:
            return self._while_passes(node, frame, left - 1)
        if isinstance(done, dict):
            return self.run.flow.go_on(done, [lambda: self._while_passes(node, frame, 0)])
        return done

    def _while_pass(self, node: ast.While, frame: Frame) -> Done:
        self.run.expressions.evaluate(node.test, frame)
        return self._went_on(self.run.flow.block(node.body, frame))

    def _went_on(self, done: Done) -> Done:
        """Return how a pass ended: ``continue`` ends it as its last statement does."""
        if isinstance(done, dict) and "continue" in done:
            outcomes: Outcomes = {kind: end for kind, end in done.items() if kind != "continue"}
            self.run.flow.add_one(outcomes, NORMAL, NONE, done["continue"][1])
            return self.run.flow.settle(outcomes)
        return None if isinstance(done, Jump) and done.kind == "continue" else done

    def _after_loop(self, done: Done, orelse: list[ast.stmt], frame: Frame) -> Done:
        if done is None:
            return self.run.flow.block(orelse, frame)
        if isinstance(done, Jump):
            return None if done.kind == "break" else done
        outcomes: Outcomes = {}
        for kind, (value, diff) in done.items():
            with self.run.state.arm() as more:
                self.run.state.apply(diff)
                end: Done = None if kind in ("break", NORMAL) else Jump(kind, value)
                if kind == NORMAL:
                    end = self.run.flow.caught(lambda: self.run.flow.block(orelse, frame))
            self.run.flow.add(outcomes, end, more)
        return self.run.flow.settle(outcomes)

    def _unknown_loop(self, once: Callable[[], Done], orelse: list[ast.stmt], frame: Frame) -> Done:
        """Run a loop whose number of passes is not known: once, on what any number of passes can have left."""
        written = Diff()
        count, called = len(self.run.events), dict(self.run.perhaps_called)
        new = True
        while new:
            # Each pass is tried as the first one.
            self.run.perhaps_called = dict(called)
            with self.run.state.arm() as diff:
                self.run.state.open_cells(written, _IN_LOOP)
                self.run.flow.caught(once)
            del self.run.events[count:]
            new = any(location not in written and not diff.made(location) for location in diff)
            for location in diff:
                written.setdefault(location, diff[location])
        self.run.perhaps_called = dict(called)
        done = self.run.flow.branch([lambda: None, lambda: self._last_pass(once, written)], _IN_LOOP)
        return self._after_loop(done, orelse, frame) if done is not None else self.run.flow.block(orelse, frame)

    def _last_pass(self, once: Callable[[], Done], written: Diff) -> Done:
        self.run.state.open_cells(written, _IN_LOOP)
        return self.run.flow.caught(once)

    # Exceptions, contexts

    def try_statement(self, node: ast.Try, frame: Frame) -> Done:
        """Run `try`."""
        before = self.run.may_raise
        done, diff = self._tried(node, frame)
        anywhere = self.run.may_raise
        raised = anywhere or (isinstance(done, Jump) and done.kind == "raise")
        self.run.may_raise = before or (raised and not _catches_all(node))
        outcomes: Outcomes = {}
        self.run.flow.add(outcomes, done, diff)
        stopped = outcomes.pop("raise", None)
        if NORMAL in outcomes and node.orelse:
            _, normal = outcomes.pop(NORMAL)
            with self.run.state.arm() as more:
                self.run.state.apply(normal)
                done = self.run.flow.caught(lambda: self.run.flow.block(node.orelse, frame))
            self.run.flow.add(outcomes, done, more)
        if node.handlers and raised:
            everything = diff if stopped is None else stopped[1]
            for _, more in outcomes.values():
                everything = self.run.state.join(everything, more)
            left = self.run.state.interrupted(everything) if outcomes or anywhere else everything
            self._handlers(node, left, outcomes, not outcomes, frame)
        elif stopped is not None:
            self.run.flow.add_one(outcomes, "raise", stopped[0], stopped[1])
        return self._finally(self.run.flow.settle(outcomes), lambda: self.run.flow.block(node.finalbody, frame))

    def _tried(self, node: ast.Try, frame: Frame) -> tuple[Done, Diff]:
        """Run the body of a `try`, and return what it writes. Note whether it can raise."""
        self.run.may_raise = self.run.presumed_not_to_raise = False
        caught = ["an exception before it is caught"] if node.handlers else []
        self.run.uncertain += caught
        with self.run.state.arm() as diff:
            done = self.run.flow.caught(lambda: self.run.flow.block(node.body, frame))
        del self.run.uncertain[len(self.run.uncertain) - len(caught) :]
        if self.run.presuming and node.handlers and self.run.presumed_not_to_raise:
            self._presume_no_exception(node, diff, frame)
        return done, diff

    def _presume_no_exception(self, node: ast.Try, diff: Diff, frame: Frame) -> None:
        """Presume that a block runs to its end, for what it writes."""
        written = [write.owner for write in diff.values() if not isinstance(write.owner, Frame)]
        bound_ = [write.held.value for write in diff.values() if isinstance(write.owner, Frame) and write.held]
        about = [value for value in (*written, *bound_) if isinstance(value, Mutable) and not isinstance(value, Frame)]
        if about:
            self.run.presume(EXCEPTION, "the block runs without an exception", self.run.place(node, frame), about)

    def _handlers(self, node: ast.Try, diff: Diff, outcomes: Outcomes, certain: bool, frame: Frame) -> None:
        """Run each handler, on what the body may have left when it raised."""
        if not certain:
            self.run.uncertain.append("runs after an exception")
        for handler in node.handlers:
            with self.run.state.arm() as more:
                self.run.state.apply(diff)
                if handler.name:
                    self.run.state.write(frame, handler.name, Held(Unknown()))
                done = self.run.flow.caught(bound(self.run.flow.block, handler.body, frame))
            self.run.flow.add(outcomes, done, more)
        if not certain:
            self.run.uncertain.pop()

    def _finally(self, done: Done, run: Callable[[], Done]) -> Done:
        """Run what comes last in any case, after a block that ended with `done`."""
        if not isinstance(done, dict):
            last = run()
            return done if last is None else last
        outcomes: Outcomes = {}
        for kind, (value, diff) in done.items():
            with self.run.state.arm() as more:
                self.run.state.apply(diff)
                last = self.run.flow.caught(run)
            self.run.flow.add(outcomes, last if last is not None or kind == NORMAL else Jump(kind, value), more)
        return self.run.flow.settle(outcomes)

    def with_statement(self, node: ast.With | ast.AsyncWith, frame: Frame) -> Done:
        """Run `with`."""
        guarded = ast.Try(node.body, [ast.ExceptHandler(None, None, [])], [], [])
        if any(_suppresses(item.context_expr) for item in node.items):
            return self.try_statement(guarded, frame)
        exits: list[Value] = []
        for item in node.items:
            manager = self.run.expressions.evaluate(item.context_expr, frame)
            value = self.run.models.entered(manager)
            if item.optional_vars is not None:
                self.run.assignments.assign(item.optional_vars, Held(value), frame)
            leave = self.run.objects.attribute(manager, "__exit__") if isinstance(manager, Obj) else None
            exits += [leave] if isinstance(leave, Bound) else []
        if not exits:
            return self.run.flow.block(node.body, frame)
        # A class of the script can catch exceptions in its `__exit__`, which runs after the block.
        leaving = [bound(self._left, leave) for leave in reversed(exits)]
        return self._finally(self.try_statement(guarded, frame), lambda: self.run.flow.sequence(leaving))

    def _left(self, leave: Value) -> Done:
        none = Held(NONE)
        self.run.calls.call(leave, self.run.implicit(none, none, none))
        return None

    def return_statement(self, node: ast.Return, frame: Frame) -> Done:
        """Run `return`."""
        return Jump("return", self.run.expressions.evaluate(node.value, frame) if node.value else NONE)

    def raise_statement(self, node: ast.Raise, frame: Frame) -> Done:
        """Run `raise`."""
        if node.exc is not None:
            self.run.expressions.evaluate(node.exc, frame)
            named = node.exc.func if isinstance(node.exc, ast.Call) else node.exc
            if ast.unparse(named).endswith("SystemExit"):
                return Jump("exit")
        return Jump("raise")

    def assert_statement(self, node: ast.Assert, frame: Frame) -> Done:
        """Run `assert`."""
        known = truth(self.run.expressions.evaluate(node.test, frame))
        if known is None:
            self.run.raises()
        return Jump("raise") if known is False else None


def _suppresses(node: ast.expr) -> bool:
    names = ("suppress", "raises", "assertRaises", "assertRaisesRegex")
    return isinstance(node, ast.Call) and ast.unparse(node.func).rpartition(".")[2] in names


def _catches_all(node: ast.Try) -> bool:
    return any(
        handler.type is None
        or (isinstance(handler.type, ast.Name) and handler.type.id in ("Exception", "BaseException"))
        for handler in node.handlers
    )
