"""Evaluates the expressions of a script without running it.

Supported are names, literals, arithmetic and strings of constants, and command-line options with their values or
defaults. A value that is large or takes long to compute stays unknown.
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from vcompat.sources.plan.outline import Binding, Scope, callee
from vcompat.sources.plan.reaching import Use, exclude, reaching, share_loop
from vcompat.sources.plan.values import MOST_CANDIDATES, Values, constant, distinct, one_of, unknown

#: Limits of evaluation: characters or items of a value, exponents and bytes of a number, evaluation steps.
LARGEST_TEXT, LARGEST_NUMBER, MOST_STEPS = 10_000, 128, 20_000


class Entry(NamedTuple):
    """A keyword argument of a call, or an item of a dictionary that is unpacked into one."""

    name: str | None
    """The name; None if it is not constant, so that it can be any."""
    node: ast.expr
    use: Use
    optional: bool
    """True if a condition determines whether the entry exists."""


class Evaluator:
    """Evaluates the expressions of one script."""

    def __init__(self, arguments: Mapping[str, Values] | None = None) -> None:
        self.arguments = dict(arguments or {})
        """The values of the command-line options, by the attribute that the script reads."""
        self._steps = 0
        self._active: set[int] = set()

    def value(self, node: ast.expr, use: Use) -> Values:
        """Return the possible values of `node` at `use`."""
        self._steps += 1
        if self._steps > MOST_STEPS or id(node) in self._active or len(self._active) > 100:
            return unknown("too complex to evaluate")
        self._active.add(id(node))
        try:
            reader = _READERS.get(type(node))
            return reader(self, node, use) if reader else unknown("computed at run time")
        finally:
            self._active.discard(id(node))

    def start(self) -> None:
        """Reset the step count, so that each setting has the full limit."""
        self._steps = 0

    # Names

    def _name(self, node: ast.Name, use: Use) -> Values:
        owner = use.scope.owner(node.id)
        if owner is None:
            return unknown("computed at run time")
        if node.id in owner.changes:
            return unknown("modified after assignment")
        bindings = reaching(owner, node.id, use)
        alternatives = [self._bound(binding, owner) for binding in bindings]
        return one_of(alternatives, "depends on a condition") if alternatives else unknown("computed at run time")

    def _bound(self, binding: Binding, owner: Scope) -> Values:
        if binding.value is None or binding.unpacked:
            return unknown("computed at run time")
        return self.value(binding.value, Use(owner, binding.arms, binding.at))

    def origin(self, node: ast.expr, use: Use) -> tuple[ast.expr, Use]:
        """Follow a name to its value expression as long as it has exactly one binding."""
        for _ in range(20):
            if not isinstance(node, ast.Name) or (owner := use.scope.owner(node.id)) is None:
                break
            bindings = reaching(owner, node.id, use)
            if len(bindings) != 1 or bindings[0].value is None:
                break
            node, use = bindings[0].value, Use(owner, bindings[0].arms, bindings[0].at)
        return node, use

    def _attribute(self, node: ast.Attribute, use: Use) -> Values:
        if isinstance(node.value, ast.Name) and node.value.id == "torch" and node.attr in _TORCH_TYPES:
            return constant(node.attr)
        if node.attr in self.arguments and self._is_parsed(node.value, use):
            return self.arguments[node.attr]
        return unknown("computed at run time")

    def _is_parsed(self, node: ast.expr, use: Use) -> bool:
        """Return whether `node` is the result of a command-line parser."""
        origin, _ = self.origin(node, use)
        if isinstance(origin, ast.Subscript):
            origin, _ = self.origin(origin.value, use)
        if isinstance(origin, ast.Call) and callee(origin).startswith("parse_"):
            return True
        # The parameter of a function is recognized by its usual names.
        return isinstance(origin, ast.Name) and origin.id.endswith(
            ("args", "arguments", "config", "cfg", "opt", "opts")
        )

    # Compound expressions

    def _constant(self, node: ast.Constant, use: Use) -> Values:
        return constant(node.value)

    def _sequence(self, node: ast.List | ast.Tuple | ast.Set, use: Use) -> Values:
        if len(node.elts) > LARGEST_TEXT:
            return unknown("too large to evaluate")
        items = []
        for element in node.elts:
            item = self.value(element, use)
            if not item.is_constant:
                return unknown(item.why_open)
            items.append(item.candidates[0])
        return constant(tuple(items) if isinstance(node, ast.Tuple) else items)

    def _dictionary(self, node: ast.Dict, use: Use) -> Values:
        table = {}
        for key, value in zip(node.keys, node.values, strict=True):
            name = unknown("computed at run time") if key is None else self.value(key, use)
            held = self.value(value, use)
            if not (name.is_constant and held.is_constant and isinstance(name.candidates[0], str | int)):
                return unknown("computed at run time")
            table[name.candidates[0]] = held.candidates[0]
        return constant(table)

    def _joined(self, node: ast.JoinedStr, use: Use) -> Values:
        text = ""
        for part in node.values:
            if isinstance(part, ast.FormattedValue):
                if part.format_spec is not None:
                    return unknown("computed at run time")
                item = self.value(part.value, use)
                if not item.is_constant or not isinstance(item.candidates[0], str | int | float):
                    return unknown(item.why_open or "computed at run time")
                text += repr(item.candidates[0]) if part.conversion == ord("r") else str(item.candidates[0])
            else:
                text += str(getattr(part, "value", ""))
            if len(text) > LARGEST_TEXT:
                return unknown("too large to evaluate")
        return constant(text)

    def _binary(self, node: ast.BinOp, use: Use) -> Values:
        apply = _OPERATORS.get(type(node.op))
        if apply is None:
            return unknown("computed at run time")
        left, right = self.value(node.left, use), self.value(node.right, use)
        return self._combine((left, right), lambda a, b: _bounded(apply, a, b))

    def _unary(self, node: ast.UnaryOp, use: Use) -> Values:
        if isinstance(node.op, ast.Invert):
            return unknown("computed at run time")
        return self._combine((self.value(node.operand, use),), _UNARY[type(node.op)])

    def _compare(self, node: ast.Compare, use: Use) -> Values:
        apply = _COMPARISONS.get(type(node.ops[0]))
        if len(node.ops) != 1 or apply is None:
            return unknown("computed at run time")
        return self._combine((self.value(node.left, use), self.value(node.comparators[0], use)), apply)

    def _boolean(self, node: ast.BoolOp, use: Use) -> Values:
        stops = isinstance(node.op, ast.Or)
        for operand in node.values[:-1]:
            value = self.value(operand, use)
            if not value.is_constant:
                rest = [self.value(other, use) for other in node.values]
                return unknown(value.why_open, (c for other in rest for c in other.candidates))
            if bool(value.candidates[0]) is stops:
                return value
        return self.value(node.values[-1], use)

    def _conditional(self, node: ast.IfExp, use: Use) -> Values:
        test = self.value(node.test, use)
        if test.is_constant:
            return self.value(node.body if test.candidates[0] else node.orelse, use)
        return one_of([self.value(node.body, use), self.value(node.orelse, use)], "depends on a condition")

    def _subscript(self, node: ast.Subscript, use: Use) -> Values:
        return self._combine((self.value(node.value, use), self.value(node.slice, use)), operator.getitem)

    def _call(self, node: ast.Call, use: Use) -> Values:
        name = callee(node)
        plain = isinstance(node.func, ast.Name) and not node.keywords and len(node.args) == 1
        if plain and name in _CONVERSIONS and use.scope.owner(name) is None:
            return self._combine((self.value(node.args[0], use),), _CONVERSIONS[name])
        if name == "dict" and isinstance(node.func, ast.Name):
            return self._made_dictionary(node, use)
        if name in ("getenv", "get") and _is_environment(node):
            default = [self.value(node.args[1], use)] if len(node.args) > 1 else [constant(None)]
            return unknown("read from an environment variable", (c for d in default for c in d.candidates))
        return unknown("computed at run time")

    def _made_dictionary(self, node: ast.Call, use: Use) -> Values:
        table = {}
        for entry in self.entries(node, use):
            held = self.value(entry.node, entry.use)
            if entry.name is None or entry.optional or not held.is_constant:
                return unknown("computed at run time")
            table[entry.name] = held.candidates[0]
        return constant(table)

    def _combine(self, operands: tuple[Values, ...], apply: Callable[..., Any]) -> Values:
        """Return the results of `apply` for every combination of the operands' candidates."""
        results: list[Any] = []
        combinations: list[tuple[Any, ...]] = [()]
        for operand in operands:
            combinations = [(*c, v) for c in combinations for v in operand.candidates][: 4 * MOST_CANDIDATES]
        for combination in combinations:
            try:
                results.append(apply(*combination))
            except Exception:
                # An expression that raises here also raises when the script runs, so it sets nothing.
                return unknown("computed at run time")
        why = next((operand.why_open for operand in operands if operand.why_open), "")
        remark = next((operand.remark for operand in operands if operand.remark), "")
        candidates = distinct(results)[:MOST_CANDIDATES]
        return Values(candidates, why or ("" if len(candidates) == 1 else "computed at run time"), remark)

    # Unpacked dictionaries

    def entries(self, call: ast.Call, use: Use) -> Iterator[Entry]:
        """Yield the keyword arguments of `call`, including those of ``**dictionary`` if its items can be evaluated."""
        for keyword in call.keywords:
            if keyword.arg is not None:
                yield Entry(keyword.arg, keyword.value, use, False)
            else:
                yield from self.opened(keyword.value, use)

    def opened(self, node: ast.expr, use: Use, depth: int = 0) -> Iterator[Entry]:
        """Yield the items of a dictionary, including those that are added to it later."""
        self._steps += 1
        deeper = depth + 1
        if depth > 10 or self._steps > MOST_STEPS:
            yield Entry(None, node, use, False)
        elif isinstance(node, ast.Name):
            yield from self._opened_name(node, use, depth)
        elif isinstance(node, ast.Dict):
            for key, value in zip(node.keys, node.values, strict=True):
                yield from self.opened(value, use, deeper) if key is None else self._item(key, value, use)
        elif isinstance(node, ast.Call) and callee(node) == "dict" and isinstance(node.func, ast.Name):
            yield from (entry for argument in node.args for entry in self.opened(argument, use, deeper))
            yield from self.entries(node, use)
        elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
            yield from (entry for side in (node.left, node.right) for entry in self.opened(side, use, deeper))
        elif isinstance(node, ast.IfExp):
            branches = [entry for branch in (node.body, node.orelse) for entry in self.opened(branch, use, deeper)]
            yield from (entry._replace(optional=True) for entry in branches)
        else:
            yield Entry(None, node, use, False)

    def _opened_name(self, node: ast.Name, use: Use, depth: int) -> Iterator[Entry]:
        owner = use.scope.owner(node.id)
        bindings = reaching(owner, node.id, use) if owner else []
        if not bindings or owner is None:
            yield Entry(None, node, use, False)
        for binding in bindings:
            if binding.value is None or binding.unpacked or owner is None:
                yield Entry(None, node, use, False)
                continue
            for entry in self.opened(binding.value, Use(owner, binding.arms, binding.at), depth + 1):
                yield entry._replace(optional=entry.optional or len(bindings) > 1)
        scopes = [owner] if owner is use.scope else [owner, use.scope]
        for scope in filter(None, scopes):
            yield from self._changes(scope, node, use, depth)

    def _changes(self, scope: Scope, node: ast.Name, use: Use, depth: int) -> Iterator[Entry]:
        for change in scope.changes.get(node.id, ()):
            if scope is use.scope and change.at > use.at and not share_loop(change.arms, use.arms):
                continue
            if exclude(change.arms, use.arms):
                continue
            there = Use(scope, change.arms, change.at)
            optional = scope is not use.scope or change.arms != use.arms[: len(change.arms)]
            if change.key is not None and change.value is not None:
                entries: Iterable[Entry] = self._item(change.key, change.value, there)
            elif change.call is not None and callee(change.call) == "update":
                entries = [e for a in change.call.args for e in self.opened(a, there, depth + 1)]
                entries = [*entries, *self.entries(change.call, there)]
            elif change.call is not None and callee(change.call) == "setdefault" and len(change.call.args) == 2:
                key, value = change.call.args
                entries = [entry._replace(optional=True) for entry in self._item(key, value, there)]
            else:
                entries = [Entry(None, node, there, False)]
            for entry in entries:
                yield entry._replace(optional=entry.optional or optional)

    def _item(self, key: ast.expr, value: ast.expr, use: Use) -> Iterator[Entry]:
        name = self.value(key, use)
        known = name.is_constant and isinstance(name.candidates[0], str)
        yield Entry(name.candidates[0] if known else None, value, use, False)


