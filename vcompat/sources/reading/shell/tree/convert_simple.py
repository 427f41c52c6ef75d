"""Converts simple commands (``A=1 prog "$B" > file``) and redirections."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from vcompat.sources.reading.shell.tree.convert_assignments import Assignments
from vcompat.sources.reading.shell.tree.convert_tests import leaves
from vcompat.sources.reading.shell.tree.convert_words import BREAK, Mode, Piece
from vcompat.sources.reading.shell.tree.nodes import (
    Assignment,
    Command,
    Expression,
    Let,
    Literal,
    Part,
    Redirection,
    SingleQuoted,
    Statement,
    Written,
)
from vcompat.sources.reading.shell.tree.nodes import Simple as SimpleCommand
from vcompat.sources.reading.shell.tree.source import HereDocument, NotFollowed, Source, decoded

if TYPE_CHECKING:
    import tree_sitter

REDIRECTS = frozenset(("file_redirect", "herestring_redirect"))
_OPERATORS = frozenset("< > >> &> &>> <& >& >| <> <<< <&- >&-".split())
_DECLARATIONS = frozenset("export declare typeset local readonly".split())
#: Words that start something else if they are the first of a command. `coproc` is not followed.
_RESERVED = frozenset(
    "if then else elif fi do done case esac while until for select function { } ! [[ ]] coproc".split()
)
_GAP = re.compile(rb"(?:[ \t\n]|\\\n)*")
_Group = list["tree_sitter.Node"]


class _Redirect(NamedTuple):
    """A redirection that is being read."""

    operator: str
    number: str
    target: _Group
    """The nodes of its word; none if it closes a descriptor."""


class Simple(Assignments):
    """Converts simple commands."""

    def converter(self, source: Source) -> Simple:
        """Return a converter for a text inside of this one."""
        raise NotImplementedError

    def test_words(self, node: tree_sitter.Node) -> list[tree_sitter.Node]:
        """Return the words of ``[ ... ]``."""
        return leaves(node.children)

    def simple(self, nodes: Sequence[tree_sitter.Node]) -> list[Statement]:
        """Convert the words and redirections of a command; several commands if there are line ends between them."""
        result = [self._command(line) for line in self._lines(self._spread(nodes))]
        if not result:
            raise self.fail()
        return result

    @staticmethod
    def _spread(nodes: Sequence[tree_sitter.Node]) -> list[tree_sitter.Node]:
        result: list[tree_sitter.Node] = []
        for node in nodes:
            result += node.children if node.type in REDIRECTS else [node]
        return result

    def _lines(self, nodes: Sequence[tree_sitter.Node]) -> list[_Group]:
        lines: list[_Group] = []
        end = 0
        for node in nodes:
            gap = self.source.data[end : node.start_byte] if lines else b"\n"
            if not _GAP.fullmatch(gap):
                raise self.fail()
            end = node.end_byte
            if node.type == "comment":
                continue
            if not lines or BREAK.search(gap):
                lines.append([])
            lines[-1].append(node)
        return lines

    def _command(self, nodes: _Group) -> Statement:
        self.at = line = self.source.line(nodes[0])
        groups, redirects = self._separated(nodes)
        first = self.source.text(groups[0][0].start_byte, groups[0][-1].end_byte) if groups else ""
        command: Command | None = None
        if first in _RESERVED:
            raise self.fail()
        if first in _DECLARATIONS:
            command = self.declaration([node for group in groups for node in group], line)
        elif first == "let":
            command = Let(line, tuple(self._expression(group) for group in groups[1:]))
        elif groups:
            command = self._call(groups, line)
        return Statement(line, command, redirects)

    def _call(self, groups: Sequence[_Group], line: int) -> SimpleCommand:
        assignments: list[Assignment] = []
        while len(assignments) < len(groups) and (target := self.assignment(groups[len(assignments)])) is not None:
            assignments.append(target)
        words = groups[len(assignments) :]
        first = self.source.text(words[0][0].start_byte, words[0][-1].end_byte) if words else ""
        if assignments and first in _RESERVED:
            raise self.fail()
        return SimpleCommand(line, tuple(assignments), tuple(self.word(group) for group in words))

    def _expression(self, group: _Group) -> Expression:
        return self.arithmetic_of_word(self.pieces(group[0].start_byte, group[-1].end_byte, group))

    # Redirections.

    def redirections(self, nodes: Sequence[tree_sitter.Node]) -> tuple[Redirection, ...]:
        """Convert redirections without other words between them."""
        lines = self._lines(self._spread(nodes))
        groups, redirects = self._separated(lines[0])
        if groups or len(lines) > 1:
            raise self.fail()
        return redirects

    def _separated(self, nodes: _Group) -> tuple[list[_Group], tuple[Redirection, ...]]:
        """Return the words of a command, and its redirections."""
        words: list[_Group] = []
        redirects: list[_Redirect] = []
        operator: tree_sitter.Node | None = None
        number, end, joined = "", 0, False
        for node in nodes:
            gap = self.source.data[end : node.start_byte]
            adjacent, end = not gap.replace(b"\\\n", b""), node.end_byte
            if not node.is_named and node.type in _OPERATORS:
                if operator is not None:
                    raise self.fail()
                number = self._number(words) if adjacent and joined else ""
                operator, joined = node, False
                if node.type in ("<&-", ">&-"):
                    redirects.append(_Redirect(node.type[:2], number, []))
                    operator = None
            elif operator is not None:
                redirects.append(_Redirect(operator.type, number, [node]))
                operator, joined = None, True
            elif adjacent and joined:
                target = redirects[-1].target if redirects else None
                last = target if target and (not words or target[0].start_byte > words[-1][0].start_byte) else words[-1]
                last.append(node)
            else:
                words.append([node])
                joined = True
        if operator is not None:
            raise self.fail()
        return words, tuple(self._redirection(*redirect) for redirect in redirects)

    def _number(self, words: list[_Group]) -> str:
        """Return the descriptor before an operator, which is not a word then."""
        if not words:
            return ""
        text = self.source.text(words[-1][0].start_byte, words[-1][-1].end_byte)
        if not re.fullmatch(r"\d+|\{\w+\}", text):
            return ""
        words.pop()
        return text

    def _redirection(self, operator: str, number: str, nodes: _Group) -> Redirection:
        if not nodes:
            return Redirection(operator, Written((Literal("-"),)), number)
        name = decoded(self.source.data[nodes[0].start_byte : nodes[-1].end_byte])
        document = self.source.documents.get(name)
        if document is None:
            return Redirection(operator, self.word(nodes), number)
        raw = re.search(r"['\"\\]", document.delimiter) is not None
        word = SingleQuoted(document.delimiter) if raw else Literal(document.delimiter)
        body = (Literal(document.body),) if raw else self._body_of(document)
        return Redirection(document.operator, Written((word,)), number, body)

    def _body_of(self, document: HereDocument) -> tuple[Part, ...]:
        """Convert the body of a here-document in which expansions count."""
        before, self.at = self.at, document.line
        try:
            return self.parts([Piece(document.body)], Mode.DOCUMENT)
        except NotFollowed:
            pass
        finally:
            self.at = before
        text = document.body if document.body.endswith("\n") else document.body + "\n"
        try:
            return self._body_as_quotes(text, document.line)
        except NotFollowed:
            pieces, inner = self._pieces_between("cat <<zqbodyq\n", text, "zqbodyq\n", document.line - 1)
            return inner.parts(pieces, Mode.DOCUMENT)

    def _body_as_quotes(self, text: str, line: int) -> tuple[Part, ...]:
        """Convert the body as a quoted text, which tree-sitter-bash knows better. Its commands must have no quotes."""
        if '\\"' in text:
            raise self.fail()
        pieces, inner = self._pieces_between('"', text.replace('"', '\\"'), '"', line)
        for piece in pieces:
            if piece.atom is not None and '\\"' in inner.source.text(piece.atom.start_byte, piece.atom.end_byte):
                raise self.fail()
        return inner.parts([Piece(piece.text.replace('\\"', '"'), piece.atom) for piece in pieces], Mode.DOCUMENT)

    def _pieces_between(self, start: str, text: str, end: str, line: int) -> tuple[list[Piece], Simple]:
        source = Source(start + text + end, max(line, 1), self.source.budget)
        root = source.parse().root_node
        if root.has_error or root.child_count != 1:
            raise self.fail()
        inner = self.converter(source)
        node = root.children[0]
        while node.child_count == 1:
            node = node.children[0]
        return inner.pieces(len(start), len(source.data) - len(end), node.children), inner
