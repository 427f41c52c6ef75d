"""The text of a lock file in TOML, split into the tables of its packages.

A lock file can have thousands of packages, and only about a dozen matter here. To save time, the text is split at the
headings, and only the tables that matter are parsed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, NamedTuple

from vcompat.facts.facts import Place
from vcompat.foundation.errors import InputError
from vcompat.sources.reading.packages.stated_packages import package_of

EXPECTED = "a lock file: pylock.toml, uv.lock, poetry.lock or pdm.lock"
_NEWLINE = b"\n"
HEADINGS = (b"\n[[package]]", b"\n[[packages]]")
_NAME = re.compile(rb"""^name[ \t]*=[ \t]*(?:"([^"\\\n]*)"|'([^'\n]*)')""", re.MULTILINE)
#: A table after the last package.
_TAIL = re.compile(rb"^\[(?!\[?packages?[\].])", re.MULTILINE)


class Block(NamedTuple):
    """The text of one package's table."""

    ordinal: int
    """The number of the package in the file, from 0."""
    name: str
    text: bytes
    """The text after the heading, with the subtables of the package."""
    place: Place


class LockText(NamedTuple):
    """The text of a lock file, split."""

    path: str
    head: dict[str, Any]
    """The tables before the packages, and those after them."""
    blocks: list[Block]
    """The packages of the vocabulary."""
    data: bytes
    """The whole text, with a newline before it."""


def split(path: str, data: bytes) -> LockText:
    """Split the text of a lock file, which starts with a newline. Raises InputError if it is malformed."""
    heading = next((heading for heading in HEADINGS if heading in data), HEADINGS[0])
    start = data.find(heading)
    if start < 0:
        return LockText(path, parsed(path, data), [], data)
    head = parsed(path, data[:start])
    last = data.rfind(heading)
    tail = _TAIL.search(data, last + 1)
    end = tail.start() if tail else len(data)
    if tail:
        head = {**parsed(path, data[end:]), **head}
    return LockText(path, head, list(_blocks(path, data, heading, end)), data)


def parsed(where: str, text: bytes) -> dict[str, Any]:
    """Return `text` as TOML. Raises InputError, with `where` as the location."""
    import tomli

    try:
        return tomli.loads(text.decode("utf-8"))
    except UnicodeDecodeError:
        raise InputError(where, "not UTF-8 text", EXPECTED) from None
    except tomli.TOMLDecodeError as error:
        raise InputError(where, f"not valid TOML: {error}", EXPECTED) from None
    except RecursionError:
        raise InputError(where, "nested too deeply to be read", EXPECTED) from None


def package_table(block: Block, heading: str = "package") -> dict[str, Any]:
    """Return the table of one package with its subtables. Raises InputError if it is malformed."""
    table = parsed(_where(block.place), block.text.partition(_NEWLINE)[2])
    # In the text of one package, a subtable such as [package.source] has a table of its own.
    below = table.pop(heading, None)
    table.update(below if isinstance(below, dict) else {})
    if not isinstance(table.get("name"), str):
        raise InputError(_where(block.place), "package without a name", EXPECTED)
    return table


def texts(value: Any) -> list[str]:
    """Return the strings in `value`, a list or one string."""
    return [item for item in (value if isinstance(value, list) else [value]) if isinstance(item, str)]


def tables(value: Any) -> list[dict[str, Any]]:
    """Return the tables in `value`, a list or one table."""
    return [item for item in (value if isinstance(value, list) else [value]) if isinstance(item, dict)]


def _where(place: Place) -> str:
    return f"{place.path}:{place.line}"


def _blocks(path: str, data: bytes, heading: bytes, end: int) -> Iterator[Block]:
    """Yield the tables of the packages of the vocabulary. Raises InputError for a package without a name."""
    start, ordinal, line, counted = data.find(heading, 0, end), 0, 0, 0
    while start >= 0:
        following = data.find(heading, start + 1, end)
        stop = following if following >= 0 else end
        match = _NAME.search(data, start, stop)
        if match is None:
            raise InputError(f"{path}:{data.count(_NEWLINE, 0, start) + 1}", "package without a name", EXPECTED)
        name = (match[1] or match[2] or b"").decode("utf-8", "replace")
        if package_of(name) is not None:
            line, counted = line + data.count(_NEWLINE, counted, match.start()), match.start()
            yield Block(ordinal, name, data[start + len(heading) : stop], Place(path, line, 1))
        start, ordinal = following, ordinal + 1
