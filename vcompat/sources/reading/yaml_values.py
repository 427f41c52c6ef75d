"""Reads YAML as plain values, each with its position in the file.

Tags never create Python objects: the result has only maps, lists and scalars. Values behind aliases are counted each
time, so that a few lines cannot expand to gigabytes.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from enum import Enum
from typing import Any

from vcompat.foundation.errors import InputError

#: Maximum number of values in a file, with aliases counted each time, and maximum nesting depth.
MOST_VALUES, DEEPEST = 200_000, 60

Keys = tuple[str, ...]


class Dialect(Enum):
    """How a program's YAML parser resolves plain scalars, where parsers differ."""

    PYYAML = "pyyaml"
    """PyYAML, used by most Python programs: ``yes`` is true, ``1e-4`` is a text."""
    OMEGACONF = "omegaconf"
    """OmegaConf's, used by Hydra: ``yes`` is true, ``1e-4`` is a number."""


_Parsed = tuple[Any, dict[Keys, tuple[int, int]]]


def read_yaml(path: str, text: str, expected: str, dialect: Dialect) -> list[_Parsed]:
    """Return the values and positions of each document of `text` that is not empty.

    Raises InputError, with the line, if it is malformed, nested too deeply or has tags that create objects.
    """
    # Imported here because it takes 15 ms, which a check without YAML files does not need.
    import yaml

    loader = _loader(yaml, dialect)
    if _depth_of(text) > DEEPEST:
        raise InputError(path, "nested too deeply to be read", expected)
    try:
        nodes = list(yaml.compose_all(text, Loader=loader))
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        where = f"{path}:{mark.line + 1}" if mark else path
        problem = getattr(error, "problem", None) or str(error)
        raise InputError(where, f"not valid YAML: {problem}", expected) from None
    reader = _YamlReader(path, expected, yaml)
    parts = [reader.read(node) for node in nodes if node is not None]
    return [part for part in parts if part[0] is not None]


_FLOAT_WITHOUT_POINT = re.compile(r"^[-+]?[0-9]+(?:_[0-9]+)*[eE][-+]?[0-9]+$")
_FLOAT_WITH_POINT = re.compile(r"^[-+]?[0-9]+(?:_[0-9]+)*\.[0-9_]*[eE][0-9]+$")


def _loader(yaml: Any, dialect: Dialect) -> Any:
    base = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    if dialect is Dialect.PYYAML:
        return base
    loader: Any = type("Loader", (base,), {})
    for number in (_FLOAT_WITHOUT_POINT, _FLOAT_WITH_POINT):
        loader.add_implicit_resolver("tag:yaml.org,2002:float", number, list("-+0123456789"))
    return loader


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

    def read(self, node: Any) -> _Parsed:
        self.places = {}
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
