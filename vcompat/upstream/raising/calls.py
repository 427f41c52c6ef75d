"""The calls of functions, classes and methods of another package in the files that use them."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator
from functools import cache

from vcompat.facts.use import METHOD
from vcompat.sources.uses.reader import uses_in


class Calls:
    """The calls in the source of one package."""

    def __init__(self, read: Callable[[str], str | None]) -> None:
        """`read` returns the text of a file."""
        self._read = read
        self._parsed = cache(self._tree)

    def of(self, module: str, name: str, places: Iterable[str]) -> Iterator[tuple[str, ast.Call]]:
        """Yield the calls of a name in the files of `places`, with file and line."""
        for path in _files(places):
            for call in self._in_file(path, module, name):
                yield f"{path}:{call.lineno}", call

    def members(self, module: str, name: str, places: Iterable[str]) -> dict[str, list[str]]:
        """Return which attributes of an imported class the files read from the class itself, with file and line."""
        found: dict[str, list[str]] = {}
        for path in _files(places):
            tree = self._parsed(self._read(path) or "")
            names = _imported_as(tree, module, name)
            for node in ast.walk(tree):
                if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in names:
                    found.setdefault(node.attr, []).append(f"{path}:{node.lineno}")
        return found

    def _in_file(self, path: str, module: str, name: str) -> Iterator[ast.Call]:
        source = self._read(path) or ""
        tree = self._parsed(source)
        calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call)]
        owner, _, method = name.partition(".")
        names = _imported_as(tree, module, owner)
        if not method:
            yield from (call for call in calls if isinstance(call.func, ast.Name) and call.func.id in names)
            return
        uses = uses_in(source, module.partition(".")[0])
        lines = {line for use, line in uses if use[:3] == (METHOD, module, name)}
        for call in (call for call in calls if getattr(call.func, "attr", "") == method):
            owned = getattr(getattr(call.func, "value", None), "id", "") in names
            if owned or call.lineno in lines:
                yield call

    def _tree(self, source: str) -> ast.AST:
        try:
            return ast.parse(source)
        except (SyntaxError, ValueError, RecursionError):
            return ast.Module([], [])


def _files(places: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(place.rpartition(":")[0] for place in places if ":" in place))


def _imported_as(tree: ast.AST, module: str, name: str) -> frozenset[str]:
    """The names that a module gives to something that it imports."""
    return frozenset(
        alias.asname or alias.name
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and node.module == module
        for alias in node.names
        if alias.name == name
    )
