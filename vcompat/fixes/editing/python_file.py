"""Changes Python files with libcst, which keeps comments and layout."""

from __future__ import annotations

import re
from typing import Any

import libcst as cst
from libcst.metadata import MetadataWrapper, PositionProvider

from vcompat.fixes.editing.change import ADD, SET, Cannot, Edit

_LITERALS = (cst.Integer, cst.Float, cst.SimpleString, cst.List, cst.Tuple, cst.ConcatenatedString)


def change(data: bytes, edit: Edit) -> bytes:
    """Return the file with the change. Raises Cannot if the value is computed or has moved."""
    if edit.action not in (SET, ADD):
        from vcompat.fixes.editing.python_names import rename_or_remove

        return rename_or_remove(data, edit)
    try:
        wrapper = MetadataWrapper(cst.parse_module(data))
    except cst.ParserSyntaxError as error:
        raise Cannot(f"{edit.place}: libcst cannot parse this file: {error.message}") from None
    code = edit.value if edit.is_expression else _code(edit.value, wrapper.module.code)
    kind = _Adder if edit.action == ADD else _Replacer
    editor = kind(edit, code, wrapper.module.code)
    module = wrapper.visit(editor)
    if editor.refusal:
        raise Cannot(editor.refusal)
    if not editor.done:
        raise Cannot(f"change {edit.place} by hand: {edit}")
    return module.bytes


def _code(value: Any, source: str) -> str:
    """Return a value as source code, with the quotes that the file uses."""
    code = repr(value)
    plain = isinstance(value, str) and code == f"'{value}'" and '"' not in value
    return f'"{value}"' if plain and source.count('"') > source.count("'") else code


class _Editor(cst.CSTTransformer):
    METADATA_DEPENDENCIES = (PositionProvider,)

    def __init__(self, edit: Edit, code: str, source: str) -> None:
        super().__init__()
        self.edit = edit
        self.source = source
        self.code = code
        self.done = False
        self.refusal = ""

    def is_there(self, node: cst.CSTNode) -> bool:
        start = self.get_metadata(PositionProvider, node).start
        return bool((start.line, start.column + 1) == (self.edit.place.line, self.edit.place.column))


class _Replacer(_Editor):
    """Replaces a value."""

    def __init__(self, edit: Edit, code: str, source: str) -> None:
        super().__init__(edit, code, source)
        self.value: cst.CSTNode | None = None

    def on_visit(self, node: cst.CSTNode) -> bool:
        # The value is the outermost expression that starts here; inner ones start here too, such as the 2 in `2 * n`.
        if self.value is None and isinstance(node, cst.BaseExpression) and self.is_there(node):
            self.value = node
            if not _is_literal(node):
                self.refusal = f"{self.edit.place}: {self.edit.setting} is computed, make it {self.code}"
        return super().on_visit(node)

    def on_leave(self, original_node: cst.CSTNode, updated_node: cst.CSTNode) -> cst.CSTNode:  # type: ignore[override]
        if original_node is not self.value or self.refusal:
            return updated_node
        self.done = True
        return cst.parse_expression(self.code)


class _Adder(_Editor):
    """Adds a keyword argument to the call that creates the configuration."""

    def leave_Call(self, original_node: cst.Call, updated_node: cst.Call) -> cst.Call:  # noqa: N802 - libcst's name
        if self.done or not self.is_there(original_node):
            return updated_node
        if not _makes(self.edit.owner, _last_name(updated_node.func), self.source):
            # A parser makes the configuration, of the command line or of a file.
            self.refusal = f"{self.edit.place}: the script does not call {self.edit.owner}, add {self.edit} by hand"
            return updated_node
        if any(argument.star == "**" for argument in updated_node.args):
            self.refusal = f"{self.edit.place}: **arguments might already set {self.edit.setting}"
            return updated_node
        self.done = True
        bare = cst.AssignEqual(cst.SimpleWhitespace(""), cst.SimpleWhitespace(""))
        added = cst.Arg(cst.parse_expression(self.code), keyword=cst.Name(self.edit.setting), equal=bare)
        return updated_node.with_changes(args=_with(updated_node, added))


def _makes(owner: str, called: str, source: str) -> bool:
    """Whether a call of `called` makes the configuration, and not a parser of the command line or of a file."""
    if not owner or called == owner:
        return True
    return bool(called) and bool(re.search(rf"\b{owner} as {called}\b|^\s*class {called}\b", source, re.MULTILINE))


def _last_name(called: cst.BaseExpression) -> str:
    """Return ``c`` of ``a.b.c``; empty for other expressions."""
    name = called.attr if isinstance(called, cst.Attribute) else called
    return name.value if isinstance(name, cst.Name) else ""


def _with(call: cst.Call, added: cst.Arg) -> list[cst.Arg]:
    """Return the arguments of `call` and `added`, in the layout of the existing ones."""
    if not call.args:
        return [added]
    *others, last = call.args
    between: cst.Comma | cst.MaybeSentinel = cst.Comma(whitespace_after=cst.SimpleWhitespace(" "))
    if others:
        between = others[-1].comma
    elif isinstance(call.whitespace_before_args, cst.ParenthesizedWhitespace):
        between = cst.Comma(whitespace_after=call.whitespace_before_args)
    closing = last.comma.whitespace_after if isinstance(last.comma, cst.Comma) else last.whitespace_after_arg
    if isinstance(between, cst.Comma):
        # A comment after the last argument stays with that argument.
        between = between.with_changes(whitespace_after=_with_comment(between.whitespace_after, _comment(closing)))
    if isinstance(last.comma, cst.Comma):
        comma = last.comma.with_changes(whitespace_after=_with_comment(closing, None))
        return [*others, last.with_changes(comma=between), added.with_changes(comma=comma)]
    added = added.with_changes(whitespace_after_arg=_with_comment(closing, None))
    return [*others, last.with_changes(comma=between, whitespace_after_arg=cst.SimpleWhitespace("")), added]


def _comment(space: cst.BaseParenthesizableWhitespace) -> cst.TrailingWhitespace | None:
    """Return the trailing whitespace and comment of the line in which `space` starts; None without a line break."""
    return space.first_line if isinstance(space, cst.ParenthesizedWhitespace) else None


def _with_comment(
    space: cst.BaseParenthesizableWhitespace, line: cst.TrailingWhitespace | None
) -> cst.BaseParenthesizableWhitespace:
    """Return `space` with `line` as the rest of its first line; None for an empty rest."""
    if not isinstance(space, cst.ParenthesizedWhitespace):
        return space
    empty = space.first_line.with_changes(whitespace=cst.SimpleWhitespace(""), comment=None)
    return space.with_changes(first_line=line or empty)


def _is_literal(node: cst.BaseExpression) -> bool:
    if isinstance(node, cst.Name):
        return node.value in ("True", "False", "None")
    if isinstance(node, cst.UnaryOperation):
        return isinstance(node.operator, cst.Minus) and _is_literal(node.expression)
    if isinstance(node, cst.List | cst.Tuple):
        return all(_is_literal(element.value) for element in node.elements)
    return isinstance(node, _LITERALS)
