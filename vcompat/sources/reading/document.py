"""Reads YAML, JSON and TOML as plain values, each with its position in the file.

`yaml_values` reads YAML.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

from vcompat.facts.facts import Place
from vcompat.foundation.bounded_reading import read_text
from vcompat.foundation.errors import InputError
from vcompat.sources.reading.yaml_values import Dialect, Keys, read_yaml

#: Maximum file size in bytes. Configurations have a few kilobytes.
SIZE_LIMIT = 5_000_000


class NotATable(InputError):
    """A file holds a list or a single value: data, not settings."""


class Document:
    """The contents of a configuration file."""

    def __init__(
        self,
        path: str,
        kind: str,
        table: dict[str, Any],
        places: dict[Keys, tuple[int, int]],
    ) -> None:
        self.path = path
        self.kind = kind
        """``yaml``, ``json`` or ``toml``."""
        self.table = table
        """The values of the top level, by key."""
        self._places = places

    def place(self, *keys: str) -> Place:
        """Return the position of the key `keys`; the whole file if the position is unknown."""
        line, column = self._places.get(keys, (0, 0))
        return Place(self.path, line, column)

    def get(self, *keys: str) -> Any:
        """Return the value at `keys`; None if there is none."""
        value: Any = self.table
        for key in keys:
            value = value.get(key) if isinstance(value, dict) else None
        return value

    def scalars(self) -> Iterator[tuple[str, Any, Place]]:
        """Yield the top-level keys whose values are not tables, with value and position."""
        for key, value in self.table.items():
            if not isinstance(value, dict):
                yield key, value, self.place(key)


def read_document(path: str, kind: str = "", dialect: Dialect = Dialect.PYYAML) -> Document:
    """Read the file at `path` as `kind`, by default the kind of its extension.

    Raises InputError, with the line, if it is malformed or its top level is not a table.
    """
    kind = kind or kind_of(path)
    return parse_document(path, read_text(path, SIZE_LIMIT, f"a {kind.upper()} file"), kind, dialect)


def parse_document(path: str, text: str, kind: str = "", dialect: Dialect = Dialect.PYYAML) -> Document:
    """Parse `text` as the contents of the file at `path`. Raises InputError as `read_document` does."""
    kind = kind or kind_of(path)
    expected = f"a {kind.upper()} file"
    try:
        if kind == "yaml":
            documents = read_yaml(path, text, expected, dialect)
            if len(documents) > 1:
                raise InputError(path, "more than one YAML document", expected)
            value, places = documents[0] if documents else ({}, {})
        else:
            value, places = _READERS[kind](path, text, expected)
    except RecursionError:
        raise InputError(path, "nested too deeply to be read", expected) from None
    if not isinstance(value, dict):
        raise NotATable(path, "not a table at its top level", f"{expected} of settings")
    return Document(path, kind, value, places)


def kind_of(path: str) -> str:
    """Return the kind of a file by its extension; yaml by default."""
    ending = path.rpartition(".")[2].lower()
    return {"json": "json", "toml": "toml", "lock": "toml"}.get(ending, "yaml")


# JSON


def _read_json(path: str, text: str, expected: str) -> tuple[Any, dict[Keys, tuple[int, int]]]:
    import json

    try:
        value = json.loads(text)
    except json.JSONDecodeError as error:
        raise InputError(f"{path}:{error.lineno}", f"not valid JSON: {error.msg}", expected) from None
    except ValueError as error:
        raise InputError(path, f"not valid JSON: {error}", expected) from None
    return value, _json_places(text)


_JSON_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[{}\[\],:\n]')


def _json_places(text: str) -> dict[Keys, tuple[int, int]]:
    """Return the position of each key in nested objects. Of duplicate keys, the last one is effective."""
    places: dict[Keys, tuple[int, int]] = {}
    above: list[str] = []
    line, line_start, last = 1, 0, ("", 0, 0)
    for match in _JSON_TOKEN.finditer(text):
        token = match[0]
        if token == "\n":
            line, line_start = line + 1, match.end()
        elif token[0] == '"':
            last = (token[1:-1], line, match.start() - line_start + 1)
        elif token == ":":
            del above[-1:]
            above.append(last[0])
            places[tuple(above)] = last[1:]
        elif token in "{[":
            above.append("")
        elif token in "}]":
            del above[-1:]
    return places


# TOML


def _read_toml(path: str, text: str, expected: str) -> tuple[Any, dict[Keys, tuple[int, int]]]:
    import tomli

    try:
        table = tomli.loads(text)
    except tomli.TOMLDecodeError as error:
        raise InputError(path, f"not valid TOML: {error}", expected) from None
    return table, _toml_places(text)


_TOML_LINE = re.compile(r"^[ \t]*(?:\[+[ \t]*([^\]\n]+?)[ \t]*\]+|([A-Za-z0-9_.\"'-]+)[ \t]*=)", re.MULTILINE)


def _toml_places(text: str) -> dict[Keys, tuple[int, int]]:
    places: dict[Keys, tuple[int, int]] = {}
    section: Keys = ()
    line, counted = 1, 0
    for match in _TOML_LINE.finditer(text):
        name = match[1] or match[2]
        start = match.start(1) if match[1] else match.start(2)
        line, counted = line + text.count("\n", counted, start), start
        keys = tuple(part.strip().strip("\"'") for part in name.split("."))
        if match[1]:
            section = keys
        keys = section if match[1] else (*section, *keys)
        line_start = text.rfind("\n", 0, start) + 1
        places.setdefault(keys, (line, start - line_start + 1))
    return places


_READERS: dict[str, Callable[[str, str, str], tuple[Any, dict[Keys, tuple[int, int]]]]] = {
    "json": _read_json,
    "toml": _read_toml,
}
