"""Evaluates expressions on values that may be unknown."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from vcompat.foundation.comparisons import COMPARISONS
from vcompat.sources.plan.python import operators
from vcompat.sources.plan.python.containers import Containers
from vcompat.sources.plan.python.core import Site, Stopped
from vcompat.sources.plan.python.state import Diff
from vcompat.sources.plan.python.values import (
    AT_RUN_TIME,
    ON_CONDITION,
    OPEN,
    Const,
    Either,
    Frame,
    Function,
    Held,
    Lib,
    Method,
    Mutable,
    NotPlainError,
    Seq,
    Table,
    Unknown,
    Unordered,
    Value,
    candidates,
    distinct,
    from_plain,
    join,
    to_plain,
    truth,
)

_MOST_COMBINATIONS = 32


class Expressions(Containers):
    """Evaluates expressions."""

    def evaluate(self, node: ast.expr, frame: Frame) -> Value:
        """Return the value of an expression."""
        self.step()
        reader = _READERS.get(type(node))
        if reader is None:
            return self._other(node, frame)
        return reader(self, node, frame)

    def _other(self, node: ast.expr, frame: Frame) -> Value:
        """Evaluate the parts of an expression that is not followed, since they can contain calls."""
        for part in ast.iter_child_nodes(node):
            if isinstance(part, ast.expr):
                self.open(self.evaluate(part, frame), AT_RUN_TIME)
        return Unknown()

    # Names

    def _constant(self, node: ast.Constant, frame: Frame) -> Value:
        return Const(node.value)

    def _name(self, node: ast.Name, frame: Frame) -> Value:
        return self.lookup(node.id, frame)

    def lookup(self, name: str, frame: Frame) -> Value:
        """Return the value of a name as code in `frame` sees it."""
        scope: Frame | None = frame
        while scope is not None:
            held = scope.cells.get(name)
            if held is not None:
                if held.optional:
                    self.raises()
                return held.value
            scope = scope.module if scope.parent and scope.elsewhere.get(name) == "global" else scope.parent
        return self.unbound(name, frame)

    def unbound(self, name: str, frame: Frame) -> Value:
        """Return the value of a name that the script never binds: a builtin, or one of ``from x import *``."""
        if name == "__file__":
            return Const(frame.path)
        return Lib(name, imported=False)

    def _attribute(self, node: ast.Attribute, frame: Frame) -> Value:
        return self.attribute(self.evaluate(node.value, frame), node.attr)

    def _named(self, node: ast.NamedExpr, frame: Frame) -> Value:
        value = self.evaluate(node.value, frame)
        scope = frame
        while scope.is_comprehension and scope.parent is not None:
            scope = scope.parent
        self.state.write(self.home(node.target.id, scope), node.target.id, Held(value, self.place(node.value, frame)))
        return value

    def home(self, name: str, frame: Frame) -> Frame:
        """Return the frame in which an assignment binds `name`."""
        kind = frame.elsewhere.get(name)
        if kind == "global":
            return frame.module
        scope = frame.parent if kind == "nonlocal" else frame
        while kind == "nonlocal" and scope is not None and name not in scope.cells and scope.parent is not None:
            scope = scope.parent
        return scope or frame

    # Literals

    def _sequence(self, node: ast.List | ast.Tuple | ast.Set, frame: Frame) -> Value:
        held, known = self._elements(node.elts, frame)
        kind = {ast.List: "list", ast.Tuple: "tuple", ast.Set: "set"}[type(node)]
        return Seq(kind, held if known and len(held) <= operators.LARGEST_TEXT else None)

    def _elements(self, nodes: Iterable[ast.expr], frame: Frame) -> tuple[list[Held], bool]:
        """Return the values of `nodes` with unpacked ones in place, and whether there are no others."""
        held: list[Held] = []
        known = True
        for node in nodes:
            if isinstance(node, ast.Starred):
                inside = self.iterate(self.evaluate(node.value, frame))
                known = known and inside is not None
                held += inside or ()
            else:
                held.append(Held(self.evaluate(node, frame), self.place(node, frame)))
        return held, known

    def _dictionary(self, node: ast.Dict, frame: Frame) -> Value:
        table = Table()
        for key, value in zip(node.keys, node.values, strict=True):
            if key is None:
                self.merge(table, self.evaluate(value, frame))
            else:
                name = self.evaluate(key, frame)
                self.set_item(table, name, Held(self.evaluate(value, frame), self.place(value, frame)))
        return table

    def _joined(self, node: ast.JoinedStr, frame: Frame) -> Value:
        parts = []
        for part in node.values:
            if isinstance(part, ast.FormattedValue):
                value = self.evaluate(part.value, frame)
                if part.format_spec is not None:
                    spec = self.evaluate(part.format_spec, frame)
                    parts.append(self.combine((value, spec), _formatted))
                else:
                    convert = {ord("r"): repr, ord("a"): ascii}.get(part.conversion, str)
                    parts.append(self.combine((value,), convert))
            else:
                parts.append(self.evaluate(part, frame))
        return self.combine(tuple(parts), lambda *texts: _limited("".join(texts))) if parts else Const("")

    # Operators

    def _binary(self, node: ast.BinOp, frame: Frame) -> Value:
        left, right = self.evaluate(node.left, frame), self.evaluate(node.right, frame)
        return self.binary(type(node.op), left, right)

    def binary(self, kind: type[ast.operator], left: Value, right: Value) -> Value:
        """Return the result of a binary operator."""
        if isinstance(left, Either):
            return self._each(left, lambda part: self.binary(kind, part, right))
        if kind is ast.BitOr and isinstance(left, Table):
            table = Table(dict(left.cells))
            self.merge(table, right)
            return table
        apply = operators.BINARY.get(kind)
        if kind is ast.Add and isinstance(left, Seq) and isinstance(right, Seq) and left.kind == right.kind:
            one, other = left.items, right.items
            return Seq(left.kind, (*one, *other) if one is not None and other is not None else None)
        if kind is ast.Div and isinstance(left, Lib | Unknown | Const) and not _is_number(left):
            # pathlib's operator on paths that are kept as text.
            return self.combine((left, right), lambda a, b: _limited(f"{a}/{b}"))
        if apply is None:
            return Unknown()
        return self.combine((left, right), lambda a, b: operators.bounded(apply, a, b))

    def _unary(self, node: ast.UnaryOp, frame: Frame) -> Value:
        value = self.evaluate(node.operand, frame)
        if isinstance(node.op, ast.Not):
            known = truth(value)
            return Unknown(ON_CONDITION, (True, False)) if known is None else Const(not known)
        return self.combine((value,), operators.UNARY[type(node.op)])

    def _compare(self, node: ast.Compare, frame: Frame) -> Value:
        values = [self.evaluate(part, frame) for part in (node.left, *node.comparators)]
        results = [
            self._compared(type(op), left, right) for op, left, right in zip(node.ops, values, values[1:], strict=False)
        ]
        known = [truth(result) for result in results]
        if False in known:
            return Const(False)
        return results[0] if len(results) == 1 else Const(True) if None not in known else Unknown(ON_CONDITION)

    def _compared(self, kind: type[ast.cmpop], left: Value, right: Value) -> Value:
        if kind in (ast.In, ast.NotIn) and isinstance(right, Table) and isinstance(left, Const):
            there = self.contains(right, left.value)
            return Unknown(ON_CONDITION) if there is None else Const(there is (kind is ast.In))
        if kind in (ast.Is, ast.IsNot, ast.Eq, ast.NotEq):
            identical = self._identical(left, right)
            if identical is not None:
                return Const(identical is (kind in (ast.Is, ast.Eq)))
        return self.combine((left, right), COMPARISONS[kind])

    @staticmethod
    def _identical(left: Value, right: Value) -> bool | None:
        """Return whether two values are the same object; None if that is not known, or they are constants."""
        plain = (Const, Unknown, Either)
        if isinstance(left, plain) and isinstance(right, plain):
            return None
        if left is right or (isinstance(left, Lib) and left == right):
            return True
        none = [v for v in (left, right) if isinstance(v, Const) and v.value is None]
        other = [v for v in (left, right) if not isinstance(v, Const | Unknown | Either | Lib | Method)]
        return False if none and other else None

    def _boolean(self, node: ast.BoolOp, frame: Frame) -> Value:
        return self._rest(list(node.values), isinstance(node.op, ast.Or), frame)

    def _rest(self, nodes: list[ast.expr], stops: bool, frame: Frame) -> Value:
        value = self.evaluate(nodes[0], frame)
        if len(nodes) == 1:
            return value
        known = truth(value)
        if known is stops:
            return value
        if known is not None:
            return self._rest(nodes[1:], stops, frame)
        return self.choose([lambda: value, lambda: self._rest(nodes[1:], stops, frame)], ON_CONDITION)

    def _conditional(self, node: ast.IfExp, frame: Frame) -> Value:
        test = truth(self.evaluate(node.test, frame))
        if test is not None:
            return self.evaluate(node.body if test else node.orelse, frame)
        return self.choose(
            [lambda: self.evaluate(node.body, frame), lambda: self.evaluate(node.orelse, frame)], ON_CONDITION
        )

    def choose(self, arms: list[Callable[[], Value]], why: str) -> Value:
        """Run each of `arms`, of which one runs, and return what stands for all results."""
        diffs: list[Diff] = []
        results: list[Value] = []
        stopped: Stopped | None = None
        self.uncertain.append(why)
        for arm in arms:
            with self.state.arm() as diff:
                try:
                    results.append(arm())
                except Stopped as end:
                    stopped = end
                    if end.jump.kind == "raise":
                        self.raises()
                    continue
            diffs.append(diff)
        self.uncertain.pop()
        if not results:
            assert stopped is not None
            raise stopped
        total = diffs[0]
        for diff in diffs[1:]:
            total = self.join_diffs(total, diff)
        self.state.apply(total)
        value = results[0]
        for result in results[1:]:
            value = join(value, result, why)
        return value

    def join_diffs(self, one: Diff, other: Diff) -> Diff:
        """Join the writes of two arms."""
        return self.state.join(one, other)

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
            self.raises()
            return Unknown()
        remark = next((operand.remark for operand in operands if isinstance(operand, Const) and operand.remark), "")
        value = from_plain(result)
        return Const(value.value, remark) if isinstance(value, Const) else value

    def _possible(self, operands: tuple[Value, ...], apply: Callable[..., Any], why: str) -> Value:
        self.raises()
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

    # Access and calls

    def _subscript(self, node: ast.Subscript, frame: Frame) -> Value:
        value = self.evaluate(node.value, frame)
        if isinstance(node.slice, ast.Slice):
            parts = [
                self.evaluate(part, frame) if part else Const(None)
                for part in (node.slice.lower, node.slice.upper, node.slice.step)
            ]
            return self._sliced(value, parts)
        return self.item(value, self.evaluate(node.slice, frame))

    def _sliced(self, value: Value, parts: list[Value]) -> Value:
        try:
            bounds = slice(*(to_plain(part) for part in parts))
            if isinstance(value, Seq) and value.items is not None:
                return Seq(value.kind, value.items[bounds])
        except (NotPlainError, TypeError, ValueError):
            return Unknown()
        if isinstance(value, Const):
            return self.combine((value,), lambda plain: operator.getitem(plain, bounds))
        return Unknown()

    def _call(self, node: ast.Call, frame: Frame) -> Value:
        if isinstance(node.func, ast.Attribute):
            owner = self.evaluate(node.func.value, frame)
            callee = self.attribute(owner, node.func.attr)
            if isinstance(callee, Unknown) and isinstance(owner, Mutable | Either):
                # It may change its object.
                callee = Method(owner, node.func.attr)
        else:
            callee = self.evaluate(node.func, frame)
        return self.call(callee, self.site(node, frame))

    def site(self, node: ast.Call, frame: Frame) -> Site:
        """Evaluate the arguments of a call."""
        arguments, known = self._elements(node.args, frame)
        why = "" if known else "unknown arguments"
        keywords = Table()
        for keyword in node.keywords:
            place = self.place(keyword.value, frame)
            value = self.evaluate(keyword.value, frame)
            if keyword.arg is not None:
                keywords.cells[keyword.arg] = Held(value, place)
            else:
                self.merge(keywords, value)
        why = why or keywords.why_open
        named = {str(key): held for key, held in keywords.cells.items() if key is not OPEN}
        return Site(tuple(arguments), named, why, self.place(node, frame), node, frame)

    def _lambda(self, node: ast.Lambda, frame: Frame) -> Value:
        return Function(node, frame, self.defaults(node.args, frame))

    def defaults(self, arguments: ast.arguments, frame: Frame) -> dict[str, Held]:
        """Evaluate the defaults of a function's parameters."""
        plain = [*arguments.posonlyargs, *arguments.args]
        pairs: list[tuple[ast.arg, ast.expr | None]] = []
        pairs += zip(plain[len(plain) - len(arguments.defaults) :], arguments.defaults, strict=True)
        pairs += zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)
        return {a.arg: Held(self.evaluate(d, frame), self.place(d, frame)) for a, d in pairs if d is not None}

    def _awaited(self, node: ast.Await, frame: Frame) -> Value:
        # A coroutine runs when it is called here, which is before it is awaited.
        return self.evaluate(node.value, frame)

    # Comprehensions

    def _comprehension(self, node: ast.ListComp | ast.SetComp | ast.GeneratorExp, frame: Frame) -> Value:
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

        self.choose([lambda: Const(None), runs], "it is evaluated lazily")
        return results[0] if results else Unknown()

    def _listed(self, node: ast.ListComp | ast.SetComp | ast.GeneratorExp, frame: Frame) -> Value:
        found = self._generated(node.generators, frame, lambda inner: [self._held(node.elt, inner)])
        kind = "set" if isinstance(node, ast.SetComp) else "list"
        return Seq(kind, None if found is None else [item for row in found for item in row])

    def _mapping(self, node: ast.DictComp, frame: Frame) -> Value:
        table = Table()
        found = self._generated(
            node.generators, frame, lambda inner: [self._held(node.key, inner), self._held(node.value, inner)]
        )
        for key, value in found or ():
            self.set_item(table, key.value, value)
        if found is None:
            self.open(table, AT_RUN_TIME)
        return table

    def _held(self, node: ast.expr, frame: Frame) -> Held:
        return Held(self.evaluate(node, frame), self.place(node, frame))

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
            self.choose([lambda: Const(None), lambda: self._one_pass(generators, inner, make)], ON_CONDITION)
        return rows if known else None

    def _one_pass(
        self, generators: list[ast.comprehension], inner: Frame, make: Callable[[Frame], list[Held]]
    ) -> Value:
        for generator in generators:
            self.assign(generator.target, Held(Unknown()), inner)
        make(inner)
        return Const(None)

    def _passes(self, generators: list[ast.comprehension], inner: Frame, then: Callable[[], None]) -> bool:
        if not generators:
            then()
            return True
        items = self.iterate(self.evaluate(generators[0].iter, inner))
        if items is None or len(items) > 200 or any(item.optional for item in items):
            return False
        for item in items:
            self.assign(generators[0].target, item, inner)
            tests = [truth(self.evaluate(test, inner)) for test in generators[0].ifs]
            if None in tests:
                return False
            if False not in tests and not self._passes(generators[1:], inner, then):
                return False
        return True

    def assign(self, target: ast.expr, held: Held, frame: Frame) -> None:
        """Assign to a name, an attribute, an item, or to several by unpacking."""
        raise NotImplementedError


