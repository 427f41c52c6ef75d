"""Changes shell scripts: options of the commands that they start, and the variables that they set.

tree-sitter provides the position of a word; the text around it is not changed. What the shell computes is not changed.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

from vcompat.fixes.editing.change import ADD, REMOVE, RENAME, SET, Cannot, Edit
from vcompat.sources.reading.shell.tree.source import bash_parser

if TYPE_CHECKING:
    import tree_sitter

#: A word that the shell passes on as it is, without the quotes around it.
_LITERAL = re.compile(rb"[\w.,:/@%+=-]+|\"[^\"$`\\!]*\"|'[^']*'")
#: A number below zero, which is no option.
_NEGATIVE = re.compile(rb"-\d")


class _Span(NamedTuple):
    """A part of the bytes of a file, and what replaces it."""

    start: int
    end: int
    new: str = ""


def change(data: bytes, edit: Edit) -> bytes:
    """Return the script with the change. Raises Cannot if the value is computed or the setting is not found."""
    if edit.is_expression:
        raise Cannot(f"{edit.place}: {edit.setting} requires a Python expression, {edit.value}")
    nodes = [node for node in _descendants(bash_parser().parse(data).root_node) if _sets(node, edit)]
    if len(nodes) > 1:
        line = data.split(b"\n")[edit.place.line - 1].decode(errors="replace")
        column = len(line[: edit.place.column - 1].encode())
        nodes = [node for node in nodes if node.start_point[1] == column]
    if len(nodes) != 1 or nodes[0].has_error:
        raise Cannot(f"change {edit.place} by hand: {edit}")
    if edit.is_variable:
        return _with_variable(data, nodes[0], edit)
    return _replaced(data, _of_option(nodes[0], edit))


def _sets(node: tree_sitter.Node, edit: Edit) -> bool:
    """Whether a node of the line is what sets the setting, or the command that gets it."""
    if node.start_point[0] + 1 != edit.place.line:
        return False
    if edit.is_variable:
        return node.type == "variable_assignment" and _named(node, edit.setting)
    return node.type == "command" and (edit.action == ADD or bool(_option(node, edit)))


def _descendants(node: tree_sitter.Node) -> Iterator[tree_sitter.Node]:
    pending = [node]
    while pending:
        node = pending.pop()
        yield node
        pending += node.children


def _replaced(data: bytes, span: _Span) -> bytes:
    return data[: span.start] + span.new.encode() + data[span.end :]


# Options


def _words(command: tree_sitter.Node) -> list[tree_sitter.Node]:
    """The words of a command, from its name on."""
    return [child for child in command.named_children if child.type not in ("variable_assignment", "file_redirect")]


def _option(command: tree_sitter.Node, edit: Edit) -> list[int]:
    """The indices of the words that are the option of the setting."""
    names = f"--{edit.setting}".encode(), f"--{edit.setting.replace('_', '-')}".encode()
    return [at for at, word in enumerate(_words(command)) if (word.text or b"").partition(b"=")[0] in names]


def _of_option(command: tree_sitter.Node, edit: Edit) -> _Span:
    words = _words(command)
    if edit.action == ADD:
        end = words[-1].end_byte
        return _Span(end, end, f" --{edit.setting} {_shown(edit.value)}")
    indices = _option(command, edit)
    if len(indices) != 1:
        raise Cannot(f"{edit.place}: --{edit.setting} is given several times")
    index = indices[0]
    word = words[index]
    name, equals, _ = (word.text or b"").partition(b"=")
    if edit.action == RENAME:
        if any(_option(command, edit._replace(setting=str(edit.value)))):
            raise Cannot(f"{edit.place}: --{edit.value} is already given")
        new = str(edit.value) if b"_" in name or "_" not in edit.setting else str(edit.value).replace("_", "-")
        return _Span(word.start_byte, word.start_byte + len(name), f"--{new}")
    values = [] if equals else _values(words[index + 1 :])
    if len(values) > 1:
        raise Cannot(f"change {edit.place} by hand: {edit}")
    if edit.action == REMOVE:
        return _removed(words[index - 1], word, (values or [word])[-1], words[index + len(values) + 1 :])
    return _of_value(word, len(name) + 1 if equals else 0, values, edit)


def _removed(
    before: tree_sitter.Node, first: tree_sitter.Node, last: tree_sitter.Node, after: list[tree_sitter.Node]
) -> _Span:
    """Remove words with the space before them; with the space after them if they start a line and others follow."""
    starts_line = before.end_point[0] < first.start_point[0]
    if starts_line and after and after[0].start_point[0] == last.end_point[0]:
        return _Span(first.start_byte, after[0].start_byte)
    return _Span(before.end_byte, last.end_byte)


def _values(words: list[tree_sitter.Node]) -> list[tree_sitter.Node]:
    """The words that follow an option, up to the next option."""
    values = []
    for word in words:
        text = word.text or b""
        if text.startswith(b"-") and not _NEGATIVE.match(text):
            break
        values.append(word)
    return values


def _of_value(word: tree_sitter.Node, skipped: int, values: list[tree_sitter.Node], edit: Edit) -> _Span:
    """Replace the value of an option: a part of its own word, the next word, or none if the option is a flag."""
    shown = _shown(edit.value)
    if not skipped and not values:
        return _Span(word.end_byte, word.end_byte, f" {shown}")
    start, end = (word.start_byte + skipped, word.end_byte) if skipped else (values[0].start_byte, values[0].end_byte)
    written = (word.text or b"")[skipped:] if skipped else values[0].text or b""
    if not _LITERAL.fullmatch(written):
        raise Cannot(f"{edit.place}: {edit.setting} is computed, make it {_shown(edit.value)}")
    return _Span(start, end, shown)


# Variables


def _named(assignment: tree_sitter.Node, variable: str) -> bool:
    name = assignment.child_by_field_name("name")
    return name is not None and name.text == variable.encode()


def _with_variable(data: bytes, assignment: tree_sitter.Node, edit: Edit) -> bytes:
    value, parent = assignment.child_by_field_name("value"), assignment.parent
    if edit.action == SET and value is not None:
        if not _LITERAL.fullmatch(value.text or b""):
            raise Cannot(f"{edit.place}: {edit.setting} is computed, make it {_shown(edit.value)}")
        return _replaced(data, _Span(value.start_byte, value.end_byte, _shown(edit.value)))
    if edit.action != REMOVE or parent is None:
        raise Cannot(f"change {edit.place} by hand: {edit}")
    if parent.type == "command":
        after = assignment.next_sibling
        return _replaced(data, _Span(assignment.start_byte, after.start_byte if after else assignment.end_byte))
    if parent.type == "declaration_command":
        if len(parent.named_children) > 1:
            before = assignment.prev_sibling
            return _replaced(data, _Span(before.end_byte if before else 0, assignment.end_byte))
        return _without_statement(data, parent, edit)
    return _without_statement(data, assignment, edit)


def _without_statement(data: bytes, statement: tree_sitter.Node, edit: Edit) -> bytes:
    """Remove the lines of a statement. In a block that would be empty, a command that does nothing replaces it."""
    first = data.rfind(b"\n", 0, statement.start_byte) + 1
    last = data.find(b"\n", statement.end_byte) + 1 or len(data)
    rest = data[statement.end_byte : last].strip()
    if data[first : statement.start_byte].strip() or (rest and not rest.startswith(b"#")):
        raise Cannot(f"{edit.place}: remove {edit.setting} by hand, it shares its line")
    if _is_alone(statement):
        return _replaced(data, _Span(statement.start_byte, statement.end_byte, ":"))
    return _replaced(data, _Span(first, last))


def _is_alone(statement: tree_sitter.Node) -> bool:
    """Whether the statement is the only one of its block. A block without statements is not correct."""
    if statement.parent is None or statement.parent.type == "program":
        return False
    siblings = [node for node in statement.parent.children if node.type not in ("comment", ";", "\n")]
    index = siblings.index(statement)
    near = [*siblings[max(index - 1, 0) : index], *siblings[index + 1 : index + 2]]
    return not any(node.is_named and node.type not in ("elif_clause", "else_clause") for node in near)


def _shown(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, list):
        raise Cannot(f"set it by hand to {value!r}")
    return shlex.quote(str(value))
