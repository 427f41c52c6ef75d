"""Lists of hosts and numbers in the short form of Slurm, such as ``node[01-16,20]``."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

#: The most names that a list is expanded to. Longer lists are not expanded: they are no lists of a job's nodes.
LIMIT = 100_000
_ITEM = re.compile(r"[^,\[\]]*(\[[0-9,-]*\][^,\[\]]*)*")
_RANGES = re.compile(r"\[([0-9,-]*)\]")
_NUMBERED = re.compile(r"(.*?)(\d+)(\D*)", re.DOTALL)


def expanded(text: str) -> list[str]:
    """Return the names in a list of Slurm; empty if it is none, or has more than LIMIT names."""
    names: list[str] = []
    at = 0
    while at < len(text):
        item = _ITEM.match(text, at)
        if item is None or item.end() == at or text[item.end() : item.end() + 1] not in ("", ","):
            return []
        several = _item(item[0], LIMIT - len(names))
        if several is None:
            return []
        names += several
        at = item.end() + 1
    return names


def _item(item: str, limit: int) -> list[str] | None:
    """Return the names of one item, the product of its ranges; None if there are too many."""
    parts = _RANGES.split(item)
    names = [parts[0]]
    for ranges, after in zip(parts[1::2], parts[2::2], strict=True):
        several = _numbers(ranges, limit)
        if several is None or len(several) * len(names) > limit:
            return None
        names = [f"{name}{number}{after}" for name in names for number in several]
    return names if len(names) <= limit else None


def _numbers(ranges: str, limit: int) -> list[str] | None:
    texts: list[str] = []
    for part in ranges.split(","):
        first, _, last = part.partition("-")
        last = last or first
        if not first.isdecimal() or not last.isdecimal() or len(last) > 9 or int(last) - int(first) + 1 > limit:
            return None
        texts += [f"{number:0{len(first)}d}" for number in range(int(first), int(last) + 1)]
    return texts if len(texts) <= limit else None


def folded(names: Iterable[str]) -> str:
    """Return names as a short list: ``node[17,23-25], login1``. Names with numbers of different widths stay apart."""
    groups: dict[tuple[str, str, int], list[int]] = {}
    for name in names:
        match = _NUMBERED.fullmatch(name)
        if match is None or len(match[2]) > 15:
            groups.setdefault((name, "", 0), [])
            continue
        padded = len(match[2]) if match[2].startswith("0") else 0
        groups.setdefault((match[1], match[3], padded), []).append(int(match[2]))
    return ", ".join(_fold(*key, values) for key, values in groups.items())


def _fold(before: str, after: str, width: int, values: list[int]) -> str:
    if not values:
        return before
    shown = ",".join(_ranges(sorted(set(values)), width))
    return f"{before}{shown}{after}" if shown.isdecimal() else f"{before}[{shown}]{after}"


def numbers(values: Iterable[int], limit: int = 20) -> str:
    """Return numbers as ranges, such as ``0-7, 12``; the first `limit` ranges."""
    ranges = list(_ranges(sorted(set(values)), 0))
    return ", ".join(ranges[:limit]) + (", ..." if len(ranges) > limit else "")


def _ranges(values: list[int], width: int) -> Iterator[str]:
    start = previous = None
    for value in [*values, None]:
        if start is not None and previous is not None and value != previous + 1:
            last = "" if previous == start else f"-{previous:0{width}d}"
            yield f"{start:0{width}d}{last}"
            start = None
        start = value if start is None else start
        previous = value
