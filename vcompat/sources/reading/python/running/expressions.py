"""Evaluates expressions on values that may be unknown, each by its kind."""

from __future__ import annotations

import ast
import operator
import os
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from vcompat.sources.reading.python.values import operators
from vcompat.sources.reading.python.values.core import Site
from vcompat.sources.reading.python.values.interpreter_part import Part
from vcompat.sources.reading.python.values.values import (
    AT_RUN_TIME,
    NONE,
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
    Value,
    join,
    to_plain,
    truth,
)

#: The method whose calls are noted.
TEMPLATE = "apply_chat_template"


class Expressions(Part):
    """Evaluates expressions."""

    def evaluate(self, node: ast.expr, frame: Frame) -> Value:
        """Return the value of an expression."""
        self.run.step()
        reader = _READERS.get(type(node))
        if reader is not None:
            return reader(self, node, frame)
        return self._other(node, frame) if type(node) not in _LAZY else self.run.comprehensions.evaluate(node, frame)

    def _other(self, node: ast.expr, frame: Frame) -> Value:
        """Evaluate the parts of an expression that is not followed, since they can contain calls."""
        for part in ast.iter_child_nodes(node):
            if isinstance(part, ast.expr):
                self.run.open(self.evaluate(part, frame), AT_RUN_TIME)
        return Unknown()

    # Names

    def lookup(self, name: str, frame: Frame) -> Value:
        """Return the value of a name as code in `frame` sees it."""
        scope: Frame | None = frame
        while scope is not None:
            held = scope.cells.get(name)
            if held is not None:
                if held.optional:
                    self.run.raises()
                return held.value
            scope = scope.module if scope.parent and scope.elsewhere.get(name) == "global" else scope.parent
        return self.unbound(name, frame)

    def unbound(self, name: str, frame: Frame) -> Value:
        """Return the value of a name that nothing has bound: a function not parsed yet, a builtin, or one of ``*``."""
        function = self.run.imports.unparsed(name, frame)
        if function is not None:
            return function
        if name == "__file__":
            return Const(os.path.abspath(frame.path))
        return Lib(name, imported=False)

    def _named(self, node: ast.NamedExpr, frame: Frame) -> Value:
        value = self.evaluate(node.value, frame)
        scope = frame
        while scope.is_comprehension and scope.parent is not None:
            scope = scope.parent
        self.run.state.write(
            self.home(node.target.id, scope), node.target.id, Held(value, self.run.place(node.value, frame))
        )
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
                inside = self.run.objects.iterate(self.evaluate(node.value, frame))
                known = known and inside is not None
                held += inside or ()
            else:
                held.append(Held(self.evaluate(node, frame), self.run.place(node, frame)))
        return held, known

    def _dictionary(self, node: ast.Dict, frame: Frame) -> Value:
        table = Table()
        for key, value in zip(node.keys, node.values, strict=True):
            if key is None:
                self.run.objects.merge(table, self.evaluate(value, frame))
            else:
                name = self.evaluate(key, frame)
                self.run.objects.set_item(table, name, Held(self.evaluate(value, frame), self.run.place(value, frame)))
        return table

    def _joined(self, node: ast.JoinedStr, frame: Frame) -> Value:
        parts = []
        for part in node.values:
            if isinstance(part, ast.FormattedValue):
                value = self.evaluate(part.value, frame)
                if part.format_spec is not None:
                    spec = self.evaluate(part.format_spec, frame)
                    parts.append(self.run.operations.combine((value, spec), _formatted))
                else:
                    convert = {ord("r"): repr, ord("a"): ascii}.get(part.conversion, str)
                    parts.append(self.run.operations.combine((value,), convert))
            else:
                parts.append(self.evaluate(part, frame))
        return (
            self.run.operations.combine(tuple(parts), lambda *texts: operators.limited("".join(texts)))
            if parts
            else Const("")
        )

    # Operators, conditions and choices

    def _binary(self, node: ast.BinOp, frame: Frame) -> Value:
        left, right = self.evaluate(node.left, frame), self.evaluate(node.right, frame)
        return self.run.operations.binary(type(node.op), left, right)

    def _unary(self, node: ast.UnaryOp, frame: Frame) -> Value:
        value = self.evaluate(node.operand, frame)
        if isinstance(node.op, ast.Not):
            known = truth(value)
            return Unknown(ON_CONDITION, (True, False)) if known is None else Const(not known)
        return self.run.operations.combine((value,), operators.UNARY[type(node.op)])

    def _compare(self, node: ast.Compare, frame: Frame) -> Value:
        values = [self.evaluate(part, frame) for part in (node.left, *node.comparators)]
        results = [
            self.run.operations.compared(type(op), left, right)
            for op, left, right in zip(node.ops, values, values[1:], strict=False)
        ]
        known = [truth(result) for result in results]
        if False in known:
            return Const(False)
        return results[0] if len(results) == 1 else Const(True) if None not in known else Unknown(ON_CONDITION)

    def _rest(self, nodes: list[ast.expr], stops: bool, frame: Frame) -> Value:
        value = self.evaluate(nodes[0], frame)
        if len(nodes) == 1:
            return value
        known = truth(value)
        if known is stops:
            return value
        if known is not None:
            return self._rest(nodes[1:], stops, frame)
        return self.run.operations.choose([lambda: value, lambda: self._rest(nodes[1:], stops, frame)], ON_CONDITION)

    def _conditional(self, node: ast.IfExp, frame: Frame) -> Value:
        test = truth(self.evaluate(node.test, frame))
        if test is not None:
            return self.evaluate(node.body if test else node.orelse, frame)
        return self.run.operations.choose(
            [lambda: self.evaluate(node.body, frame), lambda: self.evaluate(node.orelse, frame)], ON_CONDITION
        )

    # Access and calls

    def _attribute(self, node: ast.Attribute, frame: Frame) -> Value:
        value = self.evaluate(node.value, frame)
        described = self.run.models.description(value, node.attr, self.run.place(node, frame))
        return described if described is not None else self._read(value, node.attr)

    def _read(self, value: Value, name: str) -> Value:
        return self.run.note_named(self.run.objects.attribute(value, name))

    def _subscript(self, node: ast.Subscript, frame: Frame) -> Value:
        value = self.evaluate(node.value, frame)
        if isinstance(node.slice, ast.Slice):
            parts = [
                self.evaluate(part, frame) if part else Const(None)
                for part in (node.slice.lower, node.slice.upper, node.slice.step)
            ]
            return self._sliced(value, parts)
        return self.run.objects.item(value, self.evaluate(node.slice, frame))

    def _sliced(self, value: Value, parts: list[Value]) -> Value:
        try:
            bounds = slice(*(to_plain(part) for part in parts))
            if isinstance(value, Seq) and value.items is not None:
                return Seq(value.kind, value.items[bounds])
        except (NotPlainError, TypeError, ValueError):
            return Unknown()
        if isinstance(value, Const):
            return self.run.operations.combine((value,), lambda plain: operator.getitem(plain, bounds))
        return Unknown()

    def _call(self, node: ast.Call, frame: Frame) -> Value:
        if isinstance(node.func, ast.Attribute):
            owner = self.evaluate(node.func.value, frame)
            callee = self._read(owner, node.func.attr)
            if node.func.attr == TEMPLATE:
                self.run.record("template", TEMPLATE, self.run.place(node, frame))
            if isinstance(callee, Unknown) and isinstance(owner, Mutable | Either):
                # It may change its object.
                callee = Method(owner, node.func.attr)
            if isinstance(callee, Unknown) and node.func.attr == "get":
                return self._got(callee, self.site(node, frame))
        else:
            callee = self.evaluate(node.func, frame)
        return self.run.calls.call(callee, self.site(node, frame))

    def _got(self, callee: Unknown, site: Site) -> Value:
        """Return what ``get()`` of something unknown returns: most likely a dictionary's item, or its default."""
        value = self.run.calls.call(callee, site)
        return join(value, site.argument(1, "default") or NONE, AT_RUN_TIME) if site.arguments else value

    def site(self, node: ast.Call, frame: Frame) -> Site:
        """Evaluate the arguments of a call."""
        arguments, known = self._elements(node.args, frame)
        why = "" if known else "unknown arguments"
        keywords = Table()
        for keyword in node.keywords:
            place = self.run.place(keyword.value, frame)
            value = self.evaluate(keyword.value, frame)
            if keyword.arg is not None:
                keywords.cells[keyword.arg] = Held(value, place)
            else:
                self.run.objects.merge(keywords, value)
                if isinstance(value, Table) and value.why_open:
                    _open_keywords(keywords, value)
        why = why or keywords.why_open
        named = {str(key): held for key, held in keywords.cells.items() if key is not OPEN}
        return Site(tuple(arguments), named, why, self.run.place(node, frame), node, frame)

    def defaults(self, arguments: ast.arguments, frame: Frame) -> dict[str, Held]:
        """Evaluate the defaults of a function's parameters."""
        plain = [*arguments.posonlyargs, *arguments.args]
        pairs: list[tuple[ast.arg, ast.expr | None]] = []
        pairs += zip(plain[len(plain) - len(arguments.defaults) :], arguments.defaults, strict=True)
        pairs += zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)
        return {a.arg: Held(self.evaluate(d, frame), self.run.place(d, frame)) for a, d in pairs if d is not None}


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


#: What `comprehensions` evaluates.
_LAZY = frozenset((ast.ListComp, ast.SetComp, ast.GeneratorExp, ast.DictComp))
_READERS: Mapping[type[ast.expr], Callable[[Expressions, Any, Frame], Value]] = {
    ast.Constant: lambda own, node, frame: Const(node.value),
    ast.Name: lambda own, node, frame: own.run.note_named(own.lookup(node.id, frame)),
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
    ast.BoolOp: lambda own, node, frame: own._rest(node.values, isinstance(node.op, ast.Or), frame),
    ast.IfExp: Expressions._conditional,
    ast.Subscript: Expressions._subscript,
    ast.Call: Expressions._call,
    ast.Lambda: lambda own, node, frame: own.run.note_named(Function(node, frame, own.defaults(node.args, frame))),
    # A coroutine runs when it is called here, which is before it is awaited.
    ast.Await: lambda own, node, frame: own.evaluate(node.value, frame),
}
