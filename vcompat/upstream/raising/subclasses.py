"""The classes of a package that extend classes of another one, and what they use of these."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from typing import NamedTuple

from vcompat.foundation.syntax.blocks import Function
from vcompat.foundation.syntax.terms import dotted

_CLASS = re.compile(r"^\s*class\s+(\w+)\s*\(([^)]*)\)\s*:", re.MULTILINE)


class Inherited(NamedTuple):
    """What subclasses use of the class that they extend, by name; each with files and lines."""

    places: dict[str, list[str]]
    """Methods that they call or override, and attributes that they read."""
    overrides: dict[str, list[tuple[str, Function]]]

    def add(self, path: str, owner: ast.ClassDef, read: Iterable[tuple[str, int]]) -> None:
        """Add the methods of a subclass, and the attributes that it reads, with their lines."""
        for method in (node for node in owner.body if isinstance(node, Function)):
            self.overrides.setdefault(method.name, []).append((f"{path}:{method.lineno}", method))
        for attribute, line in read:
            self.places.setdefault(attribute, []).append(f"{path}:{line}")


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
        inherited = Inherited({}, {})
        pending = [
            (path, name, frozenset[str]())
            for file, names in imported.items()
            for base in names
            for path, name in self._by_base.get(base, ())
            if path == file
        ]
        seen = set()
        for path, name, above in pending:  # which grows
            nodes = nodes_of(path)
            for node in (node for node in nodes if isinstance(node, ast.ClassDef) and node.name == name):
                own = set(_names_of(node))
                inherited.add(path, node, _read_in(node, nodes, above, own))
                seen.add((path, name))
                below = [one for one in self._by_base.get(name, ()) if one not in seen]
                pending += [(*one, above | own) for one in below]
        for name, functions in inherited.overrides.items():
            inherited.places.setdefault(name, []).extend(place for place, _ in functions)
        return inherited


def _names_of(owner: ast.ClassDef) -> Iterator[str]:
    """The methods of a class, and the attributes that it stores in its objects."""
    for node in ast.walk(owner):
        if isinstance(node, Function):
            yield node.name
        elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store) and dotted(node.value) == "self":
            yield node.attr


def _read_in(
    owner: ast.ClassDef, nodes: Iterable[ast.AST], above: Collection[str], own: Collection[str]
) -> Iterator[tuple[str, int]]:
    """What a class reads of ``super()`` or ``self`` that neither it nor a class `above` it in its package defines."""
    for node in nodes:
        if isinstance(node, ast.Attribute) and owner.lineno <= node.lineno <= (owner.end_lineno or 0):
            of_super = isinstance(node.value, ast.Call) and dotted(node.value.func) == "super"
            of_self = dotted(node.value) == "self" and isinstance(node.ctx, ast.Load) and node.attr not in own
            if (of_super or of_self) and node.attr not in above:
                yield node.attr, node.lineno
