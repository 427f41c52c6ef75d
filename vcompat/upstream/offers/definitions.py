"""Where a release defines what a name means: the node in the syntax tree of its module, with re-exports followed."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from vcompat.index.names import Names
from vcompat.index.rows import FOREIGN
from vcompat.upstream.offers.release_rows import Read, Rows
from vcompat.upstream.subjects import module_source

#: Limit on bases that are followed one after the other.
_MAX_DEPTH = 12
#: Bases without attributes of interest.
_PLAIN = frozenset({"object", "Generic", "Protocol", "ABC"})
Function = ast.FunctionDef | ast.AsyncFunctionDef


class Defined(NamedTuple):
    """Where a name is defined."""

    module: str
    node: ast.AST | None
    """None for a definition outside the package, or a module."""


class Definitions:
    """The definitions of one release of a package."""

    def __init__(self, package: str, read: Read, paths: Collection[str]) -> None:
        """`package` is the name that Python imports; `paths` are all files of the release."""
        self.rows = Rows(package, read, paths)
        self.names = Names(self.rows)
        self._read = read
        self._nodes: dict[str, dict[str, ast.AST]] = {}

    def find(self, module: str, name: str) -> Defined | None:
        """Return where a name in a module is defined; None if there is no such name."""
        found = next(self.names.find(module, name), None)
        if found is None:
            return None
        if found.kind == FOREIGN:
            # The index does not state where it comes from.
            return Defined("", None)
        if not found.kind:
            return Defined(found.module, None)
        return Defined(found.module, self._nodes_of(found.module).get(found.name))

    def several(self, module: str, name: str) -> bool:
        """Whether a name has more than one meaning, such as one for each branch."""
        return len(list(self.names.find(module, name))) > 1

    def method(self, defined: Defined, name: str) -> Defined | None:
        """Return the method of a class, which it or a base defines; None if it is not found."""
        for owner in self.with_bases(defined):
            if not isinstance(owner.node, ast.ClassDef):
                return None
            found = [node for node in owner.node.body if isinstance(node, Function) and node.name == name]
            if found:
                # The last one is the implementation of those before it, which are overloads.
                return Defined(owner.module, found[-1])
        return None

    def with_bases(self, defined: Defined, depth: int = 0) -> Iterator[Defined]:
        """Yield a class and its bases, in the order of a lookup; without a node for those that are not known."""
        yield defined
        if isinstance(defined.node, ast.ClassDef) and depth <= _MAX_DEPTH:
            if defined.node.keywords:
                yield Defined("", None)
            for base in defined.node.bases:
                name = ast.unparse(base.value if isinstance(base, ast.Subscript) else base)
                if name in _PLAIN:
                    continue
                found = self.find(defined.module, name) if name.isidentifier() else None
                yield from self.with_bases(found or Defined("", None), depth + 1)

    def imported(self, module: str, name: str) -> tuple[str, str] | None:
        """Return the module and the name in it that a module imports as `name`; None if it does not import it."""
        node = self._nodes_of(module).get(name)
        if isinstance(node, ast.ImportFrom):
            return dict(self.names_of(module, node)).get(name)
        if isinstance(node, ast.Import):
            return next((a.name, "") for a in node.names if name in (a.asname, a.name.partition(".")[0]))
        return None

    def imports_in(self, module: str) -> dict[str, tuple[str, str]]:
        """Return what a module imports by name anywhere, also for type checkers: the module and the name in it."""
        tree = self.tree(module) or ast.Module([], [])
        nodes = (node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom))
        return {name: origin for node in nodes for name, origin in self.names_of(module, node)}

    def names_of(self, module: str, node: ast.ImportFrom) -> Iterator[tuple[str, tuple[str, str]]]:
        """Yield the names that an import in a module binds, each with the module and the name in it."""
        base = node.module or ""
        if node.level:
            parts = module.split(".")
            parts = parts[: len(parts) - node.level + self.is_package(module)]
            base = ".".join([*parts, *filter(None, [node.module])])
        yield from ((a.asname or a.name, (base, a.name)) for a in node.names if a.name != "*")

    def is_package(self, module: str) -> bool:
        """Whether a module is a package, whose file is ``__init__.py``."""
        return module_source(module, self._read)[0].endswith("__init__.py")

    def tree(self, module: str) -> ast.Module | None:
        """Return the parsed source of a module; None if there is no such module, or it has another syntax."""
        source = module_source(module, self._read)[1]
        return None if source is None else _parsed(source)

    def _nodes_of(self, module: str) -> dict[str, ast.AST]:
        """The statement that binds each name of a module; of several, the last."""
        if module not in self._nodes:
            tree = self.tree(module)
            self._nodes[module] = dict(_bound(tree.body)) if tree else {}
        return self._nodes[module]


# Neighboring releases share most modules.
@lru_cache(maxsize=400)
def _parsed(source: str) -> ast.Module | None:
    try:
        return ast.parse(source)
    except (SyntaxError, ValueError, RecursionError):
        return None


def _bound(body: Sequence[ast.stmt]) -> Iterator[tuple[str, ast.AST]]:
    """The names that the statements of a module bind, and the statements in their blocks."""
    for node in body:
        if isinstance(node, Function | ast.ClassDef):
            yield node.name, node
        elif isinstance(node, ast.Import | ast.ImportFrom):
            yield from ((alias.asname or alias.name.partition(".")[0], node) for alias in node.names)
        elif isinstance(node, ast.If | ast.Try | ast.With | ast.For | ast.While | ast.Match):
            blocks = [
                child for child in ast.iter_child_nodes(node) if isinstance(child, ast.ExceptHandler | ast.match_case)
            ]
            yield from _bound([child for child in ast.iter_child_nodes(node) if isinstance(child, ast.stmt)])
            for block in blocks:
                yield from _bound(block.body)
        else:
            names = (inner for inner in ast.walk(node) if isinstance(inner, ast.Name))
            yield from ((name.id, node) for name in names if isinstance(name.ctx, ast.Store))
