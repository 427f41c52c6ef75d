"""What is known at a point of a constructor: the values of attributes and names, and the conditions to get there."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import NamedTuple

from vcompat.upstream.settings.logic import TRUE, Condition, all_of, any_of, is_false, is_true


class Value(NamedTuple):
    """A value as an expression over settings, where `guard` holds; elsewhere it is not known."""

    node: ast.expr
    guard: Condition = TRUE


class Instance:
    """An object whose attributes are followed."""

    def __init__(self, module: str, node: ast.ClassDef | None, given: frozenset[str] = frozenset()) -> None:
        self.module = module
        self.node = node
        self.given = given
        """The attributes that begin as the settings that the user gave."""


#: What is known of a value; None for nothing.
Binding = Value | Instance | None
Slot = tuple[Instance, str]


class State:
    """One point of one function."""

    def __init__(self) -> None:
        self.attributes: dict[Slot, Binding] = {}
        self.names: dict[str, Binding] = {}
        self.conditions: list[Condition] = []

    def copy(self, extra: Condition | None = None, limited: bool = False) -> State:
        """Return a copy, with a further condition if `limited`."""
        new = State()
        new.attributes, new.names = dict(self.attributes), dict(self.names)
        new.conditions = [*self.conditions, *([extra] if limited else [])]
        return new

    def get(self, owner: Instance, name: str) -> Binding:
        """Return what is known of an attribute."""
        if (owner, name) in self.attributes:
            return self.attributes[owner, name]
        return self.initial(owner, name)

    @staticmethod
    def initial(owner: Instance, name: str) -> Binding:
        """Return what is known of an attribute that is not assigned yet."""
        return Value(ast.Name(name, ast.Load())) if name in owner.given else None

    def reached(self) -> Condition:
        """Return the condition under which this point is reached."""
        return all_of(self.conditions)

    def changed(self, owner: Instance) -> dict[str, str]:
        """Return the settings that may have changed, with the condition for the user's value; empty if unknown."""
        guards = {}
        for (instance, name), value in self.attributes.items():
            if instance is owner and name in owner.given and not same(value, self.initial(owner, name)):
                is_kept = isinstance(value, Value) and _is_own(value, name) and not is_true(value.guard)
                guards[name] = ast.unparse(value.guard) if is_kept else ""  # type: ignore[union-attr, arg-type]
        return dict(sorted(guards.items()))


def same(first: Binding, second: Binding) -> bool:
    """Whether two bindings are equal."""
    if isinstance(first, Value) and isinstance(second, Value):
        return _dump(first.node) == _dump(second.node) and _dump(first.guard) == _dump(second.guard)
    return first is second


def merged(states: Sequence[State], base: int) -> State:
    """Return what holds after several states, which share their first `base` conditions, come together."""
    result = states[0]
    for state in states[1:]:
        result = _joined(result, state, base)
    return result


def _joined(first: State, second: State, base: int) -> State:
    new = State()
    ways = (all_of(first.conditions[base:]), all_of(second.conditions[base:]))
    for slot in {**first.attributes, **second.attributes}:
        values = (first.get(*slot), second.get(*slot))
        new.attributes[slot] = _either(values, ways, slot[1])
    for name in first.names.keys() & second.names.keys():
        new.names[name] = _either((first.names[name], second.names[name]), ways, name)
    either = None if None in ways else any_of(ways)
    new.conditions = [*first.conditions[:base], either]
    return new


def _either(values: tuple[Binding, Binding], ways: tuple[Condition, Condition], name: str) -> Binding:
    """The value after two ways: with a guard, one of the two; preferably the setting that the user gave."""
    if same(*values):
        return values[0]
    first, second = values
    if isinstance(first, Value) and isinstance(second, Value) and _dump(first.node) == _dump(second.node):
        return Value(first.node, _guard_of_both(first, second, ways))
    choices = [
        Value(value.node, all_of([way, value.guard]))
        for value, way in zip(values, ways, strict=True)
        if isinstance(value, Value) and way is not None
    ]
    choices = [value for value in choices if not is_false(value.guard)]
    choices.sort(key=lambda value: not _is_own(value, name))
    return choices[0] if choices else None


def _guard_of_both(first: Value, second: Value, ways: tuple[Condition, Condition]) -> Condition:
    """The guard of a value that is the same after two ways, except for its guard."""
    if None in ways:
        return all_of([first.guard, second.guard])
    return any_of(all_of([way, value.guard]) for way, value in zip(ways, (first, second), strict=True))


def _is_own(value: Value, name: str) -> bool:
    return isinstance(value.node, ast.Name) and value.node.id == name


def _dump(node: ast.expr | None) -> str:
    return "" if node is None else ast.dump(node)
