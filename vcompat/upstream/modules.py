"""Modules of a release as an importer would see them: the names that they define, import or load lazily."""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Iterator
from typing import NamedTuple

#: A module puts another one into ``sys.modules``.
_OTHER_MODULE = re.compile(r"sys\.modules\[(?!__name__\])[^]]+\] = ")
#: A module computes names that it defines.
_COMPUTES_NAMES = re.compile(r"\bglobals\(\)(?!\[\"__file__\"\])|\bvars\(\)|\bexec\(|setattr\(\s*sys\.modules")


class Defined(NamedTuple):
    """Where a name is defined."""

    module: str
    node: ast.AST | None
    """None for a definition outside the package, or a module."""


class Module(NamedTuple):
    """One module, by what its text says."""

    name: str
    is_package: bool
    names: dict[str, ast.AST | tuple[str, str]]
    """Definitions; for an imported name, the module and the name in it."""
    typing_only: dict[str, tuple[str, str]]
    stars: list[str]
    lazy: frozenset[str]
    """String constants of a module with ``__getattr__``: any of them may be an attribute's name."""
    replaced: bool
    """Whether the module replaces itself with another object, whose attributes are not known."""
    makes_modules: bool
    """Whether it adds other modules to ``sys.modules``."""
    computes_names: bool
    """Whether it defines names that its text does not contain."""
    tree: ast.Module
    several: set[str]
    """Names with more than one meaning, such as one per branch."""

    @property
    def forwards(self) -> bool:
        """Whether its ``__getattr__`` looks up the same name elsewhere."""
        function = self.names.get("__getattr__")
        if not isinstance(function, ast.FunctionDef):
            return False
        name = function.args.args[0].arg if function.args.args else ""
        return any(
            isinstance(node, ast.Call)
            and ast.unparse(node.func) == "getattr"
            and len(node.args) > 1
            and ast.unparse(node.args[1]) == name
            for node in ast.walk(function)
        )

    def may_make(self, name: str) -> bool:
        """Whether a module that it puts into ``sys.modules`` may have this name.

        transformers computes such names from ``__name__`` and a constant end.
        """
        texts = (node.values for node in ast.walk(self.tree) if isinstance(node, ast.JoinedStr))
        starts = (values for values in texts if _is_own_name(values[0]))
        ends = [str(values[-1].value) if isinstance(values[-1], ast.Constant) else "" for values in starts]
        return not ends or any(name.endswith(end) for end in ends)


def parsed(name: str, source: str, is_package: bool) -> Module | None:
    """Return the module `name` with this source; None if it does not parse."""
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError):
        return None
    replaced = "sys.modules[__name__]" in source
    makes_modules = _OTHER_MODULE.search(source) is not None
    computes = _COMPUTES_NAMES.search(source) is not None
    module = Module(name, is_package, {}, {}, [], frozenset(), replaced, makes_modules, computes, tree, set())
    _collect(tree.body, module)
    for node in ast.walk(tree):
        if isinstance(node, ast.Global):
            for text in node.names:
                module.names.setdefault(text, node)
    if "__getattr__" in module.names:
        texts = {n.value for n in ast.walk(tree) if isinstance(n, ast.Constant) and isinstance(n.value, str)}
        return module._replace(lazy=frozenset(texts))
    return module


def _is_own_name(part: ast.expr) -> bool:
    return isinstance(part, ast.FormattedValue) and ast.unparse(part.value) == "__name__"


def _collect(body: list[ast.stmt], module: Module) -> None:
    """Collect the names that the statements of a module, or of a block in it, define."""
    for node in body:
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            for inner in (inner for inner in node.body if isinstance(inner, ast.ImportFrom)):
                module.typing_only.update(imported_by(inner, module))
            _collect(node.orelse, module)
            continue
        blocks = list(_blocks(node))
        found = dict(_named(node, blocks, module))
        module.several.update(found.keys() & module.names.keys())
        module.names.update(found)
        for block in blocks:
            _collect(block, module)


def _named(
    node: ast.stmt, blocks: list[list[ast.stmt]], module: Module
) -> Iterator[tuple[str, ast.AST | tuple[str, str]]]:
    """The names that a statement defines itself, outside of its `blocks`."""
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        yield node.name, node
    elif isinstance(node, ast.Import):
        yield from ((a.asname or a.name.partition(".")[0], (a.name, "")) for a in node.names)
    elif isinstance(node, ast.ImportFrom):
        yield from imported_by(node, module)
    else:
        inside = {id(inner) for block in blocks for inner in block}
        yield from ((name, node) for name in _assigned(node, inside))


def _assigned(node: ast.AST, blocks: Collection[int]) -> Iterator[str]:
    """The names that a statement assigns itself, outside of its `blocks` and of functions in it."""
    if isinstance(node, ast.AnnAssign) and node.value is None:
        return
    if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
        yield node.id
    for inner in ast.iter_child_nodes(node):
        if id(inner) not in blocks and not isinstance(inner, ast.Lambda):
            yield from _assigned(inner, blocks)


def _blocks(node: ast.stmt) -> Iterator[list[ast.stmt]]:
    if isinstance(node, ast.Match):
        yield from (case.body for case in node.cases)
    if isinstance(node, ast.If | ast.Try | ast.With | ast.For | ast.While):
        for part in ("body", "orelse", "finalbody"):
            yield getattr(node, part, [])
        for handler in getattr(node, "handlers", []):
            yield handler.body


def imported_by(node: ast.ImportFrom, module: Module) -> Iterator[tuple[str, tuple[str, str]]]:
    """Yield the names that an import binds, each with the module and the name in it; note what it imports all of."""
    base = node.module or ""
    if node.level:
        parts = module.name.split(".")
        parts = parts[: len(parts) - node.level + (1 if module.is_package else 0)]
        base = ".".join([*parts, *([node.module] if node.module else [])])
    for alias in node.names:
        if alias.name == "*":
            module.stars.append(base)
        else:
            yield alias.asname or alias.name, (base, alias.name)
