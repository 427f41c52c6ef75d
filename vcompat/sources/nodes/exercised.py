"""What a rank states about its exchanges, validated like a report: its writer is not trusted."""

from __future__ import annotations

import json
from typing import Any, NamedTuple

from vcompat.foundation.errors import InputError

#: The most characters of a result, and the most times that a pair is tried.
_SIZE_LIMIT, _TRIES_LIMIT = 1_000_000, 100
_TEXT_LIMIT = 500
#: The most seconds that a time can be.
_SECONDS_LIMIT = 100_000.0
_EXPECTED = "the result of `vcompat.fleet --exercise`"


class Exercised(NamedTuple):
    """How far the exchanges of one rank came."""

    step: str = ""
    """The last one that began."""
    partner: int = -1
    """The other rank of an exchange point to point, or the rank that broadcasts; -1 if there is none."""
    number: int = 0
    """The number of the exchange: two ranks that exchange data have the same."""
    blocked: float = 0.0
    """Seconds since it began, if it did not end."""
    seconds: tuple[tuple[str, float], ...] = ()
    """The shortest time of each collective operation."""
    wrong_sums: tuple[int, ...] = ()
    """Ranks whose own part of a sum was wrong; -1 for the part that all contribute to."""
    wrong_roots: tuple[int, ...] = ()
    wrong_partners: tuple[int, ...] = ()
    """Ranks whose broadcasts, or whose data from point to point, were wrong here."""
    tries: tuple[tuple[int, tuple[tuple[float, float | None], ...]], ...] = ()
    """For each partner the seconds of each exchange, and how long this process waited for a processor in it."""
    local: tuple[tuple[str, str], ...] = ()
    """What is wrong on the node itself."""
    error: str = ""
    """Why the exchanges ended early; empty if they did not, or only took too long."""
    ended: bool = False
    """Whether all were done."""


def read_result(text: str, rank: int, size: int) -> Exercised:
    """Return the result of `rank` in a job of `size` ranks. Raises InputError if it is malformed or impossible."""
    where = f"rank {rank}: exercise"
    try:
        if len(text) > _SIZE_LIMIT:
            raise ValueError(f"has {len(text)} characters")
        table = json.loads(text)
        if not isinstance(table, dict):
            raise TypeError("not an object")
        return Exercised(
            step=_text(table["step"]),
            partner=_rank(table["partner"], size, -1),
            number=_count(table["number"]),
            blocked=_seconds(table["for"]),
            seconds=tuple((_text(name), _seconds(value)) for name, value in sorted(_items(table["seconds"]))),
            wrong_sums=tuple(_rank(one, size, -1) for one in _list(table["wrong_sums"])),
            wrong_roots=tuple(_rank(one, size) for one in _list(table["wrong_roots"])),
            wrong_partners=tuple(_rank(one, size) for one in _list(table["wrong_partners"])),
            tries=tuple((_rank(int(name), size), _tries(value)) for name, value in _items(table["tries"])),
            local=tuple((_text(subject), _text(value)) for subject, value in _list(table["local"])),
            error=_text(table["error"]),
            ended=_flag(table["ended"]),
        )
    except (ValueError, TypeError, KeyError, RecursionError) as error:
        reason = f"no key {error}" if isinstance(error, KeyError) else str(error)
        raise InputError(where, f"malformed: {reason}"[:200], _EXPECTED) from None


def _tries(value: Any) -> tuple[tuple[float, float | None], ...]:
    return tuple(
        (_seconds(seconds), None if waited is None else _seconds(waited))
        for seconds, waited in _list(value, _TRIES_LIMIT)
    )


def _items(value: Any) -> list[tuple[str, Any]]:
    if not isinstance(value, dict):
        raise TypeError(f"{value!r} is not an object"[:80])
    return list(value.items())


def _list(value: Any, limit: int = _SIZE_LIMIT) -> list[Any]:
    if not isinstance(value, list) or len(value) > limit:
        raise TypeError(f"{value!r}"[:60] + f" is not a list of at most {limit}")
    return value


def _text(value: Any) -> str:
    if not isinstance(value, str) or len(value) > _TEXT_LIMIT:
        raise TypeError(f"{value!r}"[:60] + " is not a short text")
    # Half of a pair of surrogates cannot be printed: UnicodeEncodeError is a ValueError.
    value.encode()
    return value


def _rank(value: Any, size: int, least: int = 0) -> int:
    if type(value) is not int or not least <= value < size:
        raise ValueError(f"{value!r}"[:60] + " is not a rank of the job")
    return value


def _count(value: Any) -> int:
    if type(value) is not int or not 0 <= value < 2**31:
        raise ValueError(f"{value!r}"[:60] + " is not a number of exchanges")
    return value


def _seconds(value: Any) -> float:
    # The sum of what threads waited can shrink slightly when one ends.
    if type(value) not in (int, float) or not -_SECONDS_LIMIT < value < _SECONDS_LIMIT:
        raise ValueError(f"{value!r}"[:60] + " is not a time in seconds")
    return max(0.0, float(value))


def _flag(value: Any) -> bool:
    if type(value) is not bool:
        raise TypeError(f"{value!r}"[:60] + " is not true or false")
    return value
