"""Assignments: to names, attributes and items, several at once, in place; and ``del``."""

from __future__ import annotations

import ast
import functools

from vcompat.sources.reading.python.values.core import Done
from vcompat.sources.reading.python.values.interpreter_part import Part
from vcompat.sources.reading.python.values.values import (
    AT_RUN_TIME,
    ITEMS,
    Either,
    Frame,
    Held,
    Items,
    Mutable,
    Seq,
    Table,
    Unknown,
    Value,
    alternatives,
    join_held,
)


class Assignments(Part):
    """Runs assignments."""

    def assign_statement(self, node: ast.Assign, frame: Frame) -> Done:
        """Run an assignment."""
        held = Held(self.run.expressions.evaluate(node.value, frame), self.run.place(node.value, frame))
        for target in node.targets:
            self.assign(target, held, frame)
        return None

    def annotated_statement(self, node: ast.AnnAssign, frame: Frame) -> Done:
        """Run an assignment with an annotation."""
        if node.value is not None:
            held = Held(self.run.expressions.evaluate(node.value, frame), self.run.place(node.value, frame))
            self.assign(node.target, held, frame)
        return None

    def augmented_statement(self, node: ast.AugAssign, frame: Frame) -> Done:
        """Run an assignment in place."""
        target = _loaded(node.target)
        left = self.run.expressions.evaluate(target, frame)
        right = self.run.expressions.evaluate(node.value, frame)
        if isinstance(node.op, ast.BitOr) and isinstance(left, Table):
            self.run.objects.merge(left, right)
            return None
        if isinstance(node.op, ast.Add) and isinstance(left, Seq) and left.kind == "list":
            self.extend(left, self.run.objects.iterate(right))
            return None
        if isinstance(left, Either) or (isinstance(left, Mutable) and not isinstance(left, Seq)):
            self.run.open(left, AT_RUN_TIME)
        value = self.run.operations.binary(type(node.op), left, right)
        if isinstance(left, Seq) and left.kind != "tuple":
            items = value.items if isinstance(value, Seq) else None
            self.run.state.write(left, ITEMS, Held(Items(items) if items is not None else Unknown()))
            return None
        self.assign(node.target, Held(value, self.run.place(node.value, frame)), frame)
        return None

    def extend(self, sequence: Seq, held: tuple[Held, ...] | None) -> None:
        """Append items to a list; None: unknown ones."""
        items = sequence.items
        if items is None or held is None or len(items) + len(held) > 10_000:
            self.run.state.write(sequence, ITEMS, Held(Unknown("unknown items are added")))
        else:
            self.run.state.write(sequence, ITEMS, Held(Items((*items, *held))))

    def assign(self, target: ast.expr, held: Held, frame: Frame) -> None:
        """Assign to a name, an attribute, an item, or to several by unpacking."""
        if isinstance(target, ast.Name):
            self.run.state.write(self.run.expressions.home(target.id, frame), target.id, held._replace(optional=False))
        elif isinstance(target, ast.Attribute):
            self.run.objects.set_attribute(self.run.expressions.evaluate(target.value, frame), target.attr, held)
        elif isinstance(target, ast.Subscript):
            self._assign_item(target, held, frame)
        elif isinstance(target, ast.Starred):
            self.assign(target.value, held, frame)
        elif isinstance(target, ast.Tuple | ast.List):
            self._assign_all(target.elts, held.value, frame)

    def _assign_item(self, target: ast.Subscript, held: Held | None, frame: Frame) -> None:
        container = self.run.expressions.evaluate(target.value, frame)
        if isinstance(target.slice, ast.Slice):
            self.run.open(container, AT_RUN_TIME)
        else:
            self.run.objects.set_item(container, self.run.expressions.evaluate(target.slice, frame), held)

    def _assign_all(self, targets: list[ast.expr], value: Value, frame: Frame) -> None:
        items = self._unpacked(value, len(targets))
        starred = next((i for i, t in enumerate(targets) if isinstance(t, ast.Starred)), None)
        if items is not None and starred is not None and len(items) >= len(targets) - 1:
            after = len(items) - (len(targets) - starred - 1)
            items = [*items[:starred], Held(Seq("list", items[starred:after])), *items[after:]]
        if items is None or len(items) != len(targets):
            self.run.raises()
            items = [Held(Unknown(value.why if isinstance(value, Unknown) else AT_RUN_TIME))] * len(targets)
        for target, held in zip(targets, items, strict=True):
            self.assign(target, held, frame)

    def _unpacked(self, value: Value, count: int) -> list[Held] | None:
        """Return the items of a value; of each of several values, joined, if each has `count` items."""
        parts = [self.run.objects.iterate(part) for part in alternatives(value)]
        known = [part for part in parts if part is not None and (len(parts) == 1 or len(part) == count)]
        if len(known) < len(parts):
            return None
        columns = zip(*known, strict=True)
        return [functools.reduce(lambda one, other: join_held(one, other) or other, column) for column in columns]

    def delete_statement(self, node: ast.Delete, frame: Frame) -> Done:
        """Run `del`."""
        for target in node.targets:
            if isinstance(target, ast.Name):
                self.run.state.write(self.run.expressions.home(target.id, frame), target.id, None)
            elif isinstance(target, ast.Attribute):
                value = self.run.expressions.evaluate(target.value, frame)
                if isinstance(value, Mutable):
                    self.run.state.write(value, target.attr, None)
            elif isinstance(target, ast.Subscript):
                self._assign_item(target, None, frame)
        return None

    def global_statement(self, node: ast.Global | ast.Nonlocal, frame: Frame) -> Done:
        """Run `global` and `nonlocal`."""
        for name in node.names:
            frame.elsewhere[name] = "global" if isinstance(node, ast.Global) else "nonlocal"
        return None


def _loaded(target: ast.expr) -> ast.expr:
    """Return the expression that reads what `target` assigns to."""
    if isinstance(target, ast.Name):
        return ast.copy_location(ast.Name(target.id, ast.Load()), target)
    return target
