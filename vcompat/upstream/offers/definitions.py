"""Where a release defines what a name means: the node in the syntax tree of its module, with re-exports followed."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterable, Iterator
from functools import lru_cache
from typing import NamedTuple

from vcompat.foundation.syntax.bindings import bound_by, imported
from vcompat.foundation.syntax.blocks import COMPOUND, Function, Scope, parsed, statements
from vcompat.foundation.syntax.terms import dotted, last_name
from vcompat.index.names import Names
from vcompat.index.rows import FOREIGN
from vcompat.upstream.offers.release_rows import Read, Rows
from vcompat.upstream.subjects import module_source

#: Limit on bases that are followed one after the other.
_MAX_DEPTH = 12
#: Bases without attributes of interest.
_PLAIN = frozenset({"object", "Generic", "Protocol", "ABC"})


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
        place = next(self.names.find(module, name), None)
        if place is None:
            return None
        if place.kind == FOREIGN:
            # The index does not state where it comes from.
            return Defined("", None)
        return Defined(place.module, self._nodes_of(place.module).get(place.name) if place.kind else None)

    def named(self, module: str, expression: ast.expr) -> Defined | None:
        """Return where that is defined which an expression in a module names, perhaps with an index."""
        if isinstance(expression, ast.Subscript):
            return self.named(module, expression.value)
        if isinstance(expression, ast.Name):
            return self.find(module, expression.id)
        owner = self.named(module, expression.value) if isinstance(expression, ast.Attribute) else None
        is_module = owner is not None and owner.node is None and owner.module.partition(".")[0] == self.rows.root
        return self.find(owner.module, last_name(expression)) if owner and is_module else None

    def several(self, module: str, name: str) -> bool:
        """Whether a name has more than one meaning, such as one for each branch."""
        return len(list(self.names.find(module, name))) > 1

    def method(self, defined: Defined, name: str) -> Defined | None:
        """Return the method of a class, which it or a base defines; None if it is not found."""
        # The last one is the implementation of those before it, which are overloads.
        return next(reversed(self.methods(defined, name)), None)

    def methods(self, defined: Defined, name: str) -> list[Defined]:
        """Return the definitions of a method in the nearest class that has it, of a class and its known bases."""
        for owner in self.with_bases(defined):
            body = owner.node.body if isinstance(owner.node, ast.ClassDef) else None
            nodes = [node for node in body or () if isinstance(node, Function) and node.name == name]
            if nodes or body is None:
                return [Defined(owner.module, node) for node in nodes]
        return []

    def with_bases(self, defined: Defined, depth: int = 0) -> Iterator[Defined]:
        """Yield a class and its bases, in the order of a lookup; without a node for those that are not known."""
        yield defined
        if isinstance(defined.node, ast.ClassDef) and depth <= _MAX_DEPTH:
            if defined.node.keywords:
                yield Defined("", None)
            for base in defined.node.bases:
                above = self.named(defined.module, base)
                if above is None or above.node is defined.node:
                    above = Defined("", None)
                if dotted(base.value if isinstance(base, ast.Subscript) else base) not in _PLAIN:
                    yield from self.with_bases(above, depth + 1)

    def imported(self, module: str, name: str) -> tuple[str, str] | None:
        """Return the module and the name in it that a module imports as `name`; None if it does not import it."""
        node = self._nodes_of(module).get(name)
        return self.names_of(module, [node]).get(name) if node else None

    def imports_in(self, module: str) -> dict[str, tuple[str, str]]:
        """Return what a module imports by name anywhere, also for type checkers: the module and the name in it."""
        nodes = ast.walk(self.tree(module) or ast.Module([], []))
        return self.names_of(module, (node for node in nodes if isinstance(node, ast.ImportFrom)))

    def names_of(self, module: str, nodes: Iterable[ast.AST]) -> dict[str, tuple[str, str]]:
        """Return the names that imports in a module bind, each with the module and the name in it."""
        is_package = module_source(module, self._read)[0].endswith("__init__.py")
        names = (name for node in nodes for name in imported(node, module, is_package))
        return {name.bound: (name.module, name.name) for name in names if name.name != "*"}

    def tree(self, module: str) -> ast.Module | None:
        """Return the parsed source of a module; None if there is no such module, or it has another syntax."""
        source = module_source(module, self._read)[1]
        return None if source is None else _tree(source)

    def _nodes_of(self, module: str) -> dict[str, ast.AST]:
        """The statement that binds each name of a module; of several, the last."""
        if module not in self._nodes:
            tree = self.tree(module) or ast.Module([], [])
            self._nodes[module] = {name: node for node in statements(tree.body) for name in _bound(node)}
        return self._nodes[module]


# Neighboring releases share most modules.
_tree = lru_cache(maxsize=400)(parsed)


def _bound(node: ast.stmt) -> Iterator[str]:
    """The names that a statement binds outside its blocks, but for the targets of loops and contexts."""
    if isinstance(node, Scope | ast.Import | ast.ImportFrom):
        yield from bound_by(node)
    elif not isinstance(node, COMPOUND):
        names = (inner for inner in ast.walk(node) if isinstance(inner, ast.Name))
        yield from (name.id for name in names if isinstance(name.ctx, ast.Store))
