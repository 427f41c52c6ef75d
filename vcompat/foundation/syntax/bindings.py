"""Which names code binds, and where imports lead."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import NamedTuple

from vcompat.foundation.syntax.blocks import Scope, statements
from vcompat.foundation.syntax.terms import is_for_typing


class Imported(NamedTuple):
    """One name that an import binds."""

    bound: str
    module: str
    name: str
    """What of the module is imported; empty for the module itself."""


def imported(node: ast.AST, module: str = "", is_package: bool = False) -> Iterator[Imported]:
    """Yield the names that an import in a module binds, ``*`` among them; nothing for another node."""
    if isinstance(node, ast.Import):
        for alias in node.names:
            root = alias.name.partition(".")[0]
            yield Imported(alias.asname or root, alias.name if alias.asname else root, "")
    elif isinstance(node, ast.ImportFrom):
        origin = absolute(node.module or "", node.level, module, is_package)
        for alias in node.names:
            yield Imported(alias.asname or alias.name, origin, alias.name)


def absolute(name: str, level: int, module: str, is_package: bool) -> str:
    """Return the module that an import in `module` names, with `level` dots before its name."""
    parts = module.split(".")
    above = parts[: len(parts) - level + is_package] if level else []
    return ".".join([*above, *filter(None, [name])])


def assigned_by(node: ast.Assign | ast.AnnAssign) -> list[ast.expr]:
    """Return what an assignment assigns to, each as a whole."""
    return node.targets if isinstance(node, ast.Assign) else [node.target]


def annotated(owner: ast.ClassDef) -> Iterator[tuple[str, ast.AnnAssign]]:
    """Yield the names that a class annotates in its body, but not for type checkers alone, with the statements."""
    body = [part for part in owner.body if not isinstance(part, ast.If) or not is_for_typing(part.test)]
    for statement in statements(body, (ast.If,)):
        if isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name):
            yield statement.target.id, statement


def is_class_variable(statement: ast.AnnAssign) -> bool:
    """Whether an annotated variable of a class is no field of its objects."""
    return "ClassVar" in ast.unparse(statement.annotation).partition("[")[0]


def bound_by(node: ast.AST) -> Iterator[str]:
    """Yield the names that one node binds or deletes, but not those that its parts bind."""
    if isinstance(node, ast.arg):
        yield node.arg
    elif isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
        yield node.id
    elif isinstance(node, Scope | ast.ExceptHandler):
        yield node.name or ""
    else:
        yield from (name.bound for name in imported(node))
