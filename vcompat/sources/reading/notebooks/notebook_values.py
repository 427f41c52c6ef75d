"""What IPython puts in the place of ``{x}`` and ``$x`` in a command: values of the notebook's variables."""

from __future__ import annotations

import ast
import builtins
import re
from collections.abc import Iterable, Iterator, Mapping
from string import Formatter
from typing import NamedTuple

from vcompat.foundation.syntax.blocks import parsed
from vcompat.foundation.syntax.terms import dotted, names_in
from vcompat.sources.reading.notebooks.ipython import UNKNOWN_MAGIC
from vcompat.sources.reading.word import UNKNOWN_WORDS, Word, concat


class Names(NamedTuple):
    """The variables of a notebook."""

    constants: dict[str, str]
    """Those that are assigned once, to a text or a number: what ``str()`` returns."""
    bound: frozenset[str]
    """All that the code binds."""
    any_name: bool
    """Code that cannot be followed may bind any name."""
    presumed: Mapping[str, str] = {}
    """Values of variables that commands are presumed to get, whatever else they contain."""


def names_of(cells: Iterable[list[str]]) -> Names:
    """Return the variables that the code of `cells` binds."""
    constants: dict[str, str] = {}
    counts: dict[str, int] = {}
    any_name = False
    for lines in cells:
        tree = parsed("\n".join(lines))
        if tree is None:
            any_name = True
            continue
        for node in ast.walk(tree):
            for name in bound_by(node):
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


def bound_by(node: ast.AST) -> list[str]:
    """Return the names that `node` itself binds."""
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


_DOLLAR = re.compile(r"\$(\$?)([\w.]+)")
#: Names that IPython itself binds, besides those that begin with an underscore.
_OF_IPYTHON = frozenset("In Out get_ipython exit quit display".split())


def substitute(command: str, names: Names, before: frozenset[str]) -> Word:
    """Return `command` with the values that IPython puts in for ``{x}`` and ``$x``; UNKNOWN_WORDS where not known.

    `before` are the names that are bound before the command. If one expression cannot be evaluated, IPython leaves the
    whole command as it is.
    """
    try:
        pieces = list(_pieces(command))
    except ValueError:
        return command
    values = [("", True) if piece.code is None else _value(piece, names, before) for piece in pieces]
    known = [value for value in values if value is not None]
    if len(known) < len(values):
        return command
    if all(sure for _, sure in known):
        return concat(part for piece, (value, _) in zip(pieces, known, strict=True) for part in (piece.text, value))
    if any(doubled in command for doubled in ("{{", "}}", "$$")):
        return UNKNOWN_WORDS
    return concat(part for piece in pieces for part in _presumed(piece, names))


class _Piece(NamedTuple):
    """A text in a command, and the Python expression that follows it."""

    text: str
    code: str | None
    is_formatted: bool = False
    """The expression has a conversion or a format."""


def _pieces(command: str) -> Iterator[_Piece]:
    """Split a command as IPython does. Raises ValueError if braces do not match."""
    for literal, field, form, conversion in Formatter().parse(command):
        text, position = "", 0
        for match in _DOLLAR.finditer(literal):
            if literal.count("'", match.end()) % 2:
                # In single quotes, a dollar sign is the shell's.
                continue
            text, position = text + literal[position : match.start()], match.end()
            if match[1]:
                text += f"${match[2]}"
            else:
                yield _Piece(text, match[2])
                text = ""
        yield _Piece(text + literal[position:], field, bool(form or conversion))


def _presumed(piece: _Piece, names: Names) -> tuple[Word, ...]:
    """Return a text of a command, and what is presumed to follow it."""
    if piece.code is None:
        return (piece.text,)
    # As it is, `${x}` is the shell's variable.
    return piece.text.rstrip("$"), names.presumed.get(piece.code, UNKNOWN_WORDS)


def _value(piece: _Piece, names: Names, before: frozenset[str]) -> tuple[Word, bool] | None:
    """Return the text of a piece's value, and whether it can certainly be evaluated; None if it cannot."""
    try:
        tree = ast.parse((piece.code or "").strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    if isinstance(tree, ast.Constant) and not piece.is_formatted:
        return str(tree.value), True
    used = names_in(tree)
    own = {name for node in ast.walk(tree) for name in bound_by(node)}
    others = {name for name in used - own if not hasattr(builtins, name)}
    if not names.any_name and not all(map(_is_of_ipython, others - names.bound)):
        return None
    on_constant = isinstance(tree, ast.Attribute) and bool(used & names.constants.keys())
    if piece.is_formatted or on_constant or not others <= before:
        return UNKNOWN_WORDS, False
    constant = {**names.constants, **names.presumed}.get(dotted(tree))
    return (UNKNOWN_WORDS if constant is None else constant), True


def _is_of_ipython(name: str) -> bool:
    return name.startswith("_") or name in _OF_IPYTHON
