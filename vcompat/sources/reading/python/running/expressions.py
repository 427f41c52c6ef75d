"""Evaluates expressions on values that may be unknown, each by its kind."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from vcompat.sources.reading.python.running.comprehensions import Comprehensions
from vcompat.sources.reading.python.values import operators
from vcompat.sources.reading.python.values.core import Site
from vcompat.sources.reading.python.values.values import (
    AT_RUN_TIME,
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
    Value,
    to_plain,
)


class Expressions(Comprehensions):
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
        return self.combine(tuple(parts), lambda *texts: operators.limited("".join(texts))) if parts else Const("")

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
                if isinstance(value, Table) and value.why_open:
                    _open_keywords(keywords, value)
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


def _open_keywords(keywords: Table, given: Table) -> None:
    """Let the keywords be missing whose values are not known: what opened the dictionary may have removed them."""
    for key in given.cells:
        held = keywords.cells.get(key)
        if key is not OPEN and held is not None and isinstance(held.value, Unknown):
            keywords.cells[key] = held._replace(optional=True)


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
