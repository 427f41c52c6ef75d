"""Statements that decide what runs: branches, loops, exceptions and contexts."""

from __future__ import annotations

import ast
from collections.abc import Callable

from vcompat.facts.presumption import EXCEPTION
from vcompat.sources.reading.python.running.assignments import Assignments
from vcompat.sources.reading.python.running.calls import NORMAL, Outcomes
from vcompat.sources.reading.python.running.flow import Done, bound
from vcompat.sources.reading.python.values.core import MOST_PASSES, Jump
from vcompat.sources.reading.python.values.state import Diff
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

_IN_LOOP = "changed in a loop"


class Control(Assignments):
    """Runs statements that decide what runs."""

    # Branches

    def _if(self, node: ast.If, frame: Frame) -> Done:
        known = truth(self.evaluate(node.test, frame))
        if known is not None:
            return self.block(node.body if known else node.orelse, frame)
        return self.branch([lambda: self.block(node.body, frame), lambda: self.block(node.orelse, frame)])

    def _match(self, node: ast.Match, frame: Frame) -> Done:
        return self._cases(self.evaluate(node.subject, frame), node.cases, frame)

    def _cases(self, subject: Value, cases: list[ast.match_case], frame: Frame) -> Done:
        for index, case in enumerate(cases):
            known = self._matches(subject, case.pattern, frame)
            if known is not False and case.guard is not None:
                guard = truth(self.evaluate(case.guard, frame))
                known = False if guard is False else known if guard else None
            if known is None:
                this = bound(self.block, case.body, frame)
                return self.branch([this, bound(self._cases, subject, cases[index + 1 :], frame)])
            if known:
                return self.block(case.body, frame)
        return None

    def _matches(self, subject: Value, pattern: ast.pattern, frame: Frame) -> bool | None:
        """Bind the names of a pattern. Return whether it matches; None if that is not known."""
        if isinstance(pattern, ast.MatchValue):
            compared = self._compared(ast.Eq, subject, self.evaluate(pattern.value, frame))
            return truth(compared)
        if isinstance(pattern, ast.MatchSingleton):
            return truth(self._compared(ast.Is, subject, Const(pattern.value)))
        if isinstance(pattern, ast.MatchAs):
            known = True if pattern.pattern is None else self._matches(subject, pattern.pattern, frame)
            if pattern.name is not None and known is not False:
                home = self.home(pattern.name, frame)
                held = Held(subject) if known else join_held(home.cells.get(pattern.name), Held(subject))
                self.state.write(home, pattern.name, held)
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
                self.state.write(self.home(name, frame), name, Held(Unknown()))
        return None

    # Loops

    def _for(self, node: ast.For | ast.AsyncFor, frame: Frame) -> Done:
        items = self.iterate(self.evaluate(node.iter, frame))
        if items is not None and len(items) <= MOST_PASSES and not any(item.optional for item in items):
            passes = [bound(self._pass, node, item, frame) for item in items]
            return self._after_loop(self.sequence(passes), node.orelse, frame)
        return self._unknown_loop(lambda: self._pass(node, Held(Unknown()), frame), node.orelse, frame)

    def _pass(self, node: ast.For | ast.AsyncFor, item: Held, frame: Frame) -> Done:
        self.assign(node.target, item, frame)
        return self._went_on(self.block(node.body, frame))

    def _while(self, node: ast.While, frame: Frame) -> Done:
        return self._after_loop(self._while_passes(node, frame, MOST_PASSES), node.orelse, frame)

    def _while_passes(self, node: ast.While, frame: Frame, left: int) -> Done:
        known = truth(self.evaluate(node.test, frame))
        if known is False:
            return None
        if known is None or left == 0:
            return self._unknown_loop(lambda: self._while_pass(node, frame), [], frame)
        done = self._went_on(self.block(node.body, frame))
        if done is None:
            return self._while_passes(node, frame, left - 1)
        if isinstance(done, dict):
            return self._go_on(done, [lambda: self._while_passes(node, frame, 0)])
        return done

    def _while_pass(self, node: ast.While, frame: Frame) -> Done:
        self.evaluate(node.test, frame)
        return self._went_on(self.block(node.body, frame))

    def _went_on(self, done: Done) -> Done:
        """Return how a pass ended: ``continue`` ends it as its last statement does."""
        if isinstance(done, dict) and "continue" in done:
            outcomes: Outcomes = {kind: end for kind, end in done.items() if kind != "continue"}
            self._add_one(outcomes, NORMAL, NONE, done["continue"][1])
            return self.settle(outcomes)
        return None if isinstance(done, Jump) and done.kind == "continue" else done

    def _after_loop(self, done: Done, orelse: list[ast.stmt], frame: Frame) -> Done:
        if done is None:
            return self.block(orelse, frame)
        if isinstance(done, Jump):
            return None if done.kind == "break" else done
        outcomes: Outcomes = {}
        for kind, (value, diff) in done.items():
            with self.state.arm() as more:
                self.state.apply(diff)
                end: Done = None if kind in ("break", NORMAL) else Jump(kind, value)
                if kind == NORMAL:
                    end = self._caught(lambda: self.block(orelse, frame))
            self.add(outcomes, end, more)
        return self.settle(outcomes)

    def _unknown_loop(self, once: Callable[[], Done], orelse: list[ast.stmt], frame: Frame) -> Done:
        """Run a loop whose number of passes is not known: once, on what any number of passes can have left."""
        written = Diff()
        count, called = len(self.events), dict(self.perhaps_called)
        new = True
        while new:
            # Each pass is tried as the first one.
            self.perhaps_called = dict(called)
            with self.state.arm() as diff:
                self.state.open_cells(written, _IN_LOOP)
                self._caught(once)
            del self.events[count:]
            new = any(location not in written and not diff.made(location) for location in diff)
            for location in diff:
                written.setdefault(location, diff[location])
        self.perhaps_called = dict(called)
        done = self.branch([lambda: None, lambda: self._last_pass(once, written)], _IN_LOOP)
        return self._after_loop(done, orelse, frame) if done is not None else self.block(orelse, frame)

    def _last_pass(self, once: Callable[[], Done], written: Diff) -> Done:
        self.state.open_cells(written, _IN_LOOP)
        return self._caught(once)

    # Exceptions, contexts

    def _try(self, node: ast.Try, frame: Frame) -> Done:
        before, self.may_raise = self.may_raise, False
        self.presumed_not_to_raise = False
        caught = ["an exception before it is caught"] if node.handlers else []
        self.uncertain += caught
        with self.state.arm() as diff:
            done = self._caught(lambda: self.block(node.body, frame))
        del self.uncertain[len(self.uncertain) - len(caught) :]
        if self.presuming and node.handlers and self.presumed_not_to_raise:
            self._presume_no_exception(node, diff, frame)
        anywhere = self.may_raise
        raised = anywhere or (isinstance(done, Jump) and done.kind == "raise")
        self.may_raise = before or (raised and not _catches_all(node))
        outcomes: Outcomes = {}
        self.add(outcomes, done, diff)
        stopped = outcomes.pop("raise", None)
        if NORMAL in outcomes and node.orelse:
            _, normal = outcomes.pop(NORMAL)
            with self.state.arm() as more:
                self.state.apply(normal)
                done = self._caught(lambda: self.block(node.orelse, frame))
            self.add(outcomes, done, more)
        if node.handlers and raised:
            everything = diff if stopped is None else stopped[1]
            for _, more in outcomes.values():
                everything = self.join_diffs(everything, more)
            left = self.state.interrupted(everything) if outcomes or anywhere else everything
            self._handlers(node, left, outcomes, not outcomes, frame)
        elif stopped is not None:
            self._add_one(outcomes, "raise", stopped[0], stopped[1])
        return self._finally(self.settle(outcomes), lambda: self.block(node.finalbody, frame))

    def _presume_no_exception(self, node: ast.Try, diff: Diff, frame: Frame) -> None:
        """Presume that a block runs to its end, for what it writes."""
        written = [write.owner for write in diff.values() if not isinstance(write.owner, Frame)]
        bound_ = [write.held.value for write in diff.values() if isinstance(write.owner, Frame) and write.held]
        about = [value for value in (*written, *bound_) if isinstance(value, Mutable) and not isinstance(value, Frame)]
        if about:
            self.presume(EXCEPTION, "the block runs without an exception", self.place(node, frame), about)

    def _handlers(self, node: ast.Try, diff: Diff, outcomes: Outcomes, certain: bool, frame: Frame) -> None:
        """Run each handler, on what the body may have left when it raised."""
        if not certain:
            self.uncertain.append("runs after an exception")
        for handler in node.handlers:
            with self.state.arm() as more:
                self.state.apply(diff)
                if handler.name:
                    self.state.write(frame, handler.name, Held(Unknown()))
                done = self._caught(bound(self.block, handler.body, frame))
            self.add(outcomes, done, more)
        if not certain:
            self.uncertain.pop()

    def _finally(self, done: Done, run: Callable[[], Done]) -> Done:
        """Run what comes last in any case, after a block that ended with `done`."""
        if not isinstance(done, dict):
            last = run()
            return done if last is None else last
        outcomes: Outcomes = {}
        for kind, (value, diff) in done.items():
            with self.state.arm() as more:
                self.state.apply(diff)
                last = self._caught(run)
            self.add(outcomes, last if last is not None or kind == NORMAL else Jump(kind, value), more)
        return self.settle(outcomes)

    def _with(self, node: ast.With | ast.AsyncWith, frame: Frame) -> Done:
        guarded = ast.Try(node.body, [ast.ExceptHandler(None, None, [])], [], [])
        if any(_suppresses(item.context_expr) for item in node.items):
            return self._try(guarded, frame)
        exits: list[Value] = []
        for item in node.items:
            manager = self.evaluate(item.context_expr, frame)
            value = self.entered(manager)
            if item.optional_vars is not None:
                self.assign(item.optional_vars, Held(value), frame)
            leave = self.attribute(manager, "__exit__") if isinstance(manager, Obj) else None
            exits += [leave] if isinstance(leave, Bound) else []
        if not exits:
            return self.block(node.body, frame)
        # A class of the script can catch exceptions in its `__exit__`, which runs after the block.
        leaving = [bound(self._left, leave) for leave in reversed(exits)]
        return self._finally(self._try(guarded, frame), lambda: self.sequence(leaving))

    def _left(self, leave: Value) -> Done:
        none = Held(NONE)
        self.call(leave, self.implicit(none, none, none))
        return None

    def entered(self, value: Value) -> Value:
        """Return what ``with value as name`` binds."""
        raise NotImplementedError

    def _return(self, node: ast.Return, frame: Frame) -> Done:
        return Jump("return", self.evaluate(node.value, frame) if node.value else NONE)

    def _raise(self, node: ast.Raise, frame: Frame) -> Done:
        if node.exc is not None:
            self.evaluate(node.exc, frame)
            named = node.exc.func if isinstance(node.exc, ast.Call) else node.exc
            if ast.unparse(named).endswith("SystemExit"):
                return Jump("exit")
        return Jump("raise")

    def _assert(self, node: ast.Assert, frame: Frame) -> Done:
        known = truth(self.evaluate(node.test, frame))
        if known is None:
            self.raises()
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
