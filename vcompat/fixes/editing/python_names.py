"""Renames and removes settings in Python files. The text around them is not changed."""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections.abc import Iterator
from typing import NamedTuple

from vcompat.fixes.editing.change import RENAME, Cannot, Edit
from vcompat.fixes.editing.edited_text import Text
from vcompat.fixes.editing.python_items import around, is_blank, without_item

#: Functions and methods that set what their first or second argument names.
_SETTERS = ("setattr", "setdefault", "putenv", "__setitem__")
#: Calls without an effect: what they compute can be left out.
_PURE = frozenset("int float str bool list tuple dict len min max round get getenv join".split())


class _Found(NamedTuple):
    """The place that sets a setting."""

    item: ast.keyword | tuple[ast.expr, ast.expr] | None
    """A keyword argument, or key and value of a dictionary literal; None if a statement sets it."""
    parent: ast.AST
    """The call, the dictionary or the statement."""
    name: ast.AST
    """The node that has the name."""
    value: ast.expr


def rename_or_remove(data: bytes, edit: Edit) -> bytes:
    """Return the file with the setting renamed or removed. Raises Cannot with the reason."""
    encoding = tokenize.detect_encoding(io.BytesIO(data).readline)[0]
    try:
        text = Text(data.decode(encoding))
        tree = ast.parse(data)
    except (SyntaxError, ValueError) as error:
        raise Cannot(f"{edit.place}: Python cannot parse this file: {error}") from None
    source = _Source(tree, text, edit)
    place = next(source.candidates(), None)
    if place is None:
        raise Cannot(f"change {edit.place} by hand: {edit}")
    source.check_uses(place)
    new = source.renamed(place) if edit.action == RENAME else source.removed(place)
    return new.encode(encoding)


