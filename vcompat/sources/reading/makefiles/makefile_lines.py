"""The lines of a Makefile as text: joined, without comments, without what only make reads in them."""

from __future__ import annotations

import re

from vcompat.sources.reading.makefiles.recipe import NotFollowed
from vcompat.sources.reading.word import Word


def logical_lines(text: str) -> list[tuple[str, int]]:
    """Return the lines with their numbers. One that ends with a backslash goes on in the next."""
    lines: list[tuple[str, int]] = []
    parts: list[str] = []
    for number, line in enumerate(text.split("\n"), 1):
        goes_on = line.endswith("\\") and not line.endswith("\\\\")
        parts.append(line)
        if goes_on:
            continue
        first = parts[0]
        if first.startswith("\t"):
            # The shell joins the lines of a recipe.
            joined = "\n".join([first, *(part.removeprefix("\t") for part in parts[1:])])
        else:
            # A space stands for the end of a line and the blanks around it.
            joined = " ".join([first.removesuffix("\\").rstrip() if len(parts) > 1 else first, *map(_inner, parts[1:])])
        lines.append((joined, number - len(parts) + 1))
        parts = []
    return lines


def _inner(line: str) -> str:
    return line.removesuffix("\\").strip()


def without_comment(line: str) -> str:
    """Return a line without its comment, unless it is one of a recipe."""
    return line if line.startswith("\t") else re.sub(r"(?<!\\)#.*", "", line, flags=re.DOTALL)


def closing(text: str, start: int) -> int:
    """Return the position of the parenthesis or brace that closes the one at `start`."""
    opened, closed = text[start], {"(": ")", "{": "}"}[text[start]]
    depth = 0
    for index in range(start, len(text)):
        depth += (text[index] == opened) - (text[index] == closed)
        if not depth:
            return index
    raise NotFollowed(text)


def plain(line: Word) -> Word:
    """Return a line of a recipe without the characters that say how make runs it."""
    return line.lstrip(" \t").lstrip("@-+").lstrip(" \t")
