"""Possible values of an expression: one constant, one of several candidates, or unknown without running the script."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

#: Maximum number of candidates that are listed for a value.
MOST_CANDIDATES = 8


class Values(NamedTuple):
    """The possible values of an expression."""

    candidates: tuple[Any, ...] = ()
    """The known possible values."""
    why_open: str = ""
    """Why the expression is not one constant; empty for a constant."""
    remark: str = ""
    """The origin of a constant, such as the default of an option."""

    @property
    def is_constant(self) -> bool:
        return not self.why_open and len(self.candidates) == 1


def constant(value: Any, remark: str = "") -> Values:
    """Return a constant."""
    return Values((value,), "", remark)


def unknown(why: str, candidates: Iterable[Any] = ()) -> Values:
    """Return an unknown value, with the reason `why` and its possible values `candidates`."""
    return Values(distinct(candidates), why)


def one_of(alternatives: list[Values], why: str) -> Values:
    """Return the union of `alternatives`; `why` is the reason if they differ."""
    candidates = distinct(value for alternative in alternatives for value in alternative.candidates)
    reasons = [alternative.why_open for alternative in alternatives if alternative.why_open]
    if not reasons and len(candidates) == 1:
        return alternatives[0]
    return Values(candidates[:MOST_CANDIDATES], reasons[0] if reasons else why)


def distinct(values: Iterable[Any]) -> tuple[Any, ...]:
    """Return `values` without duplicates, at most MOST_CANDIDATES + 1."""
    found: list[Any] = []
    for value in values:
        if len(found) > MOST_CANDIDATES:
            break
        if not any(type(value) is type(other) and value == other for other in found):
            found.append(value)
    return tuple(found)
