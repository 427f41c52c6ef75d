"""What IPython puts in the place of ``{x}`` and ``$x`` in a command: values of the notebook's variables."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable
from typing import NamedTuple

from vcompat.sources.plan.invocation import UNKNOWN_WORDS
from vcompat.sources.plan.ipython import UNKNOWN_MAGIC


class Names(NamedTuple):
    """The variables of a notebook."""

    constants: dict[str, str]
    """Those that are assigned once, to a text or a number: what ``str()`` returns."""
    bound: frozenset[str]
    """All that the code binds."""
    any_name: bool
    """Code that cannot be followed may bind any name."""


def names_of(cells: Iterable[list[str]]) -> Names:
    """Return the variables that the code of `cells` binds."""
    constants: dict[str, str] = {}
    counts: dict[str, int] = {}
    any_name = False
    for lines in cells:
        try:
            tree = ast.parse("\n".join(lines) + "\n")
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            any_name = True
            continue
        for node in ast.walk(tree):
            for name in _bound(node):
                counts[name] = counts.get(name, 0) + 1
            any_name = any_name or _binds_any(node)
        for statement in tree.body:
            constants.update(_constant(statement))
    once = {name: text for name, text in constants.items() if counts[name] == 1 and not any_name}
    return Names(once, frozenset(counts), any_name)


def _constant(statement: ast.stmt) -> dict[str, str]:
    """Return the name and the text of ``X = "text"`` or ``X = 1``."""
    if not isinstance(statement, ast.Assign) or not isinstance(statement.value, ast.Constant):
        return {}
    target, value = statement.targets[0], statement.value.value
    if not isinstance(target, ast.Name) or not isinstance(value, (str, int, float)):
        return {}
    return {target.id: str(value)}


def _bound(node: ast.AST) -> list[str]:
    if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
        return [node.id]
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        return [node.name]
    if isinstance(node, ast.alias):
        return [(node.asname or node.name).partition(".")[0]]
    if isinstance(node, ast.arg):
        return [node.arg]
    if isinstance(node, ast.ExceptHandler):
        return [node.name] if node.name else []
    if isinstance(node, (ast.MatchAs, ast.MatchStar)):
        return [node.name] if node.name else []
    return []


def _binds_any(node: ast.AST) -> bool:
    if isinstance(node, ast.alias):
        return node.name == "*"
    return isinstance(node, ast.Name) and node.id in (UNKNOWN_MAGIC, "exec", "eval", "globals", "locals", "vars")


_FIELD = re.compile(r"\{([^{}]*)\}")
_DOLLAR = re.compile(r"\$(\$?)([A-Za-z_]\w*)")


def substitute(command: str, names: Names, before: frozenset[str]) -> str:
    """Return `command` with the values that IPython puts in; UNKNOWN_WORDS where they are not known.

    `before` are the constants that are assigned before the command. A field that Python cannot evaluate leaves the
    whole command as it is.
    """
    fields = [match[1] for match in _FIELD.finditer(command)]
    if any(not _can_be_evaluated(field, names) for field in fields):
        return command
    known = {name: text for name, text in names.constants.items() if name in before}
    text = _FIELD.sub(lambda match: known.get(match[1], UNKNOWN_WORDS), command)

    def dollar(match: re.Match[str]) -> str:
        name = match[2]
        if match[1] or (name not in names.bound and not names.any_name):
            # The shell's variable.
            return match[0][len(match[1]) :]
        return known.get(name, UNKNOWN_WORDS)

    return _DOLLAR.sub(dollar, text)


def _can_be_evaluated(field: str, names: Names) -> bool:
    """Whether Python may evaluate `field`; if not, IPython leaves the command as it is."""
    expression = re.split(r"[:!]", field, maxsplit=1)[0]
    try:
        tree = ast.parse(expression.strip() or "?", mode="eval")
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return not isinstance(tree.body, ast.Name) or names.any_name or tree.body.id in names.bound
