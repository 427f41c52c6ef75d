"""Converts parameter expansions (``${X:-8}``) and the left side of assignments (``X[1]=``)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from vcompat.sources.reading.shell.tree.convert_words import NOTHING, Mode, Piece, Words, filled
from vcompat.sources.reading.shell.tree.nodes import Index, Operator, Parameter, Replacement, Slice, Written

_NAME = re.compile(r"(!?)(#(?=[A-Za-z_0-9@*#?$!-]))?([A-Za-z_][A-Za-z0-9_]*|[0-9]+|[@*#?$!-])")
_WITH_WORD = re.compile(r":[-=?+]|[-=?+]|##?|%%?|\^\^?|,,?")
_SKIPPED = re.compile(r"\\.|[^\\]")


def split_at(pieces: Sequence[Piece], end: str, nested: bool = False) -> tuple[list[Piece], str, list[Piece]]:
    """Return the pieces before and after the first character `end` in their literal texts, and that character.

    With `nested`, characters in parentheses do not count.
    """
    depth = 0
    for number, piece in enumerate(pieces):
        for match in _SKIPPED.finditer(piece.text):
            char = match[0]
            if char == end and not depth:
                before, after = Piece(piece.text[: match.start()]), Piece(piece.text[match.end() :])
                return filled([*pieces[:number], before]), char, filled([after, *pieces[number + 1 :]])
            depth += nested and ((char in ("(", "[")) - (char in (")", "]")))
    return filled(pieces), "", []


class Parameters(Words):
    """Converts parameter expansions."""

    def parameter(self, pieces: Sequence[Piece]) -> Parameter:
        """Convert what is between the braces of ``${...}``."""
        first = pieces[0].text
        match = _NAME.match(first)
        if match is None:
            raise self.fail()
        rest = filled([Piece(first[match.end() :]), *pieces[1:]])
        index: Index | None = None
        if rest and rest[0].text.startswith("["):
            index, rest = self.index(rest)
        result = Parameter(match[3], index, is_indirect=bool(match[1]), is_length=bool(match[2]))
        if not rest:
            return result
        if result.is_length:
            raise self.fail()
        if result.is_indirect and index is None and len(rest) == 1 and rest[0].text in ("@", "*"):
            return replace(result, lists_names=True)
        return replace(result, change=self._change(rest))

    def index(self, pieces: Sequence[Piece]) -> tuple[Index, list[Piece]]:
        """Convert an index in brackets, and return what follows."""
        opened = [Piece(pieces[0].text[1:]), *pieces[1:]]
        inner, end, rest = split_at(opened, "]", nested=True)
        if not end or not inner:
            raise self.fail()
        return self.arithmetic_or_word(inner), rest

    def arithmetic_or_word(self, pieces: Sequence[Piece]) -> Index:
        """Convert an expression that may be the key of an associative array."""
        raise NotImplementedError

    def _change(self, rest: list[Piece]) -> Operator | Replacement | Slice:
        text, after = rest[0].text, rest[1:]
        if match := _WITH_WORD.match(text):
            following = filled([Piece(text[match.end() :]), *after])
            return Operator(match[0], Written(self.parts(following, Mode.BRACES)) if following else None)
        if text.startswith("/"):
            return self._replacement([Piece(text[1:]), *after])
        if text.startswith(":"):
            offset, colon, length = split_at([Piece(text[1:]), *after], ":", nested=True)
            return Slice(self.arithmetic(offset), (self.arithmetic(length) or NOTHING) if colon else None)
        if text.startswith("@") and not after:
            return Operator("@", Written(self.parts([Piece(text[1:])])))
        raise self.fail()

    def _replacement(self, pieces: list[Piece]) -> Replacement:
        replaces_all = pieces[0].text.startswith("/")
        if replaces_all:
            pieces[0] = Piece(pieces[0].text[1:])
        # The first character is part of the pattern, also if it is a slash.
        head = pieces[0].text[:1]
        held = [Piece(pieces[0].text[1:]), *pieces[1:]] if head == "/" else pieces
        old, slash, new = split_at(held, "/")
        old = [Piece(head), *old] if head == "/" else old
        return Replacement(
            Written(self.parts(old, Mode.BRACES)),
            Written(self.parts(new, Mode.BRACES)) if slash and new else None,
            replaces_all,
        )
