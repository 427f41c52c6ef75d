"""The classes of a package that extend classes of another one, and what they use of these."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import NamedTuple

from vcompat.upstream.members import Function

_CLASS = re.compile(r"^\s*class\s+(\w+)\s*\(([^)]*)\)\s*:", re.MULTILINE)


class Inherited(NamedTuple):
    """What subclasses use of the class that they extend, by name; each with files and lines."""

    places: dict[str, list[str]]
    """Methods that they call or override, and attributes that they read."""
    overrides: dict[str, list[tuple[str, Function]]]


class Subclasses:
    """All classes of a package, by the names of their bases."""

    def __init__(self, read: Callable[[str], str | None], paths: Iterable[str]) -> None:
        self._by_base: dict[str, list[tuple[str, str]]] = {}
        for path in sorted(path for path in paths if path.endswith(".py")):
            for name, bases in _CLASS.findall(read(path) or ""):
                for base in re.findall(r"(\w+)\s*(?:\[[^]]*\])?\s*(?:,|$)", bases):
                    self._by_base.setdefault(base, []).append((path, name))

    def inherited(self, imported: Mapping[str, Iterable[str]], nodes_of: Callable[[str], list[ast.AST]]) -> Inherited:
        """Return what the subclasses of a class use of it. `imported` are its names in the files that import it."""
        classes = [
            (path, name)
            for file, names in imported.items()
            for base in names
            for path, name in self._by_base.get(base, ())
            if path == file
        ]
        for _, base in classes:  # which grows
            classes += [found for found in self._by_base.get(base, ()) if found not in classes]
        nodes = [(path, node) for path, name in classes for node in _classes_in(nodes_of(path), name)]
        own = {inner.name for _, node in nodes for inner in node.body if isinstance(inner, Function)}
        found = Inherited({}, {})
        for path, node in nodes:
            for inner in (inner for inner in node.body if isinstance(inner, Function)):
                found.overrides.setdefault(inner.name, []).append((f"{path}:{inner.lineno}", inner))
            for name, line in _read_in(node, nodes_of(path), own):
                found.places.setdefault(name, []).append(f"{path}:{line}")
        for name, functions in found.overrides.items():
            found.places.setdefault(name, []).extend(place for place, _ in functions)
        return found


def _classes_in(nodes: Iterable[ast.AST], name: str) -> list[ast.ClassDef]:
    return [node for node in nodes if isinstance(node, ast.ClassDef) and node.name == name]


def _read_in(owner: ast.ClassDef, nodes: Iterable[ast.AST], own: set[str]) -> Iterator[tuple[str, int]]:
    """What a class reads of ``super()``, or of ``self`` without defining it."""
    for node in nodes:
        if isinstance(node, ast.Attribute) and owner.lineno <= node.lineno <= (owner.end_lineno or 0):
            of_super = isinstance(node.value, ast.Call) and ast.unparse(node.value.func) == "super"
            if of_super or (ast.unparse(node.value) == "self" and node.attr not in own):
                yield node.attr, node.lineno
