"""Runs statements in their order. The arms of a branch on an unknown condition run on a state each, and are joined."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from typing import Any

from vcompat.sources.plan.python.calls import NORMAL, Calls, Outcomes
from vcompat.sources.plan.python.core import MOST_PASSES, Jump, Stopped
from vcompat.sources.plan.python.state import Diff
from vcompat.sources.plan.python.values import (
    AT_RUN_TIME,
    ITEMS,
    NONE,
    ON_CONDITION,
    Bound,
    Const,
    Either,
    Frame,
    Function,
    Held,
    Items,
    Lib,
    Method,
    Mutable,
    Obj,
    Seq,
    Table,
    Unknown,
    Value,
    join,
    join_held,
    truth,
)

Done = Jump | Outcomes | None
"""How a block ended: at its last statement, by a jump, or in one of several ways with the writes of each."""

_IN_LOOP = "changed in a loop"


class Execution(Calls):
    """Runs statements."""

    def block(self, statements: list[ast.stmt], frame: Frame) -> Done:
        """Run statements."""
        return self.sequence([_bound(self.statement, node, frame) for node in statements])

    def sequence(self, steps: list[Callable[[], Done]]) -> Done:
        """Run `steps` one after the other, each only in the cases in which the ones before it end normally."""
        for index, step in enumerate(steps):
            done = step()
            if isinstance(done, dict):
                return self._go_on(done, steps[index + 1 :])
            if done is not None:
                return done
        return None

    def _go_on(self, outcomes: Outcomes, rest: list[Callable[[], Done]]) -> Done:
        """Run `rest` in the case in which a step ended normally, and add how the others ended."""
        others = {kind: end for kind, end in outcomes.items() if kind != NORMAL}
        if NORMAL not in outcomes:
            return self.settle(others)
        _, before = outcomes[NORMAL]
        self.uncertain.append(ON_CONDITION)
        with self.state.arm() as diff:
            self.state.apply(before)
            done = self.sequence(rest)
        self.uncertain.pop()
        self.add(others, done, diff)
        return self.settle(others)

    def add(self, outcomes: Outcomes, done: Done, diff: Diff) -> None:
        """Add how an arm ended that wrote `diff`."""
        if isinstance(done, dict):
            for kind, (value, more) in done.items():
                # `more` is relative to the state after `diff`.
                self._add_one(outcomes, kind, value, diff.then(more))
        elif done is None:
            self._add_one(outcomes, NORMAL, NONE, diff)
        else:
            self._add_one(outcomes, done.kind, done.value, diff)

    def _add_one(self, outcomes: Outcomes, kind: str, value: Value, diff: Diff) -> None:
        known = outcomes.get(kind)
        if known is not None:
            value, diff = join(known[0], value), self.join_diffs(known[1], diff)
        outcomes[kind] = (value, diff)

    def settle(self, outcomes: Outcomes) -> Done:
        """Apply the writes if there is one way to end. A run that ends here is of no interest if another goes on."""
        going_on = {kind: end for kind, end in outcomes.items() if kind not in ("raise", "exit")}
        if going_on and len(going_on) < len(outcomes):
            if "raise" in outcomes:
                self.raises()
            outcomes = going_on
        if len(outcomes) > 1 and not going_on:
            outcomes = {"raise": outcomes["raise"]} if "raise" in outcomes else outcomes
        if len(outcomes) != 1:
            return outcomes
        ((kind, (value, diff)),) = outcomes.items()
        self.state.apply(diff)
        return None if kind == NORMAL else Jump(kind, value)

    def branch(self, arms: list[Callable[[], Done]], why: str = ON_CONDITION) -> Done:
        """Run the arms of a branch, of which one runs."""
        outcomes: Outcomes = {}
        self.uncertain.append(why)
        for arm in arms:
            with self.state.arm() as diff:
                done = self._caught(arm)
            self.add(outcomes, done, diff)
        self.uncertain.pop()
        return self.settle(outcomes)

    @staticmethod
    def _caught(run: Callable[[], Done]) -> Done:
        try:
            return run()
        except Stopped as stopped:
            return stopped.jump

    # One statement

    def statement(self, node: ast.stmt, frame: Frame) -> Done:
        """Run a statement."""
        self.step()
        runner = _RUNNERS.get(type(node))
        if runner is None:
            return None
        try:
            return runner(self, node, frame)
        except Stopped as stopped:
            return stopped.jump

    def _expression(self, node: ast.Expr, frame: Frame) -> Done:
        self.evaluate(node.value, frame)
        return None

    def _assign(self, node: ast.Assign, frame: Frame) -> Done:
        held = Held(self.evaluate(node.value, frame), self.place(node.value, frame))
        for target in node.targets:
            self.assign(target, held, frame)
        return None

    def _annotated(self, node: ast.AnnAssign, frame: Frame) -> Done:
        if node.value is not None:
            held = Held(self.evaluate(node.value, frame), self.place(node.value, frame))
            self.assign(node.target, held, frame)
        return None

    def _augmented(self, node: ast.AugAssign, frame: Frame) -> Done:
        target = _loaded(node.target)
        left = self.evaluate(target, frame)
        right = self.evaluate(node.value, frame)
        if isinstance(node.op, ast.BitOr) and isinstance(left, Table):
            self.merge(left, right)
            return None
        if isinstance(node.op, ast.Add) and isinstance(left, Seq) and left.kind == "list":
            self.extend(left, self.iterate(right))
            return None
        if isinstance(left, Either) or (isinstance(left, Mutable) and not isinstance(left, Seq)):
            self.open(left, AT_RUN_TIME)
        value = self.binary(type(node.op), left, right)
        if isinstance(left, Seq) and left.kind != "tuple":
            items = value.items if isinstance(value, Seq) else None
            self.state.write(left, ITEMS, Held(Items(items) if items is not None else Unknown()))
            return None
        self.assign(node.target, Held(value, self.place(node.value, frame)), frame)
        return None

    def extend(self, sequence: Seq, held: tuple[Held, ...] | None) -> None:
        """Append items to a list; None: unknown ones."""
        raise NotImplementedError

    def assign(self, target: ast.expr, held: Held, frame: Frame) -> None:
        """Assign to a name, an attribute, an item, or to several by unpacking."""
        if isinstance(target, ast.Name):
            self.state.write(self.home(target.id, frame), target.id, held._replace(optional=False))
        elif isinstance(target, ast.Attribute):
            self.set_attribute(self.evaluate(target.value, frame), target.attr, held)
        elif isinstance(target, ast.Subscript):
            self._assign_item(target, held, frame)
        elif isinstance(target, ast.Starred):
            self.assign(target.value, held, frame)
        elif isinstance(target, ast.Tuple | ast.List):
            self._assign_all(target.elts, held.value, frame)

    def _assign_item(self, target: ast.Subscript, held: Held | None, frame: Frame) -> None:
        container = self.evaluate(target.value, frame)
        if isinstance(target.slice, ast.Slice):
            self.open(container, AT_RUN_TIME)
        else:
            self.set_item(container, self.evaluate(target.slice, frame), held)

    def _assign_all(self, targets: list[ast.expr], value: Value, frame: Frame) -> None:
        if isinstance(value, Either):
            parts = [self.iterate(part) for part in value.values]
            columns = [list(column) for column in zip(*(p for p in parts if p is not None), strict=False)]
            fits = all(p is not None and len(p) == len(targets) for p in parts)
            items = [_all_joined(column) for column in columns] if fits else None
        else:
            found = self.iterate(value)
            items = list(found) if found is not None else None
        starred = next((i for i, t in enumerate(targets) if isinstance(t, ast.Starred)), None)
        if items is not None and starred is not None and len(items) >= len(targets) - 1:
            after = len(targets) - starred - 1
            middle = items[starred : len(items) - after]
            items = [*items[:starred], Held(Seq("list", middle)), *items[len(items) - after :]]
        if items is None or len(items) != len(targets):
            self.raises()
            why = value.why if isinstance(value, Unknown) else AT_RUN_TIME
            items = [Held(Unknown(why))] * len(targets)
        for index, target in enumerate(targets):
            self.assign(target, items[index], frame)

    def _delete(self, node: ast.Delete, frame: Frame) -> Done:
        for target in node.targets:
            if isinstance(target, ast.Name):
                self.state.write(self.home(target.id, frame), target.id, None)
            elif isinstance(target, ast.Attribute):
                value = self.evaluate(target.value, frame)
                if isinstance(value, Mutable):
                    self.state.write(value, target.attr, None)
            elif isinstance(target, ast.Subscript):
                self._assign_item(target, None, frame)
        return None

    def _global(self, node: ast.Global | ast.Nonlocal, frame: Frame) -> Done:
        for name in node.names:
            frame.elsewhere[name] = "global" if isinstance(node, ast.Global) else "nonlocal"
        return None

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
                this = _bound(self.block, case.body, frame)
                return self.branch([this, _bound(self._cases, subject, cases[index + 1 :], frame)])
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
            passes = [_bound(self._pass, node, item, frame) for item in items]
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
        caught = ["an exception before it is caught"] if node.handlers else []
        self.uncertain += caught
        with self.state.arm() as diff:
            done = self._caught(lambda: self.block(node.body, frame))
        del self.uncertain[len(self.uncertain) - len(caught) :]
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

    def _handlers(self, node: ast.Try, diff: Diff, outcomes: Outcomes, certain: bool, frame: Frame) -> None:
        """Run each handler, on what the body may have left when it raised."""
        if not certain:
            self.uncertain.append("runs after an exception")
        for handler in node.handlers:
            with self.state.arm() as more:
                self.state.apply(diff)
                if handler.name:
                    self.state.write(frame, handler.name, Held(Unknown()))
                done = self._caught(_bound(self.block, handler.body, frame))
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
        leaving = [_bound(self._left, leave) for leave in reversed(exits)]
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

    def open_all(self, why: str) -> None:
        """Make everything unknown that the script has set so far."""
        raise NotImplementedError

    def import_names(self, node: ast.Import | ast.ImportFrom, frame: Frame) -> None:
        """Bind imported names."""
        raise NotImplementedError


def _suppresses(node: ast.expr) -> bool:
    names = ("suppress", "raises", "assertRaises", "assertRaisesRegex")
    return isinstance(node, ast.Call) and ast.unparse(node.func).rpartition(".")[2] in names


def _catches_all(node: ast.Try) -> bool:
    return any(
        handler.type is None
        or (isinstance(handler.type, ast.Name) and handler.type.id in ("Exception", "BaseException"))
        for handler in node.handlers
    )


def _bound(run: Callable[..., Done], *arguments: object) -> Callable[[], Done]:
    return lambda: run(*arguments)


def _loaded(target: ast.expr) -> ast.expr:
    """Return the expression that reads what `target` assigns to."""
    if isinstance(target, ast.Name):
        return ast.copy_location(ast.Name(target.id, ast.Load()), target)
    return target


def _all_joined(column: list[Held]) -> Held:
    result = column[0]
    for held in column[1:]:
        result = join_held(result, held) or held
    return result


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
