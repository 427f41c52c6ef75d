"""Blocks of bytes as lines of bounded length."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

#: The most bytes of a line that are kept, and how many of its end are kept besides. What is between is skipped.
LONGEST, LAST = 64 * 1024, 8 * 1024


#: Colors and movements of the cursor (ECMA-48), and titles of terminals.
COLORS = r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b\n]*(?:\x07|\x1b\\)?|[@-Z\\-_])"
_COLORS = re.compile(COLORS.encode())
#: What text has become that was copied from a web page: entities of HTML, and typographic quotes in UTF-8.
_ENTITY = re.compile(rb"&(?:#39|#x27|#34|#x22|quot|apos|amp|lt|gt);")
_CHARACTERS = {
    b"&#39;": b"'",
    b"&#x27;": b"'",
    b"&#34;": b'"',
    b"&#x22;": b'"',
    b"&quot;": b'"',
    b"&apos;": b"'",
    b"&amp;": b"&",
    b"&lt;": b"<",
    b"&gt;": b">",
}
_SINGLE, _DOUBLE = re.compile(rb"\xe2\x80[\x98\x99]"), re.compile(rb"\xe2\x80[\x9c\x9d]")


def plain(data: bytes) -> bytes:
    """Return whole lines of a log without colors, and with plain characters for those that web pages put instead.

    A color or an entity within a text would hide it from every search. What has none of them is returned at once.
    """
    if b"\x1b" in data:
        data = _COLORS.sub(b"", data)
    # A search for one byte is much faster than one for several.
    has_entities, has_quotes = b"&" in data, b"\xe2" in data and b"\xe2\x80" in data
    if (not has_entities and not has_quotes) or b'{"log":' in data:
        # In what Docker's driver `json-file` writes, a quotation mark would end the string.
        return data
    if has_entities:
        data = _ENTITY.sub(lambda found: _CHARACTERS[found[0]], data)
    if has_quotes:
        data = _DOUBLE.sub(b'"', _SINGLE.sub(b"'", data))
    return data


class Chunk(NamedTuple):
    """Whole lines."""

    first: int
    """Line number of the first line, from 1."""
    data: bytes
    """The lines; each but perhaps the last one ends in a line feed."""


class Cutter:
    """Cuts the blocks of one log at line ends, and where a carriage return ends a text within a long line.

    A text longer than LONGEST without either loses what is between that and its end, which is a text of its own.
    """

    def __init__(self) -> None:
        self._number = 1
        self._rest = b""
        self._skipping = False
        self._last = b""
        """The end of the text that is being skipped."""

    def take(self, block: bytes) -> Iterator[Chunk]:
        """Yield the lines that `block` completes."""
        data = block
        if self._skipping:
            end = min((at for at in (data.find(b"\n"), data.find(b"\r")) if at >= 0), default=-1)
            self._last = (self._last + (data if end < 0 else data[:end]))[-LAST:]
            if end < 0:
                return
            data, self._skipping = data[end:], False
        data = self._taken() + data
        cut = data.rfind(b"\n") + 1
        whole, rest = data[:cut], data[cut:]
        if whole:
            yield Chunk(self._number, whole)
            self._number += whole.count(b"\n")
        if len(rest) > LONGEST:
            cut = rest.rfind(b"\r") + 1
            if cut:
                # A progress bar writes for hours without a line feed.
                yield Chunk(self._number, rest[:cut])
                rest = rest[cut:]
            self._skipping = len(rest) > LONGEST
            self._last = rest[LONGEST:][-LAST:]
            rest = rest[:LONGEST]
        self._rest = rest

    def end(self) -> Iterator[Chunk]:
        """Yield what is left behind the last line end."""
        if rest := self._taken():
            yield Chunk(self._number, rest)
        self._rest = b""

    def _taken(self) -> bytes:
        """What is kept of the line that has begun; the end of a skipped text is behind a carriage return."""
        last, self._last = self._last, b""
        return self._rest + b"\r" + last if last else self._rest


def texts(chunk: Chunk) -> Iterator[tuple[int, str]]:
    """Yield the number and the text of each line; of a long one, the beginning and the end as texts of their own.

    A carriage return begins a text of its own on the same line.
    """
    for number, line in enumerate(chunk.data.removesuffix(b"\n").split(b"\n"), chunk.first):
        if b"\r" not in line and len(line) <= LONGEST:
            yield number, line.decode("utf-8", "replace")
            continue
        for part in line.split(b"\r") if b"\r" in line else (line,):
            if part.strip():
                yield number, part[:LONGEST].decode("utf-8", "replace")
            if len(part) > LONGEST:
                yield number, part[max(LONGEST, len(part) - LAST) :].decode("utf-8", "replace")


#: Columns at which terminals and editors wrap lines. Others count if several lines have exactly that many.
_WIDTHS, _NARROWEST, _SEVERAL = (80, 100, 120, 132), 60, 3
#: The most bytes of a text in which wrapped lines are looked for: somebody has pasted it.
PASTED = 64 * 1024


class Unwrapped(NamedTuple):
    """A text whose lines were wrapped at a width, with these joined."""

    data: bytes
    numbers: tuple[int, ...]
    """For each line, the number of its first one in the text as it was."""


def unwrapped(data: bytes) -> Unwrapped | None:
    """Return a pasted text with those lines joined that were wrapped at a width; None if none was."""
    if len(data) > PASTED:
        return None
    lines = data.decode("utf-8", "replace").split("\n")
    columns = _width(lines)
    if not columns:
        return None
    joined: list[str] = []
    numbers: list[int] = []
    goes_on = False
    for number, line in enumerate(lines, 1):
        if goes_on:
            joined[-1] += line
        else:
            joined.append(line)
            numbers.append(number)
        goes_on = len(line) == columns
    return Unwrapped("\n".join(joined).encode(), tuple(numbers))


def _width(lines: Sequence[str]) -> int:
    """The columns at which lines were wrapped, as far as their lengths tell; 0 if they were not."""
    columns = max(map(len, lines), default=0)
    if columns < _NARROWEST:
        return 0
    full = [line for line in lines[:-1] if len(line) == columns and len(set(line)) > 1]
    return columns if len(full) >= (1 if columns in _WIDTHS else _SEVERAL) else 0
