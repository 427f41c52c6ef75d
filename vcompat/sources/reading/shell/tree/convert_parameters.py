"""Converts parameter expansions (``${X:-8}``) and the left side of assignments (``X[1]=``)."""

from __future__ import annotations

import re
from collections.abc import Sequence

from vcompat.sources.reading.shell.tree.convert_words import NOTHING, Mode, Node, Piece, Words, filled

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

    def parameter(self, pieces: Sequence[Piece]) -> Node:
        """Convert what is between the braces of ``${...}``."""
        first = pieces[0].text
        match = _NAME.match(first)
        if match is None:
            raise self.fail()
        result: Node = {"Type": "ParamExp", "Param": {"Value": match[3]}}
        if match[1]:
            result["Excl"] = True
        if match[2]:
            result["Length"] = True
        rest = filled([Piece(first[match.end() :]), *pieces[1:]])
        if rest and rest[0].text.startswith("["):
            result["Index"], rest = self.index(rest)
        if rest:
            self._operator(result, rest)
        return result

    def index(self, pieces: Sequence[Piece]) -> tuple[Node, list[Piece]]:
        """Convert an index in brackets, and return what follows."""
        opened = [Piece(pieces[0].text[1:]), *pieces[1:]]
        inner, end, rest = split_at(opened, "]", nested=True)
        if not end or not inner:
            raise self.fail()
        return self.arithmetic_or_word(inner), rest

    def arithmetic_or_word(self, pieces: Sequence[Piece]) -> Node:
        """Convert an expression that may be the key of an associative array."""
        raise NotImplementedError

    def _operator(self, result: Node, rest: list[Piece]) -> None:
        text, after = rest[0].text, rest[1:]
        if result.get("Length"):
            raise self.fail()
        if result.get("Excl") and not after and text in ("@", "*") and "Index" not in result:
            result["Names"] = text
        elif match := _WITH_WORD.match(text):
            following = filled([Piece(text[match.end() :]), *after])
            result["Exp"] = {"Op": match[0]}
            if following:
                result["Exp"]["Word"] = {"Parts": self.parts(following, Mode.BRACES)}
        elif text.startswith("/"):
            result["Repl"] = self._replacement([Piece(text[1:]), *after])
        elif text.startswith(":"):
            offset, colon, length = split_at([Piece(text[1:]), *after], ":", nested=True)
            result["Slice"] = {"Offset": self.arithmetic(offset)}
            if colon:
                result["Slice"]["Length"] = self.arithmetic(length) or NOTHING
        elif text.startswith("@") and not after:
            result["Exp"] = {"Op": "@", "Word": {"Parts": self.parts([Piece(text[1:])])}}
        else:
            raise self.fail()

    def _replacement(self, pieces: list[Piece]) -> Node:
        result: Node = {}
        if pieces[0].text.startswith("/"):
            result["All"] = True
            pieces[0] = Piece(pieces[0].text[1:])
        # The first character is part of the pattern, also if it is a slash.
        head = pieces[0].text[:1]
        held = [Piece(pieces[0].text[1:]), *pieces[1:]] if head == "/" else pieces
        old, slash, new = split_at(held, "/")
        old = [Piece(head), *old] if head == "/" else old
        result["Orig"] = {"Parts": self.parts(old, Mode.BRACES)}
        if slash and new:
            result["With"] = {"Parts": self.parts(new, Mode.BRACES)}
        return result
