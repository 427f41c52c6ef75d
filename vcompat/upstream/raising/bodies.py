"""Which code of a function or a class differs between two releases, without comments, docstrings and annotations."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator, Sequence
from difflib import SequenceMatcher

from vcompat.foundation.syntax.blocks import Function, without_docstring

#: Parts of a class that are named; further ones are counted.
_NAMED = 4


def changed_parts(old: ast.AST | None, new: ast.AST | None, listed: Collection[str]) -> list[str]:
    """Return what differs, in words: the number of lines of a function, or the parts of a class but for `listed`."""
    if isinstance(old, ast.ClassDef) and isinstance(new, ast.ClassDef):
        before, after = dict(_parts(old)), dict(_parts(new))
        names = [name for name in after if name in before and before[name] != after[name] and name not in listed]
        more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
        return [", ".join(names[:_NAMED]) + more] if names else []
    if isinstance(old, Function) and isinstance(new, Function):
        lines = _lines_changed(_lines(old.body), _lines(new.body))
        return [f"{lines} {'line' if lines == 1 else 'lines'}"] if lines else []
    return []


def _lines_changed(before: Sequence[str], after: Sequence[str]) -> int:
    operations = SequenceMatcher(None, before, after, autojunk=False).get_opcodes() if before != after else ()
    return sum(max(i2 - i1, j2 - j1) for tag, i1, i2, j1, j2 in operations if tag != "equal")


def _parts(node: ast.ClassDef) -> Iterator[tuple[str, list[str]]]:
    """The methods and the variables of a class."""
    for inner in node.body:
        if isinstance(inner, Function):
            yield inner.name, _lines(inner.body)
        elif isinstance(inner, ast.AnnAssign):
            yield ast.unparse(inner.target), [ast.unparse(inner.value)] if inner.value else []
        elif isinstance(inner, ast.Assign):
            yield ast.unparse(inner.targets[0]), [ast.unparse(inner.value)]


def _lines(body: Sequence[ast.stmt]) -> list[str]:
    texts = map(ast.unparse, without_docstring(body))
    return [line for text in texts for line in text.splitlines()]
