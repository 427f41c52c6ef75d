"""The calls of functions, classes and methods of another package in the files that use them.

Code that runs only with other releases of the package is left out, and code that expects something to be missing.
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterable, Iterator
from functools import cache

from packaging.version import Version

from vcompat.facts.use import METHOD
from vcompat.foundation.syntax.bindings import imported
from vcompat.foundation.syntax.blocks import parsed
from vcompat.rules.ranges import in_all
from vcompat.sources.reading.uses.guards import guards_in, otherwise
from vcompat.sources.reading.uses.package_uses import uses_in
from vcompat.sources.reading.uses.run_conditions import asks_what_is_there, expects_failure
from vcompat.upstream.archive import Archive, Tree
from vcompat.upstream.raising.subclasses import Inherited, Subclasses

_Nodes = list[ast.AST]


class Calls:
    """The calls in the source of one package."""

    def __init__(self, source: Archive | Tree, package: str, version: Version) -> None:
        """`package` is the name that Python imports, `version` its release."""
        self._read, self._package, self._version = source.read, package, version
        self._nodes = cache(self._read_nodes)
        self._subclasses = Subclasses(source.read, source.names())

    def of(self, module: str, name: str, places: Iterable[str]) -> Iterator[tuple[str, ast.Call]]:
        """Yield the calls of a name in the files of `places`, with file and line. A method is also called at these."""
        owner, _, method = name.partition(".")
        places = list(places)
        for path in _files(places):
            nodes = self._nodes(path)
            names = _imported_as(nodes, module, owner)
            uses = uses_in(self._read(path) or "", self._package) if method else ()
            lines = {line for use, line in uses if use[:3] == (METHOD, module, name)}
            lines |= {int(place.rpartition(":")[2]) for place in places if place.startswith(f"{path}:")}
            for call in (node for node in nodes if isinstance(node, ast.Call)):
                if _calls(call, method, names, lines):
                    yield f"{path}:{call.lineno}", call

    def members(self, module: str, name: str, places: Iterable[str]) -> Inherited:
        """Return what is read from an imported class itself, and what its subclasses use and override of it."""
        names = {path: _imported_as(self._nodes(path), module, name) for path in _files(places)}
        inherited = self._subclasses.inherited(names, self._nodes)
        for path, here in names.items():
            for node in self._nodes(path):
                if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in here:
                    inherited.places.setdefault(node.attr, []).append(f"{path}:{node.lineno}")
        return inherited

    def _read_nodes(self, path: str) -> _Nodes:
        """The nodes of a file that the release reaches."""
        nodes = list(ast.walk(parsed(self._read(path) or "") or ast.Module([], [])))
        blocks = [block for node in nodes for block in self._left_out(node)]
        lines = {
            line for block in blocks for inner in block for line in range(inner.lineno, (inner.end_lineno or 0) + 1)
        }
        return [node for node in nodes if getattr(node, "lineno", 0) not in lines]

    def _left_out(self, node: ast.AST) -> Iterator[list[ast.stmt]]:
        if isinstance(node, ast.Try) and any(map(expects_failure, node.handlers)):
            yield node.body
        if isinstance(node, ast.If):
            behind, other = (tell(node.test, [self._package], {}) for tell in (guards_in, otherwise))
            if asks_what_is_there(node.test) or not in_all([guard.range for guard in behind], self._version):
                yield node.body
            if not in_all([guard.range for guard in other], self._version):
                yield node.orelse


def _calls(call: ast.Call, method: str, names: Collection[str], lines: Collection[int]) -> bool:
    """Whether a call is one of an imported name, or of a method of it or on one of the `lines`."""
    if not method:
        return isinstance(call.func, ast.Name) and call.func.id in names
    if not isinstance(call.func, ast.Attribute) or call.func.attr != method:
        return False
    return call.lineno in lines or (isinstance(call.func.value, ast.Name) and call.func.value.id in names)


def _files(places: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(place.rpartition(":")[0] for place in places if ":" in place))


def _imported_as(nodes: _Nodes, module: str, name: str) -> frozenset[str]:
    """The names that a module gives to something that it imports."""
    from_imports = (node for node in nodes if isinstance(node, ast.ImportFrom) and node.module == module)
    return frozenset(imports.bound for node in from_imports for imports in imported(node) if imports.name == name)
