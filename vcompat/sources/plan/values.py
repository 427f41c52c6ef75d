"""What an expression of a script can be: one constant, one of several, or something that only running it would tell."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

#: Beyond this many, what a value may be is not listed.
MOST_CANDIDATES = 8


class Values(NamedTuple):
    """What an expression can be."""

    candidates: tuple[Any, ...] = ()
    """The values that it may have, as far as they are known."""
    why_open: str = ""
    """Why it may be something else or one of several; empty for one constant."""
    remark: str = ""
    """What a reader should know of where the constant comes from, such as an option's default."""

    @property
    def is_constant(self) -> bool:
        return not self.why_open and len(self.candidates) == 1


def constant(value: Any, remark: str = "") -> Values:
    """A value that is known."""
    return Values((value,), "", remark)


def unknown(why: str, candidates: Iterable[Any] = ()) -> Values:
    """A value that is not known, for the reason `why`; `candidates` are what it may be."""
    return Values(distinct(candidates), why)


def one_of(alternatives: list[Values], why: str) -> Values:
    """What a place is where several lead to it; `why` it is not one of them for certain."""
    candidates = distinct(value for alternative in alternatives for value in alternative.candidates)
    reasons = [alternative.why_open for alternative in alternatives if alternative.why_open]
    if not reasons and len(candidates) == 1:
        return alternatives[0]
    return Values(candidates[:MOST_CANDIDATES], reasons[0] if reasons else why)


def distinct(values: Iterable[Any]) -> tuple[Any, ...]:
    """The `values` without repetitions, one more than may be listed at most."""
    found: list[Any] = []
    for value in values:
        if len(found) > MOST_CANDIDATES:
            break
        if not any(type(value) is type(other) and value == other for other in found):
            found.append(value)
    return tuple(found)
