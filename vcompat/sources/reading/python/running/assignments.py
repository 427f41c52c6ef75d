"""Assignments: to names, attributes and items, several at once, in place; and ``del``."""

from __future__ import annotations

import ast

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
        if isinstance(value, Either):
            parts = [self.run.objects.iterate(part) for part in value.values]
            columns = [list(column) for column in zip(*(p for p in parts if p is not None), strict=False)]
            fits = all(p is not None and len(p) == len(targets) for p in parts)
            items = [_all_joined(column) for column in columns] if fits else None
        else:
            found = self.run.objects.iterate(value)
            items = list(found) if found is not None else None
        starred = next((i for i, t in enumerate(targets) if isinstance(t, ast.Starred)), None)
        if items is not None and starred is not None and len(items) >= len(targets) - 1:
            after = len(targets) - starred - 1
            middle = items[starred : len(items) - after]
            items = [*items[:starred], Held(Seq("list", middle)), *items[len(items) - after :]]
        if items is None or len(items) != len(targets):
            self.run.raises()
            why = value.why if isinstance(value, Unknown) else AT_RUN_TIME
            items = [Held(Unknown(why))] * len(targets)
        for index, target in enumerate(targets):
            self.assign(target, items[index], frame)

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


def _all_joined(column: list[Held]) -> Held:
    result = column[0]
    for held in column[1:]:
        result = join_held(result, held) or held
    return result