def _is_environment(call: ast.Call) -> bool:
    function = call.func
    if not isinstance(function, ast.Attribute):
        return callee(call) == "getenv"
    return function.attr == "getenv" or is_environ(function.value)


def is_environ(node: ast.expr | None) -> bool:
    """Return whether `node` is ``os.environ`` or ``environ``."""
    return (isinstance(node, ast.Name) and node.id == "environ") or (
        isinstance(node, ast.Attribute) and node.attr == "environ"
    )


def _bounded(apply: Callable[[Any, Any], Any], left: Any, right: Any) -> Any:
    """Return the result of `apply`. Raises ValueError if it would be too large."""
    for one, other in ((left, right), (right, left)):
        if isinstance(one, str | bytes | list | tuple):
            size = (
                len(one) * other
                if isinstance(other, int)
                else len(one) + len(other if hasattr(other, "__len__") else ())
            )
            if size > LARGEST_TEXT or (isinstance(one, str | bytes) and apply is operator.mod):
                raise ValueError("large")
    if apply is operator.pow and (abs(right) > LARGEST_NUMBER or abs(left) > 1_000_000):
        raise ValueError("large")
    result = apply(left, right)
    if isinstance(result, int) and result.bit_length() > LARGEST_NUMBER * 8:
        raise ValueError("large")
    return result


