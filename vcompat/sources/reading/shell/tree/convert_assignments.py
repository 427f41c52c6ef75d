"""Converts assignments and the arguments of declarations."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from vcompat.sources.reading.shell.tree.convert_tests import Tests
from vcompat.sources.reading.shell.tree.convert_words import Piece, filled
from vcompat.sources.reading.shell.tree.nodes import Assignment, Declaration, Declared, Element, Index, Written
from vcompat.sources.reading.shell.tree.source import NotFollowed

if TYPE_CHECKING:
    import tree_sitter

_LEFT = re.compile(r"([A-Za-z_][A-Za-z0-9_]*)(?=\[|\+?=)")
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


class Assignments(Tests):
    """Converts assignments."""

    def groups(self, nodes: Sequence[tree_sitter.Node]) -> list[list[tree_sitter.Node]]:
        """Return the nodes of each word. Raises NotFollowed if there is more than blanks between words."""
        result: list[list[tree_sitter.Node]] = []
        for node in nodes:
            gap = self.source.data[result[-1][-1].end_byte : node.start_byte] if result else b""
            if not re.fullmatch(rb"(?:[ \t\n]|\\\n)*", gap):
                raise self.fail()
            if result and result[-1][-1].type != "comment" and not gap.replace(b"\\\n", b""):
                result[-1].append(node)
            else:
                result.append([node])
        return [group for group in result if group[0].type != "comment"]

    def assignment(self, group: Sequence[tree_sitter.Node]) -> Assignment | None:
        """Convert adjacent nodes as an assignment; None if they are something else."""
        array = next((child for child in group[0].children if child.type == "array"), None)
        end = array.start_byte if array is not None else group[-1].end_byte
        pieces = self.pieces(group[0].start_byte, end, group)
        match = _LEFT.match(pieces[0].text) if pieces else None
        if match is None:
            return None
        index: Index | None = None
        rest = [Piece(pieces[0].text[match.end() :]), *pieces[1:]]
        if rest[0].text.startswith("["):
            try:
                index, rest = self.index(rest)
            except NotFollowed:
                return None
        equals = re.match(r"\+?=", rest[0].text) if rest else None
        if equals is None:
            return None
        result = Assignment(match[1], index, is_appended=equals[0] == "+=")
        value = filled([Piece(rest[0].text[equals.end() :]), *rest[1:]])
        if array is not None:
            if value or len(group) > 1 or array.end_byte != group[0].end_byte:
                raise self.fail()
            return replace(result, elements=self._elements(array))
        return replace(result, value=Written(self.parts(value))) if value else result

    def _elements(self, array: tree_sitter.Node) -> tuple[Element, ...]:
        inner = array.children
        if inner[0].type != "(" or inner[-1].type != ")" or array.has_error:
            raise self.fail()
        return tuple(self._element(group) for group in self.groups(inner[1:-1]))

    def _element(self, group: Sequence[tree_sitter.Node]) -> Element:
        pieces = self.pieces(group[0].start_byte, group[-1].end_byte, group)
        if pieces[0].text.startswith("["):
            index, rest = self.index(pieces)
            if rest and rest[0].text.startswith("="):
                value = filled([Piece(rest[0].text[1:]), *rest[1:]])
                return Element(Written(self.parts(value)), index)
            if rest and rest[0].text.startswith("+="):
                raise self.fail()
        return Element(Written(self.parts(pieces)))

    def declaration(self, nodes: Sequence[tree_sitter.Node], line: int) -> Declaration:
        """Convert `export`, `declare` and alike."""
        groups = self.groups(nodes)
        kind = self.source.text(groups[0][0].start_byte, groups[0][-1].end_byte)
        return Declaration(line, kind, tuple(self._argument(group) for group in groups[1:]))

    def _argument(self, group: Sequence[tree_sitter.Node]) -> Assignment | Declared | Written:
        assignment = self.assignment(group)
        if assignment is not None:
            return assignment
        text = self.source.text(group[0].start_byte, group[-1].end_byte)
        if _NAME.fullmatch(text):
            return Declared(text)
        return self.word(group)
