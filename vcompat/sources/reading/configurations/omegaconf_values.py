"""What OmegaConf's functions do, on plain tables: merge, update, interpolation.

A value that is not known is OPEN. A table that may have keys or values that are not listed is an OpenTable.
"""

from __future__ import annotations

import re
from typing import Any, Final

#: The text of a value that must be given.
MISSING: Final = "???"


class Open:
    """The type of OPEN."""

    def __repr__(self) -> str:
        return "OPEN"


#: A value that is not known, also whether it is set.
OPEN: Final = Open()


class OpenTable(dict[str, Any]):
    """A table in which keys that are not listed may have any value."""

    def __repr__(self) -> str:
        return f"OpenTable({super().__repr__()})"


Table = dict[str, Any]
Path = tuple[str, ...]


def merge(below: Any, above: Any) -> Any:
    """Return what ``OmegaConf.merge`` returns: `above` wins, lists are replaced, ``???`` changes nothing."""
    if isinstance(above, str) and above == MISSING:
        return below
    if not isinstance(above, dict):
        return above
    if not isinstance(below, dict):
        if below is OPEN or _is_interpolation(below):
            # What it stands for may be a table with more keys.
            return merge(OpenTable(), above)
        below = {}
    is_open = isinstance(below, OpenTable) or isinstance(above, OpenTable)
    result: Table = OpenTable(below) if is_open else dict(below)
    if isinstance(above, OpenTable):
        result = opened(result)
    rest = OPEN if isinstance(below, OpenTable) else None
    for key, value in above.items():
        if key in below or rest is OPEN:
            result[key] = merge(below.get(key, OPEN), value)
        else:
            result[key] = merge({}, value) if isinstance(value, dict) else value
    return result


def opened(value: Any) -> Any:
    """Return a table in which every value may have been replaced."""
    return OpenTable({key: opened(inner) for key, inner in value.items()}) if isinstance(value, dict) else OPEN


_KEY = re.compile(r"\.?([^.\[\]]+)|\[([^.\[\]]*)\]|(\.)")


def split_key(key: str) -> Path:
    """Split ``a.b[0]`` into its parts."""
    return tuple(match[1] or match[2] or "" for match in _KEY.finditer(key))


def update(table: Table, path: Path, value: Any) -> Table:
    """Return `table` with `value` at `path`, as ``OmegaConf.update`` does: tables are merged."""
    return _as_table(_updated(table, path, value))


def _as_table(value: Any) -> Table:
    return value if isinstance(value, dict) else OpenTable()


def _updated(below: Any, path: Path, value: Any) -> Any:
    if not path:
        if isinstance(value, dict) and (isinstance(below, dict) or below is OPEN or _is_interpolation(below)):
            return merge(below, value)
        return value
    if isinstance(below, list):
        index = int(path[0]) if re.fullmatch(r"[0-9]{1,6}", path[0]) else len(below)
        if index >= len(below):
            return OPEN
        return [*below[:index], _updated(below[index], path[1:], value), *below[index + 1 :]]
    if below is OPEN or _is_interpolation(below):
        below = OpenTable()
    result: Table = OpenTable(below) if isinstance(below, OpenTable) else dict(below) if isinstance(below, dict) else {}
    inner = result.get(path[0], OPEN if isinstance(result, OpenTable) else None)
    result[path[0]] = _updated(inner, path[1:], value)
    return result


def removed(table: Table, path: Path) -> Table:
    """Return `table` without the key `path`."""
    if len(path) == 1 or not isinstance(table.get(path[0]), dict):
        result = OpenTable(table) if isinstance(table, OpenTable) else dict(table)
        if len(path) == 1:
            result.pop(path[0], None)
        return result
    inner = removed(table[path[0]], path[1:])
    return OpenTable({**table, path[0]: inner}) if isinstance(table, OpenTable) else {**table, path[0]: inner}


def _is_interpolation(value: Any) -> bool:
    return isinstance(value, str) and "${" in value


# Interpolation

#: Maximum length of a text, number of values and depth of references that interpolation produces.
LONGEST, MOST_VALUES, DEEPEST = 20_000, 100_000, 30
_PLAIN_REFERENCE = re.compile(r"\.*[^.\[\]{}:$\"'\\,()=\s][^{}:$\"'\\,()=\s]*")


def resolve_interpolations(table: Table) -> Table:
    """Return `table` with ``${a.b}`` replaced by the values. Environment variables and other resolvers are OPEN."""
    return _as_table(_Resolver(table).value(table, (), 0))


class _Resolver:
    def __init__(self, root: Table) -> None:
        self.root = root
        self.count = 0

    def value(self, value: Any, path: Path, depth: int) -> Any:
        self.count += 1
        if self.count > MOST_VALUES or depth > DEEPEST:
            return OPEN
        if isinstance(value, dict):
            items = {key: self.value(inner, (*path, key), depth) for key, inner in value.items()}
            return OpenTable(items) if isinstance(value, OpenTable) else items
        if isinstance(value, list):
            return [self.value(inner, (*path, str(index)), depth) for index, inner in enumerate(value)]
        return self.text(value, path, depth) if _is_interpolation(value) else value

    def text(self, text: str, path: Path, depth: int) -> Any:
        """Return the value of a text with ``${}``, which stands at `path`."""
        if "\\" in text or depth > DEEPEST:
            return OPEN
        parts: list[Any] = []
        position = 0
        while (start := text.find("${", position)) >= 0:
            end = _closing(text, start + 2)
            if end < 0:
                return OPEN
            if start > position:
                parts.append(text[position:start])
            parts.append(self.reference(text[start + 2 : end], path, depth))
            position = end + 1
        parts += [text[position:]] if position < len(text) else []
        if len(parts) == 1:
            return parts[0]
        if any(part is OPEN or isinstance(part, (dict, list)) for part in parts):
            return OPEN
        joined = "".join(map(str, parts))
        return joined if len(joined) <= LONGEST else OPEN

    def reference(self, inside: str, path: Path, depth: int) -> Any:
        if "${" in inside:
            inner = self.text(inside, path, depth + 1)
            if not isinstance(inner, str):
                return OPEN
            inside = inner
        if not _PLAIN_REFERENCE.fullmatch(inside):
            return OPEN
        dots = len(inside) - len(inside.lstrip("."))
        if dots > len(path):
            return OPEN
        target = (*(path[: len(path) - dots] if dots else ()), *split_key(inside.lstrip(".")))
        return self.at(target, depth)

    def at(self, target: Path, depth: int) -> Any:
        """Return the value at `target`. Tables on the way can be interpolations too."""
        value: Any = self.root
        for index, key in enumerate(target):
            if _is_interpolation(value):
                value = self.text(value, target[:index], depth + 1)
            value = _inner(value, key)
        if value is OPEN or value == MISSING:
            return OPEN
        return self.value(value, target, depth + 1)


def _inner(value: Any, key: str) -> Any:
    """Return the value at `key`; OPEN if there is none, too."""
    if isinstance(value, dict):
        return value.get(key, OPEN)
    if isinstance(value, list) and key.isdecimal() and len(key) < 7 and int(key) < len(value):
        return value[int(key)]
    return OPEN


def _closing(text: str, position: int) -> int:
    depth = 1
    while position < len(text):
        if text.startswith("${", position):
            depth += 1
        elif text[position] == "}":
            depth -= 1
            if depth == 0:
                return position
        position += 1
    return -1
