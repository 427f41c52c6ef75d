"""The values of Compose files: interpolation of the caller's variables, scalars as text, and env files."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from vcompat.foundation.reading import read_text
from vcompat.sources.reading.document import Document
from vcompat.sources.reading.word import UNKNOWN, Word, concat

#: Maximum size of an env file in bytes, and maximum number of its lines.
SIZE_LIMIT, MOST_LINES = 1_000_000, 10_000
_VARIABLE = re.compile(r"\$(?:(\$)|[A-Za-z_][A-Za-z0-9_]*|\{)")


def interpolate(text: str) -> Word:
    """Return `text` with ``$X`` and ``${X:-y}`` replaced by UNKNOWN: the values are those of the caller's shell.

    ``$$`` stands for a dollar sign.
    """
    pieces: list[Word] = []
    position = 0
    while match := _VARIABLE.search(text, position):
        pieces += [text[position : match.start()], "$" if match[1] else UNKNOWN]
        position = match.end()
        if match[0] == "${":
            position = _closing(text, position)
    return concat((*pieces, text[position:]))


def _closing(text: str, position: int) -> int:
    depth = 1
    while position < len(text) and depth:
        depth += {"{": 1, "}": -1}.get(text[position], 0)
        position += 1
    return position


def scalar_text(document: Document, value: Any, *keys: str) -> Word:
    """Return a scalar as Compose hands it to a container; UNKNOWN if that cannot be told."""
    if isinstance(value, str):
        return interpolate(value)
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        # Octal, hexadecimal and grouped numbers are left to Compose.
        return str(value) if document.written(*keys) == str(value) else UNKNOWN
    if isinstance(value, float):
        text = repr(value)
        return text.removesuffix(".0") if re.fullmatch(r"-?[0-9]{1,15}\.[0-9]+", text) else UNKNOWN
    # No value: the one that the caller's shell has.
    return UNKNOWN


_LINE = re.compile(r"^[ \t]*(?:export[ \t]+)?([A-Za-z_][A-Za-z0-9_.-]*)[ \t]*(?:[=:][ \t]*(.*))?$")


def dotenv(path: str) -> Iterator[tuple[str, Word, int]]:
    """Yield the name, value and line of each variable in an env file.

    Values that depend on other variables, and quoted values with escapes or several lines, are UNKNOWN. Raises
    InputError if the file cannot be read.
    """
    text = read_text(path, SIZE_LIMIT, "an env file")
    lines = iter(enumerate(text.splitlines()[:MOST_LINES], 1))
    for number, line in lines:
        match = _LINE.match(line)
        if match is None:
            continue
        raw = match[2]
        if raw is None:
            yield match[1], UNKNOWN, number
            continue
        quote = raw[:1]
        if quote in ("'", '"') and quote not in raw[1:]:
            # The value continues on the next lines.
            for _, following in lines:
                if quote in following:
                    break
            yield match[1], UNKNOWN, number
            continue
        yield match[1], _value(raw), number


def _value(raw: str) -> Word:
    quote = raw[:1]
    if quote in ("'", '"'):
        inner, _, rest = raw[1:].partition(quote)
        plain = not rest.strip() or rest.lstrip().startswith("#")
        return inner if plain and "\\" not in inner and (quote == "'" or "$" not in inner) else UNKNOWN
    bare = re.split(r"[ \t]#", raw, maxsplit=1)[0].strip()
    return UNKNOWN if "$" in bare or "\\" in bare or bare.startswith("#") else bare
