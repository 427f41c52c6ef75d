"""Blocks of bytes as lines of bounded length."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

#: The most bytes of a line that are kept. What follows, up to the end of the line, is skipped.
LONGEST = 64 * 1024


class Chunk(NamedTuple):
    """Whole lines."""

    first: int
    """Line number of the first line, from 1."""
    data: bytes
    """The lines; each but perhaps the last one ends in a line feed."""


def chunks(blocks: Iterable[bytes]) -> Iterator[Chunk]:
    """Yield the blocks cut at line ends, and where a carriage return ends a text within a long line.

    A text longer than LONGEST without either loses what is behind that.
    """
    number, rest, skipping = 1, b"", False
    for block in blocks:
        data = block
        if skipping:
            end = min((at for at in (data.find(b"\n"), data.find(b"\r")) if at >= 0), default=-1)
            if end < 0:
                continue
            data, skipping = data[end:], False
        data = rest + data
        cut = data.rfind(b"\n") + 1
        whole, rest = data[:cut], data[cut:]
        if whole:
            yield Chunk(number, whole)
            number += whole.count(b"\n")
        if len(rest) > LONGEST:
            cut = rest.rfind(b"\r") + 1
            if cut:
                # A progress bar writes for hours without a line feed.
                yield Chunk(number, rest[:cut])
                rest = rest[cut:]
            skipping = len(rest) > LONGEST
            rest = rest[:LONGEST]
    if rest:
        yield Chunk(number, rest)


def texts(chunk: Chunk) -> Iterator[tuple[int, str]]:
    """Yield the number and the text of each line. A carriage return begins a text of its own on the same line."""
    for number, line in enumerate(chunk.data.removesuffix(b"\n").split(b"\n"), chunk.first):
        if b"\r" not in line:
            yield number, line[:LONGEST].decode("utf-8", "replace")
            continue
        for part in line.split(b"\r"):
            if part.strip():
                yield number, part[:LONGEST].decode("utf-8", "replace")
