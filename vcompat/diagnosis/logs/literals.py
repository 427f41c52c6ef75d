"""Texts that a line must contain for a symptom to match: with them, most of a log is skipped at the speed of memory."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable
from functools import lru_cache
from typing import Any

# How `re` itself parses; it has no public name. The shape of its result is the same from Python 3.10 on.
if sys.version_info >= (3, 11):
    from re import _constants as codes  # type: ignore[attr-defined]
    from re import _parser as parser  # type: ignore[attr-defined]
else:  # pragma: no cover
    import sre_constants as codes
    import sre_parse as parser

#: A shorter text occurs too often to tell anything.
SHORTEST = 5


@lru_cache(maxsize=2048)
def literals(pattern: str) -> tuple[str, ...]:
    """Return texts of which each match of `pattern` contains at least one; empty if there are none long enough.

    Of the texts that a match must contain, the one whose shortest alternative is the longest is taken.
    """
    found = _required(parser.parse(pattern).data) or []
    return tuple(found) if found and min(map(len, found)) >= SHORTEST else ()


@lru_cache(maxsize=2048)
def ignores_case(pattern: str) -> bool:
    """Return whether `pattern` matches texts in any case."""
    return bool(re.compile(pattern).flags & re.IGNORECASE)


def _required(tree: Iterable[Any]) -> list[str] | None:
    best: list[str] | None = None
    text = ""
    for code, value in tree:
        if code is codes.LITERAL:
            text += chr(value)
            continue
        best, text = _better(best, [text]), ""
        best = _better(best, _alternatives(code, value))
    return _better(best, [text])


def _alternatives(code: Any, value: Any) -> list[str] | None:
    """The texts of which one part of a pattern requires one; None if it requires none."""
    if code is codes.SUBPATTERN:
        return _required(value[-1])
    if code is codes.BRANCH:
        parts = [_required(branch) for branch in value[1]]
        return [text for part in parts for text in part or []] if all(parts) else None
    if code in (codes.MAX_REPEAT, codes.MIN_REPEAT) and value[0] > 0:
        return _required(value[2])
    return None


def _better(best: list[str] | None, other: list[str] | None) -> list[str] | None:
    if not other or not all(other):
        return best
    # Of two that are as long, the last one: an error comes after what led to it, which an ordinary log may have, too.
    return other if best is None or min(map(len, other)) >= min(map(len, best)) else best
