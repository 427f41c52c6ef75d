"""What an expression is: a dotted name, a text, a call with keywords, a table, an annotation of one class."""

from __future__ import annotations

import ast
from collections.abc import Iterator


def dotted(node: ast.expr | None) -> str:
    """Return a name such as ``self.llm`` as text; empty for another expression."""
    if isinstance(node, ast.Name):
        return node.id
    inner = dotted(node.value) if isinstance(node, ast.Attribute) else ""
    return f"{inner}.{node.attr}" if isinstance(node, ast.Attribute) and inner else ""


def last_name(node: ast.expr | None) -> str:
    """Return the last part of a name or of an attribute of anything; empty for another expression."""
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""


def called(node: ast.expr | None) -> str:
    """Return the last part of the name that a call calls; a decorator may also be the name alone."""
    return last_name(node.func if isinstance(node, ast.Call) else node)


def keywords(call: ast.Call) -> dict[str, ast.expr]:
    """Return the arguments that a call passes by name."""
    return {keyword.arg: keyword.value for keyword in call.keywords if keyword.arg}


def item(display: ast.expr | None, key: str) -> ast.expr | None:
    """Return the value of a text among the keys of a dictionary that is written out; None if it is not there."""
    pairs = zip(display.keys, display.values, strict=True) if isinstance(display, ast.Dict) else ()
    return next((value for name, value in pairs if text_of(name) == key), None)


def text_of(node: ast.AST | None) -> str | None:
    """Return the value of a constant text; None for anything else."""
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else None


def texts_in(tree: ast.AST) -> Iterator[str]:
    """Yield the constant texts anywhere in a tree that are not empty."""
    yield from filter(None, map(text_of, ast.walk(tree)))


def names_in(tree: ast.AST) -> set[str]:
    """Return the names anywhere in a tree."""
    return {inner.id for inner in ast.walk(tree) if isinstance(inner, ast.Name)}


def is_none(node: ast.AST | None) -> bool:
    """Whether an expression is None."""
    return isinstance(node, ast.Constant) and node.value is None


def is_for_typing(test: ast.expr) -> bool:
    """Whether a condition is false when the code runs: ``TYPE_CHECKING``."""
    return last_name(test) == "TYPE_CHECKING" or "TYPE_CHECKING" in names_in(test)


def class_named(annotation: ast.expr | None) -> str:
    """Return the name of the class that an annotation states, alone or with None; empty for another one."""
    quoted = text_of(annotation)
    if quoted is not None:
        try:
            return class_named(ast.parse(quoted, mode="eval").body)
        except (SyntaxError, ValueError):
            return ""
    if isinstance(annotation, ast.BinOp) and isinstance(annotation.op, ast.BitOr):
        parts = [part for part in (annotation.left, annotation.right) if not is_none(part)]
        return class_named(parts[0]) if len(parts) == 1 else ""
    if isinstance(annotation, ast.Subscript) and last_name(annotation.value) == "Optional":
        return class_named(annotation.slice)
    return annotation.id if isinstance(annotation, ast.Name) else ""
