"""Converts arithmetic expressions.

The operators are read from the text, with the precedence that bash documents: the tree has other ones in places.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from vcompat.sources.reading.shell.tree.convert_parameters import Parameters
from vcompat.sources.reading.shell.tree.convert_words import NOTHING, Mode, Piece
from vcompat.sources.reading.shell.tree.nodes import (
    Binary,
    Expression,
    Grouped,
    Index,
    Literal,
    Parameter,
    Unary,
    Written,
)
from vcompat.sources.reading.shell.tree.source import NotFollowed
from vcompat.sources.reading.word import MARKS

_TOKEN = re.compile(
    r"(?P<blank>(?:\s|\\\n)+)|(?P<operator><<=|>>=|\*\*|\+\+|--|&&|\|\||<<|>>|[-+*/%&|^<>=!]=|[-+*/%&|^<>=!~?:,()])"
    rf"|(?P<word>(?:[A-Za-z0-9_@#.{MARKS}]"
    r"|\$[A-Za-z_]\w*|\$[0-9@*#?$!-]|\$\{[^{}'\"`\\$]*\})+)"
)
_NAME = r"[A-Za-z_]\w*"
#: Binary operators by precedence, the lowest first. The assignment, the condition and the comma are apart.
_LEVELS = ("||", "&&", "|", "^", "&", "== !=", "< > <= >=", "<< >>", "+ -", "* / %", "**")
_ASSIGNMENTS = frozenset("= += -= *= /= %= <<= >>= &= |= ^=".split())
#: Maximum nesting of an expression.
_DEEPEST = 20


class _Token:
    """An operator, or a word as pieces."""

    def __init__(self, operator: str = "", word: Written | None = None) -> None:
        self.operator, self.word = operator, word


class Arithmetic(Parameters):
    """Converts arithmetic expressions."""

    def arithmetic(self, pieces: Sequence[Piece]) -> Expression | None:
        """Convert an arithmetic expression; None if it is empty."""
        tokens = self._tokens(pieces)
        if not tokens:
            return None
        parser = _Parser(tokens)
        try:
            result = parser.comma(0)
        except (IndexError, ValueError):
            raise self.fail() from None
        if parser.position < len(tokens):
            raise self.fail()
        return result

    def arithmetic_or_word(self, pieces: Sequence[Piece]) -> Index:
        """Convert an expression that may be the key of an associative array."""
        try:
            return self.arithmetic(pieces) or NOTHING
        except NotFollowed:
            return Written(self.parts(pieces, Mode.BRACES))

    def _tokens(self, pieces: Sequence[Piece]) -> list[_Token]:
        tokens: list[_Token] = []
        word: list[Piece] = []
        rest = list(pieces)
        while rest:
            piece = rest.pop(0)
            if piece.atom is not None:
                word.append(piece)
                continue
            self._of_text(piece.text, rest, word, tokens)
        self._end(word, tokens)
        return tokens

    def _of_text(self, text: str, rest: list[Piece], word: list[Piece], tokens: list[_Token]) -> None:
        position = 0
        while position < len(text):
            if text[position] == "[" and len(word) == 1 and re.fullmatch(_NAME, word[0].text):
                index, following = self.index([Piece(text[position:]), *rest])
                name = word.pop().text
                tokens.append(_Token(word=Written((Parameter(name, index),))))
                rest[:] = following
                return
            match = _TOKEN.match(text, position)
            if match is None:
                raise self.fail()
            position = match.end()
            if match["word"]:
                word.append(Piece(match[0]))
                continue
            self._end(word, tokens)
            if match["operator"]:
                tokens.append(_Token(match[0]))

    def _end(self, word: list[Piece], tokens: list[_Token]) -> None:
        if word:
            tokens.append(_Token(word=Written(self.parts(word, Mode.QUOTES))))
            word.clear()

    def arithmetic_of_word(self, pieces: Sequence[Piece]) -> Expression:
        """Convert an argument of `let`, whose quotes are removed before it is evaluated."""
        if len(pieces) == 1 and pieces[0].atom is not None and pieces[0].atom.type in ("string", "raw_string"):
            atom = pieces[0].atom
            pieces = self.pieces(atom.start_byte + 1, atom.end_byte - 1, atom.children)
        elif any(self._may_assign(piece) for piece in pieces):
            raise self.fail()
        return self.arithmetic(pieces) or NOTHING

    def _may_assign(self, piece: Piece) -> bool:
        """Whether a quoted part of an argument of `let` has an assignment, which would be taken for a text."""
        if piece.atom is None or not piece.atom.type.endswith("string"):
            return False
        return re.search(r"=|\+\+|--", self.source.text(piece.atom.start_byte, piece.atom.end_byte)) is not None


class _Parser:
    """Combines tokens by precedence. Raises IndexError or ValueError at what is not an expression."""

    def __init__(self, tokens: Sequence[_Token]) -> None:
        self.tokens = tokens
        self.position = 0

    def _operator(self) -> str:
        return self.tokens[self.position].operator if self.position < len(self.tokens) else ""

    def _next(self) -> _Token:
        self.position += 1
        return self.tokens[self.position - 1]

    def comma(self, depth: int) -> Expression:
        """Convert expressions between commas."""
        left = self._assignment(depth)
        while self._operator() == ",":
            self._next()
            left = Binary(",", left, self._assignment(depth))
        return left

    def _assignment(self, depth: int) -> Expression:
        if depth > _DEEPEST:
            raise ValueError
        left = self._level(0, depth)
        if self._operator() in _ASSIGNMENTS:
            operator = self._next().operator
            if not _is_variable(left):
                raise ValueError
            return Binary(operator, left, self._assignment(depth + 1))
        if self._operator() != "?":
            return left
        self._next()
        yes = self.comma(depth + 1)
        if self._next().operator != ":":
            raise ValueError
        return Binary("?", left, Binary(":", yes, self._assignment(depth + 1)))

    def _level(self, level: int, depth: int) -> Expression:
        if level == len(_LEVELS):
            return self._unary(depth)
        left = self._level(level + 1, depth)
        while self._operator() and self._operator() in _LEVELS[level].split():
            operator = self._next().operator
            # Powers group from the right.
            left = Binary(operator, left, self._level(level + (operator != "**"), depth + (operator == "**")))
            if depth > _DEEPEST:
                raise ValueError
        return left

    def _unary(self, depth: int) -> Expression:
        if depth > _DEEPEST:
            raise ValueError
        token = self._next()
        if token.operator in ("-", "+", "!", "~", "++", "--"):
            operand = self._unary(depth + 1)
            if token.operator in ("++", "--") and not _is_variable(operand):
                raise ValueError  # Two signs.
            return Unary(token.operator, operand)
        if token.operator == "(":
            inner = self.comma(depth + 1)
            if self._next().operator != ")":
                raise ValueError
            return Grouped(inner)
        if token.word is None:
            raise ValueError
        if self._operator() in ("++", "--") and _is_variable(token.word):
            return Unary(self._next().operator, token.word, postfix=True)
        return token.word


def _is_variable(word: Expression) -> bool:
    part = word.parts[0] if isinstance(word, Written) and len(word.parts) == 1 else None
    if isinstance(part, Literal):
        return isinstance(part.text, str) and re.fullmatch(_NAME, part.text) is not None
    return isinstance(part, Parameter) and part.index is not None
