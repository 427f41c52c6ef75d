"""Source as a tree, and the statements in its blocks."""

from __future__ import annotations

import ast
import warnings
from collections.abc import Iterator, Sequence

from vcompat.foundation.syntax.terms import text_of

Function = ast.FunctionDef | ast.AsyncFunctionDef
#: What has a scope of its own, with a name.
Scope = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
#: Statements whose blocks are in the scope around them.
COMPOUND = (ast.If, ast.Try, ast.With, ast.AsyncWith, ast.For, ast.AsyncFor, ast.While, ast.Match)


def parsed(source: str | bytes) -> ast.Module | None:
    """Return the tree of a module; None if it does not parse."""
    try:
        with warnings.catch_warnings():
            # Released code has invalid escapes, which a user of vcompat cannot fix.
            warnings.simplefilter("ignore")
            return ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def statements(body: Sequence[ast.stmt], inside: tuple[type[ast.stmt], ...] = COMPOUND) -> Iterator[ast.stmt]:
    """Yield statements and those in the blocks of the kinds `inside`, in the order of the source."""
    for statement in body:
        yield statement
        if isinstance(statement, inside):
            for part in ast.iter_child_nodes(statement):
                if isinstance(part, ast.stmt):
                    yield from statements([part], inside)
                elif isinstance(part, ast.ExceptHandler | ast.match_case):
                    yield from statements(part.body, inside)


def without_docstring(body: Sequence[ast.stmt]) -> Sequence[ast.stmt]:
    """Return the statements of a module, a class or a function but for the text that begins them."""
    is_first = bool(body) and isinstance(body[0], ast.Expr) and text_of(body[0].value) is not None
    return body[1:] if is_first else body
