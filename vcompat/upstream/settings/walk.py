"""Follows a constructor from statement to statement, and collects the conditions under which it raises.

What is not followed (loops, exception handlers, other packages) makes unknown what it might change. A path that ends by
raising needs no condition afterwards: there, construction has failed already.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping
from typing import NamedTuple, Protocol

from vcompat.foundation.syntax.bindings import assigned_by, bound_by
from vcompat.foundation.syntax.function_parameters import parameters
from vcompat.foundation.syntax.terms import keywords
from vcompat.upstream.settings.code import Code, outside_functions
from vcompat.upstream.settings.constructor_state import Binding, Instance, State, Value, merged
from vcompat.upstream.settings.constructor_values import Values
from vcompat.upstream.settings.logic import Condition, all_of, is_false, is_true, names_in
from vcompat.upstream.settings.side_effects import Effects, Foreign, Method, Place, instance_of

_MAX_DEPTH = 8
#: Longer conditions are not recorded; nobody could read them.
_LONGEST = 500


class Frame:
    """A function that is being followed."""

    def __init__(self, module: str, owner: ast.ClassDef | None, function: ast.FunctionDef) -> None:
        self.module = module
        self.owner = owner
        self.function = function
        self.place = Place(module, function)
        self.returns: list[tuple[State, Binding]] = []
        self.returned_unseen = False


class Arguments(NamedTuple):
    """The arguments of a call."""

    positional: list[Binding]
    named: Mapping[str, Binding]


#: The state after a call (None if it always raises), and its value.
Outcome = tuple[State | None, Binding]


class Walk:
    """Follows the constructors of one class."""

    def __init__(self, code: Code, foreign: Foreign, constructors: Constructors | None = None) -> None:
        """`constructors` follows the construction of other objects; without it, they are not known."""
        self.code = code
        self.effects = Effects(code, foreign)
        self.values = Values(code)
        self.checks: dict[str, None] = {}
        self.unread = 0
        """The number of places that raise under a condition that is not expressed."""
        self.enforced: dict[str, list[object]] = {}
        """Values that settings are limited to by conversions to an enumeration."""
        self.before_bases: dict[str, str] | None = None
        self.reached_bases = False
        self._constructors = constructors
        self._depth = 0
        self._silent = 0
        self._watched: ast.ClassDef | None = None

    def watch(self, owner: ast.ClassDef) -> None:
        """Note what has changed when this class's constructor calls that of its bases; their checks are not ours."""
        self._watched = owner

    def follow(
        self, method: tuple[str, ast.ClassDef | None, ast.FunctionDef], names: Mapping[str, Binding], state: State
    ) -> Outcome:
        """Follow a function with these arguments."""
        module, owner, function = method
        frame = Frame(module, owner, function)
        inner = state.copy()
        inner.names = {**dict.fromkeys(name for part in ast.walk(function.args) for name in bound_by(part)), **names}
        base = len(state.conditions)
        self._depth += 1
        end = self._block(function.body, inner, frame)
        self._depth -= 1
        ends = [*([end] if end is not None else []), *(one for one, _ in frame.returns)]
        if not ends:
            return None, None
        values = [*([Value(ast.Constant(None))] if end is not None else []), *(value for _, value in frame.returns)]
        after = merged(ends, base) if len(ends) > 1 else ends[0]
        result = state.copy()
        result.attributes = after.attributes
        return result, values[0] if len(values) == 1 else None

    def follow_all(self, methods: Iterable[Method], instance: Instance, state: State | None) -> State | None:
        """Follow methods that get nothing but the object, one after the other; None if one always raises."""
        for method in methods:
            if state is not None:
                state, _ = self.follow(method, {method[2].args.args[0].arg: instance}, state)
        return state

    def _block(self, body: Iterable[ast.stmt], state: State | None, frame: Frame) -> State | None:
        for statement in body:
            if state is None:
                return None
            state = self._statement(statement, state, frame)
        return state

    def _statement(self, node: ast.stmt, state: State, frame: Frame) -> State | None:
        if isinstance(node, ast.If):
            return self._branch(node, state, frame)
        if isinstance(node, ast.Raise):
            self._raises(state.reached())
            return None
        if isinstance(node, ast.Assert):
            self._effects(node.test, state, frame)
            _, false = self.values.condition(node.test, state, frame.module)
            self._raises(all_of([state.reached(), false]))
            return state
        if isinstance(node, ast.Return):
            after, value = self._evaluated(node.value, state, frame) if node.value else (state, None)
            if after is not None:
                frame.returns.append((after, value))
            return None
        if isinstance(node, ast.Expr):
            return self._evaluated(node.value, state, frame)[0]
        if isinstance(node, ast.Assign | ast.AnnAssign):
            return self._assign(node, state, frame)
        if isinstance(node, ast.With) and "suppress" not in ast.unparse(node.items[0]):
            for item in node.items:
                self._unfollowed([item], state, frame)
            return self._block(node.body, state, frame)
        if not isinstance(node, ast.Pass | ast.Import | ast.ImportFrom):
            self._unfollowed([node], state, frame)
        return state

    def _branch(self, node: ast.If, state: State, frame: Frame) -> State | None:
        self._effects(node.test, state, frame)
        true, false = self.values.condition(node.test, state, frame.module)
        if any(isinstance(inner, ast.NamedExpr) for inner in ast.walk(node.test)):
            self.effects.of_code([node.test], state, frame.place)
        if is_true(true):
            return self._block(node.body, state, frame)
        if is_true(false):
            return self._block(node.orelse, state, frame)
        base, returned = len(state.conditions), (len(frame.returns), frame.returned_unseen)
        frame.returned_unseen = False
        ends = [
            self._block(node.body, state.copy(true, limited=True), frame),
            self._block(node.orelse, state.copy(false, limited=True), frame),
        ]
        gone = len(frame.returns) > returned[0] or frame.returned_unseen
        frame.returned_unseen = frame.returned_unseen or returned[1]
        alive = [end for end in ends if end is not None]
        if not alive:
            return None
        after = merged(alive, base) if len(alive) > 1 else alive[0].copy()
        if not gone:
            # Whoever is not here has raised.
            after.conditions = after.conditions[:base]
        return after

    def _assign(self, node: ast.Assign | ast.AnnAssign, state: State, frame: Frame) -> State | None:
        if node.value is None:
            return state
        self._note_conversion(node, state, frame)
        after, value = self._evaluated(node.value, state, frame)
        if after is None:
            return None
        for target in assigned_by(node):
            self._store(target, value, after, frame)
        return after

    def _store(self, target: ast.expr, value: Binding, state: State, frame: Frame) -> None:
        if isinstance(target, ast.Name):
            state.names[target.id] = value
            return
        if isinstance(target, ast.Attribute):
            owner = instance_of(target.value, state)
            if isinstance(owner, Instance):
                state.attributes[owner, target.attr] = value
                return
        self._unfollowed([target], state, frame)

    def _evaluated(self, node: ast.expr, state: State, frame: Frame) -> tuple[State | None, Binding]:
        """Evaluate an expression that is a statement or is assigned; a call in it is followed."""
        if isinstance(node, ast.Call):
            followed = self._call(node, state, frame)
            if followed is not None:
                return followed
        self._effects(node, state, frame)
        return state, self.values.value(node, state, frame.module)

    def _call(self, node: ast.Call, state: State, frame: Frame) -> Outcome | None:
        """Follow a call of a method, or of a constructor that is to be followed; None if it is neither."""
        if self._depth > _MAX_DEPTH:
            return None
        if not isinstance(node.func, ast.Attribute):
            return self._construct(node, state, frame)
        if isinstance(node.func.value, ast.Call) and ast.unparse(node.func.value.func) == "super":
            return self._super(node, node.func.attr, state, frame)
        receiver = instance_of(node.func.value, state)
        method = self.effects.method(receiver, node.func.attr) if isinstance(receiver, Instance) else None
        if method is None:
            return None
        given = self._arguments(node, state, frame)
        return self.follow(method, bound(method[2], Arguments([receiver, *given.positional], given.named)), state)

    def _super(self, node: ast.Call, name: str, state: State, frame: Frame) -> Outcome | None:
        first = frame.function.args.args[0].arg if frame.function.args.args else ""
        receiver = state.names.get(first)
        if not isinstance(receiver, Instance) or frame.owner is None:
            return None
        watched = frame.owner is self._watched and name == frame.function.name
        if watched and not self._silent:
            self.reached_bases = not state.conditions
            self.before_bases = state.changed(receiver)
        method = self.effects.method(receiver, name, after=frame.owner)
        if method is None:
            self._foreign_super(node, name, receiver, state)
            return state, None
        given = self._arguments(node, state, frame)
        self._silent += watched
        try:
            return self.follow(method, bound(method[2], Arguments([receiver, *given.positional], given.named)), state)
        finally:
            self._silent -= watched

    def _foreign_super(self, node: ast.Call, name: str, receiver: Instance, state: State) -> None:
        """A constructor of a base in another package."""
        if name in ("__init__", "__post_init__"):
            self.effects.construct_foreign_base(receiver, state)
        for keyword in node.keywords:
            settings = instance_of(keyword.value, state)
            if isinstance(settings, Instance):
                self.effects.pass_to_foreign_base(receiver, settings, state)
                state.attributes[receiver, keyword.arg or ""] = settings

    def _construct(self, node: ast.Call, state: State, frame: Frame) -> Outcome | None:
        owner = self.code.find_class(frame.module, node.func)
        if owner is None or self._constructors is None or not self._constructors.are_followed(owner[1].name):
            return None
        return self._constructors.construct(self, owner, self._arguments(node, state, frame), state)

    def _arguments(self, node: ast.Call, state: State, frame: Frame) -> Arguments:
        self._effects_of_arguments(node, state, frame)
        return Arguments(
            [self.values.value(argument, state, frame.module) for argument in node.args],
            {name: self.values.value(value, state, frame.module) for name, value in keywords(node).items()},
        )

    def _effects_of_arguments(self, node: ast.Call, state: State, frame: Frame) -> None:
        for argument in (*node.args, *(keyword.value for keyword in node.keywords)):
            self._effects(argument, state, frame)

    def _effects(self, node: ast.expr, state: State, frame: Frame) -> None:
        """Make unknown what the calls in an expression may change."""
        for inner in ast.walk(node):
            if isinstance(inner, ast.Call):
                self.effects.of_call(inner, state, frame.place)
            elif isinstance(inner, ast.Attribute):
                self.effects.of_code([inner], state, frame.place)

    def _unfollowed(self, nodes: Iterable[ast.AST], state: State, frame: Frame) -> None:
        """Code that is not followed: it may change things, return, or raise."""
        for node in nodes:
            self.effects.of_code([node], state, frame.place)
            is_function = isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
            inside = [] if is_function else list(outside_functions(node))
            if any(isinstance(inner, ast.Return) for inner in inside):
                state.conditions.append(None)
                frame.returned_unseen = True
            self.unread += sum(isinstance(inner, ast.Raise) for inner in inside) if not self._silent else 0

    def _note_conversion(self, node: ast.Assign | ast.AnnAssign, state: State, frame: Frame) -> None:
        """A conversion to an enumeration limits a setting, if all that is converted is the user's value."""
        if not isinstance(node.value, ast.Call) or len(node.value.args) != 1:
            return
        enumeration = self.code.enumeration(frame.module, node.value.func)
        value = self.values.value(node.value.args[0], state, frame.module)
        if enumeration and enumeration.strict and isinstance(value, Value) and not self._silent:
            reached = state.reached()
            if isinstance(value.node, ast.Name) and is_true(value.guard) and reached is not None:
                values = list(dict.fromkeys(enumeration.members.values()))
                if is_true(reached) or ast.unparse(reached) == f"{value.node.id} is not None":
                    self.enforced.setdefault(value.node.id, values)

    def _raises(self, condition: Condition) -> None:
        """Record a condition under which construction raises."""
        if self._silent or (condition is not None and is_false(condition)):
            return
        text = ast.unparse(condition) if condition is not None else ""
        if condition is None or not names_in(condition) or len(text) > _LONGEST:
            self.unread += 1
            return
        self.checks.setdefault(text)

    def limit(self, value: Value, refused: Iterable[ast.expr], state: State) -> None:
        """Record that construction raises at this point where all of `refused` hold for a value."""
        self._raises(all_of([state.reached(), value.guard, *refused]))


class Constructors(Protocol):
    """Follows the construction of objects of the package's classes."""

    def are_followed(self, name: str) -> bool:
        """Whether construction of a class with this name is followed."""

    def construct(self, walk: Walk, found: tuple[str, ast.ClassDef], given: Arguments, state: State) -> Outcome:
        """Follow a constructor; the value is the object."""


def bound(function: ast.FunctionDef, given: Arguments) -> dict[str, Binding]:
    """Return the parameters of a function with their arguments; constants for defaults."""
    takes = parameters(function)
    arguments: dict[str, Binding] = {
        parameter.name: Value(parameter.default) if isinstance(parameter.default, ast.Constant) else None
        for parameter in takes
        if parameter.default is not None
    }
    arguments.update(zip((p.name for p in takes if p.is_positional), given.positional, strict=False))
    return {**arguments, **{p.name: given.named[p.name] for p in takes if p.name in given.named}}
