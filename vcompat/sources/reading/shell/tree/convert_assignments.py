"""Converts assignments and the arguments of declarations."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from vcompat.sources.reading.shell.tree.convert_tests import Tests
from vcompat.sources.reading.shell.tree.convert_words import Node, Piece, filled
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

    def assignment(self, group: Sequence[tree_sitter.Node]) -> Node | None:
        """Convert adjacent nodes as an assignment; None if they are something else."""
        array = next((child for child in group[0].children if child.type == "array"), None)
        end = array.start_byte if array is not None else group[-1].end_byte
        pieces = self.pieces(group[0].start_byte, end, group)
        match = _LEFT.match(pieces[0].text) if pieces else None
        if match is None:
            return None
        result: Node = {"Name": {"Value": match[1]}}
        rest = [Piece(pieces[0].text[match.end() :]), *pieces[1:]]
        if rest[0].text.startswith("["):
            try:
                result["Index"], rest = self.index(rest)
            except NotFollowed:
                return None
        equals = re.match(r"\+?=", rest[0].text) if rest else None
        if equals is None:
            return None
        if equals[0] == "+=":
            result["Append"] = True
        value = filled([Piece(rest[0].text[equals.end() :]), *rest[1:]])
        if array is not None:
            if value or len(group) > 1 or array.end_byte != group[0].end_byte:
                raise self.fail()
            result["Array"] = {"Elems": self._elements(array)}
        elif value:
            result["Value"] = {"Parts": self.parts(value)}
        return result

    def _elements(self, array: tree_sitter.Node) -> list[Node]:
        inner = array.children
        if inner[0].type != "(" or inner[-1].type != ")" or array.has_error:
            raise self.fail()
        return [self._element(group) for group in self.groups(inner[1:-1])]

    def _element(self, group: Sequence[tree_sitter.Node]) -> Node:
        pieces = self.pieces(group[0].start_byte, group[-1].end_byte, group)
        if pieces[0].text.startswith("["):
            index, rest = self.index(pieces)
            if rest and rest[0].text.startswith("="):
                value = filled([Piece(rest[0].text[1:]), *rest[1:]])
                return {"Index": index, "Value": {"Parts": self.parts(value)}}
            if rest and rest[0].text.startswith("+="):
                raise self.fail()
        return {"Value": {"Parts": self.parts(pieces)}}

    def declaration(self, nodes: Sequence[tree_sitter.Node]) -> Node:
        """Convert `export`, `declare` and alike."""
        groups = self.groups(nodes)
        kind = self.source.text(groups[0][0].start_byte, groups[0][-1].end_byte)
        return {
            "Type": "DeclClause",
            "Variant": {"Value": kind},
            "Args": [self._argument(group) for group in groups[1:]],
        }

    def _argument(self, group: Sequence[tree_sitter.Node]) -> Node:
        assignment = self.assignment(group)
        if assignment is not None:
            return assignment
        text = self.source.text(group[0].start_byte, group[-1].end_byte)
        if _NAME.fullmatch(text):
            return {"Naked": True, "Name": {"Value": text}}
        return {"Naked": True, "Value": self.word(group)}
