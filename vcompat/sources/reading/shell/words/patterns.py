"""Shell patterns (``*``, ``?``, ``[...]``), matched without regular expressions, so that none takes long."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from vcompat.sources.reading.word import Word

#: Maximum length of a text that is matched.
_LONGEST = 2_000

#: A text and whether it is quoted, which makes wildcards in it ordinary characters.
Run = tuple[Word, bool]


class Item(NamedTuple):
    """A part of a pattern."""

    kind: str
    """``*``, ``?``, ``[`` or a character."""
    chars: str = ""
    negated: bool = False


class Unmatchable(Exception):
    """The pattern has a part that is not known or not supported."""


def items_of(runs: Sequence[Run]) -> list[Item]:
    """Return the items of a pattern. Raises Unmatchable if a part of it is not known."""
    items: list[Item] = []
    for text, quoted in runs:
        if not isinstance(text, str) or len(text) > _LONGEST:
            raise Unmatchable
        index = 0
        while index < len(text):
            char = text[index]
            index += 1
            if quoted or char not in "*?[":
                items.append(Item("c", char))
            elif char == "[" and (end := text.find("]", index + 1 + (text[index : index + 1] in ("!", "^")))) > 0:
                items.append(_class(text[index:end]))
                index = end + 1
            elif char == "[":
                items.append(Item("c", char))
            else:
                items.append(Item(char))
    return items


def _class(text: str) -> Item:
    """Return the item of the characters in brackets."""
    negated = text[:1] in ("!", "^")
    text = text[negated:]
    if "[" in text or "\\" in text:
        raise Unmatchable  # Classes such as [:digit:], whose end was not found correctly.
    chars, index = "", 0
    while index < len(text):
        if text[index + 1 : index + 2] == "-" and index + 2 < len(text):
            chars += "".join(map(chr, range(ord(text[index]), min(ord(text[index + 2]), 0x17F) + 1)))
            index += 3
        else:
            chars += text[index]
            index += 1
    return Item("[", chars, negated)


def matches(items: Sequence[Item], text: str) -> bool:
    """Return whether the pattern matches the whole text. Raises Unmatchable."""
    at, position, star, retry = 0, 0, -1, 0
    while position < len(text):
        if at < len(items) and items[at].kind == "*":
            star, retry = at, position
            at += 1
        elif at < len(items) and _fits(items[at], text[position]):
            at += 1
            position += 1
        elif star >= 0:
            retry += 1
            at, position = star + 1, retry
        else:
            return False
    return all(item.kind == "*" for item in items[at:])


def _fits(item: Item, char: str) -> bool:
    if item.kind == "c":
        return item.chars == char
    if not char.isascii():
        raise Unmatchable  # One character or several: that depends on the locale.
    return item.kind == "?" or (item.kind == "[" and (char in item.chars) != item.negated)


def without(text: Word, runs: Sequence[Run], operator: str) -> Word:
    """Return `text` without the part that ``#``, ``##``, ``%`` or ``%%`` removes. Raises Unmatchable."""
    items = items_of(runs)
    if not isinstance(text, str) or len(text) > _LONGEST:
        raise Unmatchable
    ends = range(len(text) + 1)
    if operator[0] == "#":
        cuts = ends if operator == "#" else reversed(ends)
        return next((text[cut:] for cut in cuts if matches(items, text[:cut])), text)
    cuts = reversed(ends) if operator == "%" else ends
    return next((text[:cut] for cut in cuts if matches(items, text[cut:])), text)


def replaced(text: Word, runs: Sequence[Run], new: Word, everywhere: bool) -> Word:
    """Return `text` with the longest match of a pattern replaced, or all matches. Raises Unmatchable."""
    first = runs[0][0] if runs and not runs[0][1] and not everywhere else ""
    anchor = next((sign for sign in ("#", "%") if first.startswith(sign)), "")
    if anchor:
        runs = [(first[1:], False), *runs[1:]]
    items = items_of(runs)
    if not isinstance(text, str) or len(text) > _LONGEST:
        raise Unmatchable
    if not items:
        return new + text if anchor == "#" else text + new if anchor == "%" else text
    if not text:
        return new if matches(items, text) else text
    if anchor == "#":
        end = _longest(items, text, 0, anchor)
        return new + text[end:] if end else text
    return _substituted(text, items, new, anchor, everywhere)


def _substituted(text: str, items: Sequence[Item], new: Word, anchor: str, everywhere: bool) -> Word:
    result: Word = ""
    position = 0
    while position < len(text):
        end = _longest(items, text, position, anchor)
        if not end or end == position:
            result += text[position]
            position += 1
            continue
        result += new
        position = end
        if not everywhere:
            break
    return result + text[position:]


def _longest(items: Sequence[Item], text: str, start: int, anchor: str) -> int | None:
    if anchor == "%":
        return len(text) if matches(items, text[start:]) else None
    if all(item.kind != "*" for item in items):
        end = start + len(items)
        return end if end <= len(text) and matches(items, text[start:end]) else None
    return next((end for end in range(len(text), start, -1) if matches(items, text[start:end])), None)
