"""Parses shell text with tree-sitter-bash into a syntax tree, whose nodes are in `nodes`. The text is never run.

A part that is not correct, or that cannot be converted with certainty, ends the statements before it; the statements
after it are parsed on their own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import fields, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

from vcompat.foundation.errors import InputError
from vcompat.sources.reading.shell.tree.convert_commands import Commands
from vcompat.sources.reading.shell.tree.here_documents import take_out
from vcompat.sources.reading.shell.tree.nodes import Statement
from vcompat.sources.reading.shell.tree.source import Budget, NotFollowed, Source
from vcompat.sources.reading.word import Word

if TYPE_CHECKING:
    import tree_sitter

#: Maximum size of a text in characters.
LONGEST_TEXT = 200_000
#: Maximum number of syntax errors in one text.
_MOST_ERRORS = 8
#: Maximum number of lines before an error that are looked at again.
_MOST_LINES = 100


class Block(NamedTuple):
    """Consecutive statements of a text."""

    statements: tuple[Statement, ...]
    line: int
    """The number of lines before the text that was parsed; positions in the tree start after them."""
    error: int = 0
    """The line of the syntax error that ends the statements; 0 if there is none."""


@lru_cache(maxsize=64)
def parse(text: Word, where: str) -> tuple[Block, ...]:
    """Parse `text`. What is not known in it is not known in the texts of the tree either.

    Raises InputError, with `where` as the location, if the text is too large.
    """
    if len(text) > LONGEST_TEXT:
        raise InputError(where, f"more than {LONGEST_TEXT} characters", "a shorter shell script")
    if isinstance(text, str):
        return tuple(_blocks(text))
    # To the parser, a gap is a character of a word.
    marked, restored = text.marked()
    return tuple(block._replace(statements=_restored(block.statements, restored)) for block in _blocks(marked))


def _restored(tree: Any, restored: Callable[[str], Word]) -> Any:
    """Return a tree with the words that its texts stand for."""
    if isinstance(tree, str):
        return restored(tree)
    if isinstance(tree, tuple):
        return tuple(_restored(item, restored) for item in tree)
    if hasattr(tree, "__dataclass_fields__"):
        return replace(tree, **{each.name: _restored(getattr(tree, each.name), restored) for each in fields(tree)})
    return tree


def _blocks(text: str) -> Iterator[Block]:
    """Yield the statements before each syntax error, then those after it."""
    lines = text.split("\n")
    first, budget = 0, Budget(len(text.encode("utf-8", "replace")))
    for _ in range(_MOST_ERRORS):
        statements, error = _parsed("\n".join(lines[first:]), budget)
        if error:
            # The parser often takes correct lines before an error for a part of it.
            correct, count = _correct_lines(lines[first + error - 1 :], budget)
            if correct:
                yield Block(statements, first)
                first, statements, error = first + error - 1, correct, count + 1
        yield Block(statements, first, first + error if error else 0)
        if not error or first + error >= len(lines):
            return
        first += error
    yield Block((), first, first + 1)


def _correct_lines(lines: list[str], budget: Budget) -> tuple[tuple[Statement, ...], int]:
    """Return the statements in as many lines at the start as can be parsed, and the number of those lines."""
    for count in range(min(len(lines) - 1, _MOST_LINES), 0, -1):
        # A line that ends with a backslash goes on in the next one.
        if not lines[count - 1].endswith("\\"):
            statements, error = _parsed("\n".join(lines[:count]), budget)
            if not error:
                return statements, count
    return (), 0


def _parsed(text: str, budget: Budget) -> tuple[tuple[Statement, ...], int]:
    """Return the statements of `text` before its first syntax error, and the line of that; 0 if there is none."""
    try:
        source = Source(text, 1, budget)
    except NotFollowed as error:
        return (), error.line
    limit = 0
    try:
        take_out(source)
    except NotFollowed as error:
        limit = error.line
    try:
        root = source.parse().root_node
    except NotFollowed as error:
        return (), error.line
    return _statements(source, root, limit)


def _statements(source: Source, root: tree_sitter.Node, limit: int) -> tuple[tuple[Statement, ...], int]:
    """Convert the statements before the line `limit` (0: all) and before the first error."""
    commands = Commands(source)
    statements: list[Statement] = []
    error = 0
    for group in _groups(root):
        line = source.line(group[0])
        if limit and source.line_at(group[-1].end_point[0]) >= limit:
            error = min(line, limit)
            break
        try:
            if any(node.has_error for node in group):
                raise NotFollowed(_error_line(source, group))
            statements += commands.statements(group)
        except NotFollowed as problem:
            error = max(problem.line, line)
            break
        except RecursionError:
            error = line
            break
        finally:
            commands.depth = 0
    return tuple(statements), error or limit


def _groups(root: tree_sitter.Node) -> Iterator[list[tree_sitter.Node]]:
    """Yield the nodes of the text by lines: bash reads a whole line before it runs the commands in it."""
    group: list[tree_sitter.Node] = []
    for node in root.children:
        # An operator that begins a line is the end of a command that a backslash continues there.
        if group and node.is_named and node.start_point[0] > group[-1].end_point[0]:
            yield group
            group = []
        group.append(node)
    if group:
        yield group


def _error_line(source: Source, nodes: list[tree_sitter.Node]) -> int:
    """Return the line of the first error in nodes."""
    pending = list(reversed(nodes))
    while pending:
        node = pending.pop()
        if node.type == "ERROR" or node.is_missing:
            return source.line(node)
        if node.has_error:
            pending += reversed(node.children)
    return source.line(nodes[0])