def _calls(node: ast.expr) -> bool:
    return any(isinstance(part, ast.Call | ast.NamedExpr) for part in ast.walk(node))


def _is_number(value: Value) -> bool:
    listed = candidates(value)
    return not listed or any(isinstance(c, int | float) for c in listed)


def _unordered(items: list[Any]) -> Any:
    try:
        return Unordered(items)
    except TypeError:
        raise NotPlainError(AT_RUN_TIME) from None


def _limited(text: str) -> str:
    if len(text) > operators.LARGEST_TEXT:
        raise ValueError("large")
    return text


def _formatted(value: Any, spec: str) -> str:
    if any(len(digits) > 3 for digits in "".join(c if c.isdecimal() else " " for c in spec).split()):
        raise ValueError("large")
    return format(value, spec)


_READERS: Mapping[type[ast.expr], Callable[[Expressions, Any, Frame], Value]] = {
    ast.Constant: Expressions._constant,
    ast.Name: Expressions._name,
    ast.Attribute: Expressions._attribute,
    ast.NamedExpr: Expressions._named,
    ast.List: Expressions._sequence,
    ast.Tuple: Expressions._sequence,
    ast.Set: Expressions._sequence,
    ast.Dict: Expressions._dictionary,
    ast.JoinedStr: Expressions._joined,
    ast.BinOp: Expressions._binary,
    ast.UnaryOp: Expressions._unary,
    ast.Compare: Expressions._compare,
    ast.BoolOp: Expressions._boolean,
    ast.IfExp: Expressions._conditional,
    ast.Subscript: Expressions._subscript,
    ast.Call: Expressions._call,
    ast.Lambda: Expressions._lambda,
    ast.Await: Expressions._awaited,
    ast.ListComp: Expressions._comprehension,
    ast.SetComp: Expressions._comprehension,
    ast.GeneratorExp: Expressions._comprehension,
    ast.DictComp: Expressions._mapping,
}