_TORCH_TYPES = frozenset("bfloat16 float16 half float32 float float64 float8_e4m3fn float8_e5m2 auto".split())
_CONVERSIONS: Mapping[str, Callable[[Any], Any]] = {"int": int, "float": float, "str": str, "bool": bool}
_OPERATORS: Mapping[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.Pow: operator.pow,
}
_UNARY: Mapping[type[ast.unaryop], Callable[[Any], Any]] = {
    ast.Not: operator.not_,
    ast.USub: operator.neg,
    ast.UAdd: operator.pos,
}
_COMPARISONS: Mapping[type[ast.cmpop], Callable[[Any, Any], Any]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.Is: operator.is_,
    ast.IsNot: operator.is_not,
}
_READERS: Mapping[type[ast.expr], Callable[[Evaluator, Any, Use], Values]] = {
    ast.Constant: Evaluator._constant,
    ast.Name: Evaluator._name,
    ast.Attribute: Evaluator._attribute,
    ast.List: Evaluator._sequence,
    ast.Tuple: Evaluator._sequence,
    ast.Set: Evaluator._sequence,
    ast.Dict: Evaluator._dictionary,
    ast.JoinedStr: Evaluator._joined,
    ast.BinOp: Evaluator._binary,
    ast.UnaryOp: Evaluator._unary,
    ast.Compare: Evaluator._compare,
    ast.BoolOp: Evaluator._boolean,
    ast.IfExp: Evaluator._conditional,
    ast.Subscript: Evaluator._subscript,
    ast.Call: Evaluator._call,
}
