"""Reads YAML, JSON and TOML as plain values, each with its position in the file.

YAML tags never create Python objects: the result has only maps, lists and scalars. Values behind aliases are counted
each time, so that a few lines cannot expand to gigabytes.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

from vcompat.facts.facts import Place
from vcompat.foundation.errors import InputError
from vcompat.foundation.reading import read_text

#: Maximum file size in bytes. Configurations have a few kilobytes.
SIZE_LIMIT = 5_000_000
#: Maximum number of values in a document, with aliases counted each time, and maximum nesting depth.
MOST_VALUES, DEEPEST = 200_000, 60

Keys = tuple[str, ...]


class Document:
    """The contents of a configuration file."""

    def __init__(self, path: str, kind: str, table: dict[str, Any], places: dict[Keys, tuple[int, int]]) -> None:
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


def read_document(path: str, kind: str = "") -> Document:
    """Read the file at `path` as `kind`, by default the kind of its extension.

    Raises InputError, with the line, if it is malformed or its top level is not a table.
    """
    kind = kind or kind_of(path)
    expected = f"a {kind.upper()} file"
    reader = _READERS[kind]
    text = read_text(path, SIZE_LIMIT, expected)
    try:
        table, places = reader(path, text, expected)
    except RecursionError:
        raise InputError(path, "nested too deeply to be read", expected) from None
    if not isinstance(table, dict):
        raise InputError(path, "not a table at its top level", f"{expected} of settings")
    return Document(path, kind, table, places)


def kind_of(path: str) -> str:
    """Return the kind of a file by its extension; yaml by default."""
    ending = path.rpartition(".")[2].lower()
    return {"json": "json", "toml": "toml", "lock": "toml"}.get(ending, "yaml")


# YAML


def _read_yaml(path: str, text: str, expected: str) -> tuple[Any, dict[Keys, tuple[int, int]]]:
    # Imported here because it takes 15 ms, which a check without YAML files does not need.
    import yaml

    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    if _depth_of(text) > DEEPEST:
        raise InputError(path, "nested too deeply to be read", expected)
    try:
        node = yaml.compose(text, Loader=loader)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        where = f"{path}:{mark.line + 1}" if mark else path
        problem = getattr(error, "problem", None) or str(error)
        raise InputError(where, f"not valid YAML: {problem}", expected) from None
    if node is None:
        return {}, {}
    return _YamlReader(path, expected, yaml).read(node)


def _depth_of(text: str) -> int:
    """Return the nesting depth of brackets and indentation, which a recursive parser would have to follow."""
    depth = deepest = 0
    for bracket in re.findall(r"[\[\]{}]", text):
        depth += 1 if bracket in "[{" else -1
        deepest = max(deepest, depth)
    dashes = max((len(match[0]) // 2 for match in re.finditer(r"^(?:[-?] )+", text, re.MULTILINE)), default=0)
    indents = {len(match[0]) for match in re.finditer(r"^ +(?=\S)", text, re.MULTILINE)}
    return max(deepest, dashes, len(indents))


class _YamlReader:
    """Converts YAML nodes to plain values. Nodes that need a Python object are rejected."""

    def __init__(self, path: str, expected: str, yaml: Any) -> None:
        self.path, self.expected, self.yaml = path, expected, yaml
        self.count = 0
        self.places: dict[Keys, tuple[int, int]] = {}
        self.constructor = yaml.constructor.SafeConstructor()
        self.converters: dict[str, Callable[[Any], Any]] = {
            "tag:yaml.org,2002:null": self.constructor.construct_yaml_null,
            "tag:yaml.org,2002:bool": self.constructor.construct_yaml_bool,
            "tag:yaml.org,2002:int": self.constructor.construct_yaml_int,
            "tag:yaml.org,2002:float": self.constructor.construct_yaml_float,
        }

    def read(self, node: Any) -> tuple[Any, dict[Keys, tuple[int, int]]]:
        return self._value(node, (), frozenset()), self.places

    def _value(self, node: Any, keys: Keys, above: frozenset[int]) -> Any:
        self.count += 1
        if self.count > MOST_VALUES:
            raise InputError(self._where(node), f"more than {MOST_VALUES} values", self.expected)
        if len(above) > DEEPEST or id(node) in above:
            raise InputError(self._where(node), "nested too deeply to be read", self.expected)
        yaml, inside = self.yaml, above | {id(node)}
        if isinstance(node, yaml.MappingNode):
            return self._mapping(node, keys, inside)
        if isinstance(node, yaml.SequenceNode):
            self._refuse_other_tags(node, "tag:yaml.org,2002:seq")
            return [self._value(item, (*keys, str(index)), inside) for index, item in enumerate(node.value)]
        return self._scalar(node)

    def _mapping(self, node: Any, keys: Keys, above: frozenset[int]) -> dict[str, Any]:
        self._refuse_other_tags(node, "tag:yaml.org,2002:map")
        table: dict[str, Any] = {}
        for key_node, value_node in node.value:
            if not isinstance(key_node, self.yaml.ScalarNode):
                raise InputError(self._where(key_node), "key is not a scalar", self.expected)
            key = str(key_node.value)
            value = self._value(value_node, (*keys, key), above)
            if key_node.tag == "tag:yaml.org,2002:merge":
                for merged in value if isinstance(value, list) else [value]:
                    table = {**(merged if isinstance(merged, dict) else {}), **table}
                continue
            table[key] = value
            here = (*keys, key)
            self.places[here] = (key_node.start_mark.line + 1, key_node.start_mark.column + 1)
        return table

    def _scalar(self, node: Any) -> Any:
        convert = self.converters.get(node.tag)
        if convert is not None:
            try:
                return convert(node)
            except (ValueError, OverflowError, KeyError):
                return node.value
        self._refuse_other_tags(node, "tag:yaml.org,2002:str", "tag:yaml.org,2002:timestamp")
        return node.value

    def _refuse_other_tags(self, node: Any, *known: str) -> None:
        if node.tag not in (*known, "tag:yaml.org,2002:value"):
            raise InputError(self._where(node), f"unsupported tag {node.tag[:60]}", "plain YAML without tags")

    def _where(self, node: Any) -> str:
        return f"{self.path}:{node.start_mark.line + 1}"


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
    "yaml": _read_yaml,
    "json": _read_json,
    "toml": _read_toml,
}
