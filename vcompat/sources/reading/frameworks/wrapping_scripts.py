"""Scripts that do nothing but call the entry point of a framework: they are the framework's program."""

from __future__ import annotations

import ast
from typing import NamedTuple

from vcompat.foundation.syntax.blocks import parsed

#: Functions that read the command line, by the packages they come from: the framework, and its command.
_ENTRIES = {
    ("swift", "rlhf_main"): ("ms-swift", "swift.rlhf"),
    ("swift", "sft_main"): ("ms-swift", "swift.sft"),
    ("swift", "pt_main"): ("ms-swift", "swift.pt"),
    ("llamafactory", "run_exp"): ("llama-factory", "llamafactory-cli.train"),
}


class Wrapped(NamedTuple):
    """The program that a script stands for."""

    framework: str
    command: str


def wrapped_by(source: bytes) -> Wrapped | None:
    """Return the program that the code of a script calls; None if it does anything else."""
    tree = parsed(source) if any(name.encode() in source for _, name in _ENTRIES) else None
    if tree is None:
        return None
    imported: dict[str, Wrapped] = {}
    functions: dict[str, list[ast.stmt]] = {}
    rest: list[ast.stmt] = []
    for statement in tree.body:
        if isinstance(statement, ast.ImportFrom):
            imported |= _entries(statement)
        elif isinstance(statement, ast.FunctionDef) and not statement.decorator_list:
            functions[statement.name] = statement.body
        elif not isinstance(statement, ast.Import) and not _is_text(statement):
            rest.append(statement)
    called = _only_call(_guarded(rest))
    called = _only_call(functions[called]) if called in functions else called
    return imported.get(called)


def _entries(statement: ast.ImportFrom) -> dict[str, Wrapped]:
    """Return what a statement imports of _ENTRIES, by the names that the script has for them."""
    root = (statement.module or "").partition(".")[0] if not statement.level else ""
    known = [alias for alias in statement.names if (root, alias.name) in _ENTRIES]
    return {alias.asname or alias.name: Wrapped(*_ENTRIES[root, alias.name]) for alias in known}


def _guarded(rest: list[ast.stmt]) -> list[ast.stmt]:
    """Return what runs under ``if __name__ == "__main__"``, if that is all."""
    if len(rest) == 1 and isinstance(rest[0], ast.If) and ast.unparse(rest[0].test) == "__name__ == '__main__'":
        return [] if rest[0].orelse else rest[0].body
    return rest


def _only_call(body: list[ast.stmt]) -> str:
    """Return the name of the function that a body calls without arguments, if it does nothing else."""
    statements = [statement for statement in body if not _is_text(statement)]
    only = statements[0] if len(statements) == 1 else None
    value = only.value if isinstance(only, (ast.Expr, ast.Return)) else None
    if isinstance(value, ast.Call) and isinstance(value.func, ast.Name) and not value.args and not value.keywords:
        return value.func.id
    return ""


def _is_text(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)
