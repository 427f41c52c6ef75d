"""Converts words from the tree of tree-sitter-bash: literal texts, quotes, parameters and substitutions.

Of the tree, only the positions of quoted texts and substitutions are used (`atoms`). What is between them is read from
the text, because the tree drops blanks and has several shapes for one text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from enum import Enum
from typing import TYPE_CHECKING, NamedTuple

from vcompat.sources.reading.shell.tree.nodes import (
    ArithmeticExpansion,
    CommandSubstitution,
    DoubleQuoted,
    Expression,
    ExtendedPattern,
    Literal,
    Parameter,
    Part,
    ProcessSubstitution,
    SingleQuoted,
    Statement,
    Written,
)
from vcompat.sources.reading.shell.tree.source import NotFollowed, Source

if TYPE_CHECKING:
    import tree_sitter

_ATOMS = frozenset(
    "string raw_string ansi_c_string translated_string expansion command_substitution process_substitution "
    "arithmetic_expansion".split()
)
_SHORT = re.compile(r"\$(?:([A-Za-z_][A-Za-z0-9_]*)|([0-9@*#?$!-]))")
_BRACED = re.compile(r"\$\{((?:[^{}'\"`\\$]|\$\w+|\$\{[^{}'\"`\\$]*\})*)\}")
_BACKQUOTES = re.compile(r"`((?:[^`\\]|\\.)*)`", re.DOTALL)
#: The pattern of ``@(a|b)``, which the shell needs an option for.
_EXTENDED = re.compile(r"[?*+@!]\((?:[^()'\"`$\\]|\\.)*\)")
_META = frozenset(" \t\n;|&<>()")
#: A line end that is not after a backslash.
BREAK = re.compile(rb"(?<!\\)\n")
#: Maximum nesting of commands and words.
DEEPEST = 120


class Piece(NamedTuple):
    """A part of a word: literal text, or a node of the tree."""

    text: str
    atom: tree_sitter.Node | None = None


#: Where a text is, which decides what is special in it. BRACES: in ``${...}``.
Mode = Enum("Mode", "WORD QUOTES DOCUMENT BRACES PATTERN")


#: An expression without anything in it.
NOTHING = Written()


def filled(pieces: Sequence[Piece]) -> list[Piece]:
    """Return pieces without empty texts."""
    return [piece for piece in pieces if piece.text or piece.atom]


def atoms(nodes: Sequence[tree_sitter.Node], data: bytes) -> Iterator[tree_sitter.Node]:
    """Yield the outermost quoted texts and substitutions in nodes."""
    pending = list(reversed(nodes))
    while pending:
        node = pending.pop()
        if node.type in _ATOMS:
            # Backquotes are read from the text: the tree has those inside of them wrong.
            if node.type != "command_substitution" or not data[node.start_byte : node.end_byte].lstrip().startswith(
                b"`"
            ):
                yield node
        elif node.child_count:
            pending += reversed(node.children)


def _drop_dollar(parts: list[Part]) -> None:
    """Remove the dollar before a quoted text at the end of `parts`: the tree has that of ``$"..."`` apart in places."""
    last = parts[-1] if parts else None
    text = last.text if isinstance(last, Literal) else ""
    if isinstance(text, str) and re.search(r"(?<!\\)(\\\\)*\$$", text):
        parts[-1:] = [Literal(text[:-1])] if len(text) > 1 else []


class Words:
    """Converts words."""

    def __init__(self, source: Source, depth: int = 0) -> None:
        self.source = source
        self.depth = depth
        self.at = source.lines[0]
        """The line of the statement that is being converted."""

    def fail(self) -> NotFollowed:
        """Return the exception for a part that is not converted."""
        return NotFollowed(self.at)

    # What `convert_commands` and `convert_arithmetic` add.

    def statements(self, nodes: Sequence[tree_sitter.Node]) -> list[Statement]:
        """Convert statements."""
        raise NotImplementedError

    def commands_of(self, text: str) -> list[Statement]:
        """Convert the text of a command substitution with backquotes."""
        raise NotImplementedError

    def arithmetic(self, pieces: Sequence[Piece]) -> Expression | None:
        """Convert an arithmetic expression; None if it is empty."""
        raise NotImplementedError

    def parameter(self, pieces: Sequence[Piece]) -> Parameter:
        """Convert what is between the braces of ``${...}``."""
        raise NotImplementedError

    # Words.

    def pieces(self, start: int, end: int, nodes: Sequence[tree_sitter.Node]) -> list[Piece]:
        """Return what is between two positions as literal texts and atoms."""
        result: list[Piece] = []
        for atom in atoms(nodes, self.source.data):
            first = self._start(atom)
            if atom.end_byte > end:
                break
            result += [Piece(self.source.text(start, first)), Piece("", atom)]
            start = atom.end_byte
        return filled([*result, Piece(self.source.text(start, end))])

    def _start(self, atom: tree_sitter.Node) -> int:
        """Return where a node starts: in quotes, some start with the blanks before them."""
        start = atom.start_byte
        while self.source.data[start : start + 1] in (b" ", b"\t", b"\n"):
            start += 1
        return start

    def word(self, nodes: Sequence[tree_sitter.Node], mode: Mode = Mode.WORD) -> Written:
        """Convert adjacent nodes as one word."""
        return Written(self.parts(self.pieces(nodes[0].start_byte, nodes[-1].end_byte, nodes), mode))

    def parts(self, pieces: Sequence[Piece], mode: Mode = Mode.WORD) -> tuple[Part, ...]:
        """Convert pieces."""
        result: list[Part] = []
        for piece in pieces:
            if piece.atom is not None:
                if piece.atom.type == "string":
                    _drop_dollar(result)
                result.append(self._atom(piece.atom))
            else:
                result += self._scanned(piece.text, mode)
        return tuple(result)

    def _scanned(self, text: str, mode: Mode) -> Iterator[Part]:
        start = index = 0
        while index < len(text):
            special = self._special(text, index, mode)
            if special is None:
                index += 2 if text[index] == "\\" else 1
                continue
            if index > start:
                yield Literal(text[start:index])
            part, index = special
            yield part
            start = index
        if index > start:
            yield Literal(text[start:])

    def _special(self, text: str, index: int, mode: Mode) -> tuple[Part, int] | None:
        """Return the part that starts at a position, and its end; None if it is an ordinary character."""
        char, unquoted = text[index], mode not in (Mode.QUOTES, Mode.DOCUMENT)
        if char == "$":
            return self._parameter_at(text, index, unquoted)
        if char == "`":
            match = _BACKQUOTES.match(text, index)
            if match is None:
                raise self.fail()
            inner = re.sub(r"\\([$`\\\"])" if mode == Mode.QUOTES else r"\\([$`\\])", r"\1", match[1])
            return CommandSubstitution(tuple(self.commands_of(inner))), match.end()
        if char in "?*+@!" and mode in (Mode.WORD, Mode.PATTERN) and (match := _EXTENDED.match(text, index)):
            return ExtendedPattern(match[0]), match.end()
        if char in ("'", '"') and unquoted:
            return self._plain_quotes(text, index)
        if (mode == Mode.WORD and char in _META) or (char == '"' and mode == Mode.QUOTES):
            raise self.fail()
        return None

    def _parameter_at(self, text: str, index: int, unquoted: bool) -> tuple[Part, int] | None:
        if match := _SHORT.match(text, index):
            return Parameter(match[1] or match[2]), match.end()
        if match := _BRACED.match(text, index):
            return self.parameter([Piece(match[1])]), match.end()
        if text[index + 1 : index + 2] in ("{", "(", "[") or (unquoted and text[index + 1 : index + 2] in ("'", '"')):
            raise self.fail()
        return None

    def _plain_quotes(self, text: str, index: int) -> tuple[Part, int]:
        """Convert quotes of which the tree has no node, such as those in patterns."""
        if match := re.compile(r"'([^']*)'").match(text, index):
            return SingleQuoted(match[1]), match.end()
        if match := re.compile(r'"((?:[^"\\]|\\.)*)"', re.DOTALL).match(text, index):
            return DoubleQuoted(tuple(self._scanned(match[1], Mode.QUOTES))), match.end()
        raise self.fail()

    # Atoms.

    def _atom(self, node: tree_sitter.Node) -> Part:
        self.depth += 1
        try:
            if self.depth > DEEPEST or node.has_error:
                raise self.fail()
            return self._converted(node)
        finally:
            self.depth -= 1

    def _converted(self, node: tree_sitter.Node) -> Part:
        kind, text = node.type, self.source.text(self._start(node), node.end_byte)
        if kind in ("raw_string", "ansi_c_string"):
            match = re.fullmatch(r"(\$?)'(.*)'", text, re.DOTALL)
            if match is None or (not match[1] and "'" in match[2]):
                raise self.fail()
            return SingleQuoted(match[2], ansi=bool(match[1]))
        if kind == "translated_string":
            return self._converted(node.children[1])
        if kind == "string":
            if not re.fullmatch(r'".*"', text, re.DOTALL):
                raise self.fail()
            return DoubleQuoted(self.parts(self._inside(node, 1, 1), Mode.QUOTES))
        if kind == "expansion":
            if not re.fullmatch(r"\$\{.*\}", text, re.DOTALL):
                raise self.fail()
            return self.parameter(self._inside(node, 2, 1))
        if kind == "arithmetic_expansion":
            width = 1 if text.startswith("$[") else 2
            return ArithmeticExpansion(self.arithmetic(self._inside(node, 1 + width, width)))
        return self._substitution(node, text)

    def _inside(self, node: tree_sitter.Node, before: int, after: int) -> list[Piece]:
        return self.pieces(self._start(node) + before, node.end_byte - after, node.children)

    def _substitution(self, node: tree_sitter.Node, text: str) -> Part:
        if not re.match(r"[$<>]\((?!\()", text) or not text.endswith(")"):
            raise self.fail()
        statements = tuple(self.statements(node.children[1:-1]))
        return CommandSubstitution(statements) if text[0] == "$" else ProcessSubstitution(statements)
