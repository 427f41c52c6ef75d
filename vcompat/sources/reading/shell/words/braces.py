"""Brace expansion: ``{0..3}``, ``{a,b}``. It comes before every other expansion of a word."""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence

from vcompat.sources.reading.shell.tree.nodes import Part
from vcompat.sources.reading.shell.words.shell_values import MOST_WORDS
from vcompat.sources.reading.word import UNKNOWN_WORDS, Word, concat

#: A character that is not quoted, a quoted text, or a part of the word that is expanded later.
Token = tuple[Word, bool] | Part
_SEQUENCE = re.compile(r"(-?\d{1,9})\.\.(-?\d{1,9})(?:\.\.(-?\d{1,9}))?|([A-Za-z])\.\.([A-Za-z])(?:\.\.(-?\d{1,3}))?")
#: Maximum number of groups after or in each other.
_DEEPEST = 20


def braced(tokens: Sequence[Token], depth: int = 0) -> list[list[Token]]:
    """Return the words that brace expansion makes of a word."""
    opening = _find_group(tokens)
    if opening is None:
        return [list(tokens)]
    if depth == _DEEPEST:
        return [[(UNKNOWN_WORDS, False)]]
    start, end, commas = opening
    inside = tokens[start + 1 : end]
    tails = braced(tokens[end + 1 :], depth + 1)
    if commas:
        edges = [start, *commas, end]
        middles = [
            word for first, last in itertools.pairwise(edges) for word in braced(tokens[first + 1 : last], depth + 1)
        ]
    else:
        middles = [[(text, True)] for text in _sequence(inside)]
    if len(middles) * len(tails) > MOST_WORDS:
        return [[(UNKNOWN_WORDS, False)]]
    return [[*tokens[:start], *middle, *tail] for middle in middles for tail in tails]


def _find_group(tokens: Sequence[Token]) -> tuple[int, int, list[int]] | None:
    """Return the position of the first brace that opens a group, that of its end, and of its commas."""
    for start, token in enumerate(tokens):
        if token != ("{", False):
            continue
        depth, commas = 0, []
        for at in range(start, len(tokens)):
            char = tokens[at]
            depth += (char == ("{", False)) - (char == ("}", False))
            if char == (",", False) and depth == 1:
                commas.append(at)
            if depth == 0:
                if commas or _sequence(tokens[start + 1 : at]):
                    return start, at, commas
                break
    return None


def _sequence(tokens: Sequence[Token]) -> list[Word]:
    """Return the values of ``0..3`` or ``a..c``; none if it is something else."""
    match = _SEQUENCE.fullmatch(_plain(tokens))
    if match is None:
        return []
    are_numbers = match[1] is not None
    ends = match.group(1, 2) if are_numbers else match.group(4, 5)
    first, last = map(int if are_numbers else ord, ends)
    step = abs(int(match[3] or match[6] or 1)) or 1
    values = range(first, last + 1, step) if first <= last else range(first, last - 1, -step)
    if len(values) > MOST_WORDS:
        return [UNKNOWN_WORDS]
    width = max(map(len, ends)) if any(re.fullmatch(r"-?0\d+", end) for end in ends) else 0
    return [str(value).zfill(width) if are_numbers else chr(value) for value in values]


def _plain(tokens: Sequence[Token]) -> str:
    """Return the text of tokens; empty if one of them is quoted, or is not known."""
    texts = [token[0] for token in tokens if isinstance(token, tuple) and not token[1]]
    text = concat(texts) if len(texts) == len(tokens) else ""
    return text if isinstance(text, str) else ""
