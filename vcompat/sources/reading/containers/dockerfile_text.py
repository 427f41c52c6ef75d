"""Splits a Dockerfile into instructions and substitutes variables, as the Dockerfile reference defines it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

from vcompat.foundation.errors import InputError
from vcompat.sources.reading.word import UNKNOWN, Word

#: Maximum number of instructions.
MOST_INSTRUCTIONS = 5_000


class Instruction(NamedTuple):
    """One instruction, its continuation lines joined."""

    name: str
    """In capital letters."""
    rest: str
    line: int
    escape: str = "\\"


_ESCAPE = re.compile(r"^#[ \t]*escape[ \t]*=[ \t]*([\\`])[ \t]*$", re.IGNORECASE)
_DIRECTIVE = re.compile(r"^#[ \t]*[a-zA-Z]+[ \t]*=")
_HEREDOC = re.compile(r"\d*<<(-?)([\"']?)([^<\"']+)\2")


def instructions(text: str, path: str) -> Iterator[Instruction]:
    """Yield the instructions of `text`. Comments, blank lines and the texts of here-documents are left out.

    Raises InputError if there are too many of them.
    """
    lines = text.splitlines()
    escape = _escape_of(lines)
    index = count = 0
    while index < len(lines):
        start, joined = index, ""
        while index < len(lines):
            line, index = lines[index], index + 1
            if not line.strip() or line.lstrip().startswith("#"):
                # Comments and blank lines are removed also between the lines of one instruction.
                if joined:
                    continue
                start = index
                continue
            continued = line.rstrip(" \t")
            if not continued.endswith(escape):
                joined += line
                break
            joined += continued[:-1]
        if not joined.strip():
            continue
        name, rest = (*joined.split(None, 1), "")[:2]
        count += 1
        if count > MOST_INSTRUCTIONS:
            raise InputError(path, f"more than {MOST_INSTRUCTIONS} instructions", "a Dockerfile")
        yield Instruction(name.upper(), rest.strip(), start + 1, escape)
        if name.upper() in ("RUN", "COPY", "ADD"):
            index = _after_heredocs(lines, index, words_of(rest, escape))


def _escape_of(lines: list[str]) -> str:
    for line in lines:
        match = _ESCAPE.match(line)
        if match:
            return match[1]
        if not _DIRECTIVE.match(line):
            break
    return "\\"


def _after_heredocs(lines: list[str], index: int, words: list[str]) -> int:
    """Return the index of the line after the here-documents that an instruction of `words` begins."""
    for match in filter(None, map(_HEREDOC.fullmatch, words)):
        ends = (number for number in range(index, len(lines)) if _ends(lines[number], match))
        # Without its end, a here-document reaches to the end of the file.
        index = next(ends, len(lines) - 1) + 1
    return index


def _ends(line: str, heredoc: re.Match[str]) -> bool:
    return (line.lstrip("\t") if heredoc[1] else line) == heredoc[3]


def words_of(rest: str, escape: str = "\\") -> list[str]:
    """Split `rest` at white space that is neither quoted nor escaped. Quotes stay."""
    words, word, quote, index = [], "", "", 0
    while index < len(rest):
        character = rest[index]
        if character == escape and quote != "'" and index + 1 < len(rest):
            word, index = word + rest[index : index + 2], index + 2
            continue
        if quote:
            quote = "" if character == quote else quote
        elif character in "\"'":
            quote = character
        elif character.isspace():
            words += [word] if word else []
            word, index = "", index + 1
            continue
        word, index = word + character, index + 1
    return [*words, word] if word else words


_REFERENCE = re.compile(r"\$(?:([A-Za-z_][A-Za-z0-9_]*|[0-9@*#])|\{([A-Za-z_][A-Za-z0-9_]*)(?:(:?[-+?])([^{}$]*))?\})")


def expand(raw: str, value: Callable[[str], Word | None], escape: str = "\\") -> Word:
    """Substitute variables in `raw` and remove its quotes.

    `value` returns the value of a variable, None if it is not set.
    """
    result: Word = ""
    quote, index = "", 0
    while index < len(raw):
        character = raw[index]
        if quote == "'":
            quote, result = ("", result) if character == "'" else (quote, result + character)
        elif character == escape and index + 1 < len(raw):
            kept = quote and raw[index + 1] not in f'"$`{escape}'
            result += escape + raw[index + 1] if kept else raw[index + 1]
            index += 1
        elif character == quote:
            quote = ""
        elif character in "\"'" and not quote:
            quote = character
        elif character == "$":
            text, index = _substitute(raw, index, value)
            result += text
            continue
        else:
            result += character
        index += 1
    return result


def _substitute(raw: str, index: int, value: Callable[[str], Word | None]) -> tuple[Word, int]:
    match = _REFERENCE.match(raw, index)
    if match is None:
        if raw.startswith("${", index):
            # A nested or a newer form: not followed.
            end = raw.rfind("}", index)
            return UNKNOWN, end + 1 if end > index else len(raw)
        return "$", index + 1
    set_to, operator = value(match[1] or match[2]), match[3] or ""
    chosen = _chosen(set_to, operator, match[4] or "") if operator else set_to or ""
    return chosen, match.end()


def _chosen(value: Word | None, operator: str, operand: str) -> Word:
    """Return what an operator such as ``:-`` makes of a variable, whose value is None if it is not set."""
    if value is not None and not isinstance(value, str):
        return UNKNOWN
    is_set = value is not None and (value != "" or ":" not in operator)
    if operator.endswith("+"):
        return operand if is_set else ""
    return (value or "") if is_set else operand