class _Source:
    """A file and the change to make."""

    def __init__(self, tree: ast.Module, text: Text, edit: Edit) -> None:
        self.tree, self.text, self.edit = tree, text, edit
        self.at = text.offset(edit.place.line, edit.place.column)

    def start(self, node: ast.AST) -> int:
        """Return the index at which a node starts."""
        return self.text.offset_of_bytes(node.lineno, node.col_offset)  # type: ignore[attr-defined]

    def end(self, node: ast.AST) -> int:
        """Return the index after a node."""
        return self.text.offset_of_bytes(node.end_lineno, node.end_col_offset)  # type: ignore[attr-defined]

    # Finding

    def candidates(self) -> Iterator[_Found]:
        """Yield what sets the setting at the position."""
        for node in ast.walk(self.tree):
            if isinstance(node, ast.Call):
                yield from self._of_call(node)
            elif isinstance(node, ast.Dict):
                yield from self._of_literal(node)
            elif isinstance(node, ast.Assign) and len(node.targets) == 1:
                yield from self._of_target(node, node.targets[0], node.value)
            elif isinstance(node, ast.AnnAssign) and node.value is not None:
                yield from self._of_target(node, node.target, node.value)
            elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
                yield from self._of_setter(node, node.value)

    def _of_call(self, call: ast.Call) -> Iterator[_Found]:
        for keyword in call.keywords:
            if keyword.arg == self.edit.setting and self._is_at(keyword, keyword.value):
                yield _Found(keyword, call, keyword, keyword.value)

    def _of_literal(self, literal: ast.Dict) -> Iterator[_Found]:
        for key, value in zip(literal.keys, literal.values, strict=True):
            if key is not None and self._is_name(key) and self._is_at(key, value):
                yield _Found((key, value), literal, key, value)

    def _of_target(self, statement: ast.stmt, target: ast.expr, value: ast.expr) -> Iterator[_Found]:
        if isinstance(target, ast.Attribute) and target.attr == self.edit.setting and self._is_at(target, value):
            yield _Found(None, statement, target, value)
        elif isinstance(target, ast.Subscript) and self._is_name(target.slice) and self._is_at(target, value):
            yield _Found(None, statement, target.slice, value)

    def _of_setter(self, statement: ast.stmt, call: ast.Call) -> Iterator[_Found]:
        name = next((argument for argument in call.args if self._is_name(argument)), None)
        if _called(call) in _SETTERS and name is not None and not call.keywords and self._is_at(*call.args):
            yield _Found(None, statement, name, call.args[-1])

    def _is_name(self, node: ast.expr) -> bool:
        return isinstance(node, ast.Constant) and node.value == self.edit.setting

    def _is_at(self, *nodes: ast.AST) -> bool:
        return any(self.start(node) == self.at for node in nodes)

    # Checking

    def check_uses(self, place: _Found) -> None:
        """Raise Cannot if other code refers to the setting by its name."""
        if self.edit.action == RENAME:
            self._check_free(place)
        else:
            _check_effects(place.value, self.edit)
        if self.edit.is_variable:
            return
        for node in ast.walk(self.tree):
            if node is not place.name and self._refers(node, place):
                raise Cannot(f"{self.edit.place}: line {node.lineno} uses {self.edit.setting}, too")  # type: ignore[attr-defined]

    def _check_free(self, found: _Found) -> None:
        """Raise Cannot if the new name is taken."""
        new, parent = str(self.edit.value), found.parent
        keywords = parent.keywords if isinstance(parent, ast.Call) else []
        keys = parent.keys if isinstance(parent, ast.Dict) else []
        names = [keyword.arg for keyword in keywords] + [getattr(key, "value", None) for key in keys]
        is_open = None in names and new in self.text.text
        if new in names or is_open:
            might = "might already set" if is_open else "already sets"
            raise Cannot(f"{self.edit.place}: the call {might} {new}")

    def _refers(self, node: ast.AST, place: _Found) -> bool:
        """Whether a node refers to the setting, in the object or the dictionary that the place belongs to."""
        if isinstance(node, ast.Attribute) and node.attr == self.edit.setting:
            return isinstance(node.value, ast.Name) and node.value.id == self._variable(place)
        is_call = isinstance(place.parent, ast.Call) and _called(place.parent) not in ("dict", "update")
        return isinstance(node, ast.Constant) and node.value == self.edit.setting and not is_call

    def _variable(self, place: _Found) -> str:
        """Return the variable that has the object; empty if it is not known."""
        if isinstance(place.name, ast.Attribute):
            return getattr(place.name.value, "id", "")
        for node in ast.walk(self.tree):
            if isinstance(node, ast.Assign) and node.value is place.parent and len(node.targets) == 1:
                return getattr(node.targets[0], "id", "")
        return ""

    # Changing

    def renamed(self, place: _Found) -> str:
        """Return the text with the setting renamed."""
        old, new = self.edit.setting, str(self.edit.value)
        start, end = self.start(place.name), self.end(place.name)
        if isinstance(place.name, ast.Attribute):
            start = end - len(old)
        elif isinstance(place.name, ast.keyword):
            end = start + len(old)
        else:
            quoted = re.fullmatch(rf"(['\"]+){re.escape(old)}(['\"]+)", self.text.text[start:end])
            if quoted is None:
                raise Cannot(f"{self.edit.place}: the name {old} is not written plainly")
            start, end = start + len(quoted[1]), end - len(quoted[2])
        return self.text.replaced(start, end, new)

    def removed(self, place: _Found) -> str:
        """Return the text without the setting."""
        if place.item is None:
            return self._without_statement(place.parent)
        if isinstance(place.item, ast.keyword):
            return self._without_item(self.start(place.item), self.end(place.item))
        return self._without_item(self.start(place.item[0]), self._after_parentheses(self.end(place.value)))

    def _after_parentheses(self, end: int) -> int:
        """Return the index after the parentheses around a value of a dictionary, which the value does not include."""
        while (after := around(self.text, end, end)[1]) is not None and after.text == ")":
            end = after.end
        return end

    def _without_statement(self, statement: ast.AST) -> str:
        start, end = self.start(statement), self.end(statement)
        body = next(
            block
            for node in ast.walk(self.tree)
            for block in (getattr(node, "body", []), getattr(node, "orelse", []), getattr(node, "finalbody", []))
            if isinstance(block, list) and statement in block
        )
        first, after = self.text.line_start(start), self.text.line_end(end)
        if len(body) == 1 and body is not self.tree.body:
            return self.text.replaced(start, end, "pass")
        if self.text.text[first:start].strip() or not is_blank(self.text.text[end:after]):
            raise Cannot(f"{self.edit.place}: remove {self.edit.setting} by hand, it shares its line")
        return self.text.replaced(first, after, "")

    def _without_item(self, start: int, end: int) -> str:
        removed = without_item(self.text, start, end)
        if removed is None:
            raise Cannot(f"{self.edit.place}: remove {self.edit.setting} by hand")
        return removed


def _called(call: ast.Call) -> str:
    return call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")


def _check_effects(value: ast.expr, edit: Edit) -> None:
    """Raise Cannot if computing `value` may have an effect, which would be lost."""
    for node in ast.walk(value):
        calls = isinstance(node, ast.Call) and _called(node) not in _PURE
        if calls or isinstance(node, ast.NamedExpr | ast.Await | ast.Yield | ast.YieldFrom):
            raise Cannot(f"{edit.place}: {edit.setting} is computed, and computing it may have an effect")
