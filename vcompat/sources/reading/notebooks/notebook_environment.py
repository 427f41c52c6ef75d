"""What the Python code of a notebook's cell may change in the environment and the folder of later commands."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import NamedTuple

from vcompat.foundation.syntax.blocks import parsed
from vcompat.foundation.syntax.terms import text_of
from vcompat.sources.reading.word import UNKNOWN, Word


class Change(NamedTuple):
    """A change of one variable, of the folder, or of any variable (neither name nor folder)."""

    line: int
    """The index of the line in the cell."""
    name: str = ""
    value: Word | None = None
    """The value of the variable; None if it is removed, UNKNOWN if it is not known."""
    folder: Word | None = None
    """The new folder; UNKNOWN if it is not known."""
    what: str = ""
    """What may change any variable."""
    overrides: bool = False
    """It may also change variables that were set before."""


def changes(lines: list[str]) -> Iterator[Change]:
    """Yield what the code of a cell may change, in order."""
    tree = parsed("\n".join(lines))
    if tree is None:
        yield Change(0, what="a cell that is not Python", overrides=True)
        return
    for statement in tree.body:
        known = _statement(statement)
        if known is not None:
            yield from known
        else:
            yield from _open(statement)


def _statement(statement: ast.stmt) -> list[Change] | None:
    """Return the changes of a statement that is understood; None if it is not."""
    line = statement.lineno - 1
    if isinstance(statement, ast.Assign) and len(statement.targets) == 1:
        name = _key(statement.targets[0])
        if name is not None and not any(_open(statement.value)):
            return [Change(line, name, _text(statement.value))]
    if isinstance(statement, ast.Delete):
        names = [_key(target) for target in statement.targets]
        return [Change(line, name) for name in names if name] if None not in names else None
    call = statement.value if isinstance(statement, ast.Expr) else None
    if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute):
        return _call(call, call.func, line)
    return None


def _call(call: ast.Call, function: ast.Attribute, line: int) -> list[Change] | None:
    first = call.args[0] if call.args else None
    if function.attr == "chdir":
        folder = _text(first) if first is not None else UNKNOWN
        return [Change(line, folder=folder)]
    if _name(function.value) != "environ":
        return None
    key = text_of(first)
    if function.attr == "setdefault" and key:
        return [Change(line, key, UNKNOWN)]
    if function.attr == "pop" and key:
        return [Change(line, key)]
    return _update(call, first, line) if function.attr == "update" else None


def _update(call: ast.Call, first: ast.expr | None, line: int) -> list[Change] | None:
    """Return what ``os.environ.update`` sets; None if that is not known."""
    if any(keyword.arg is None for keyword in call.keywords) or not isinstance(first, ast.Dict | None):
        return None
    pairs = list(zip(first.keys, first.values, strict=True)) if first is not None else []
    names = [text_of(key) for key, _ in pairs]
    if None in names:
        return None
    named = [Change(line, str(name), _text(value)) for name, (_, value) in zip(names, pairs, strict=True)]
    return [*named, *(Change(line, str(word.arg), _text(word.value)) for word in call.keywords)]


def _key(node: ast.expr) -> str | None:
    """Return A of ``os.environ["A"]``."""
    if not isinstance(node, ast.Subscript) or _name(node.value) != "environ":
        return None
    return text_of(node.slice)


def _text(value: ast.expr) -> Word:
    text = text_of(value)
    return UNKNOWN if text is None else text


_HARMLESS = frozenset(
    "__unknown_output__ print len str int float range display sorted list dict set tuple min max sum".split()
)
_STANDARD = frozenset("os sys json re math time random pathlib subprocess shutil typing collections glob".split())
_ANYTHING = frozenset("__unknown_magic__ load_dotenv exec eval putenv unsetenv".split())


def _open(node: ast.AST) -> Iterator[Change]:
    """Yield what in `node` may change any variable: calls, imports of other packages, uses of ``os.environ``."""
    for inner in ast.walk(node):
        line = getattr(inner, "lineno", 1) - 1
        if isinstance(inner, ast.Call):
            name = _name(inner.func)
            if name == "chdir":
                yield Change(line, folder=UNKNOWN)
            elif not isinstance(inner.func, ast.Name) or name not in _HARMLESS:
                yield Change(line, what=f"{name or 'a call'}()", overrides=name in _ANYTHING)
        elif isinstance(inner, (ast.Import, ast.ImportFrom)):
            if not _is_standard(inner):
                yield Change(line, what="an import")
        elif isinstance(inner, ast.expr) and _name(inner) == "environ":
            yield Change(line, what="a use of os.environ", overrides=True)


def _name(node: ast.AST) -> str:
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""


def _is_standard(node: ast.Import | ast.ImportFrom) -> bool:
    names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else [node.module or ""]
    return all(name.partition(".")[0] in _STANDARD for name in names)
