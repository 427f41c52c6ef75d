"""What `sed` makes of a text: substitutions, and lines that are deleted, without groups and backreferences."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from vcompat.sources.reading.shell.running.searching import compiled
from vcompat.sources.reading.shell.words.shell_values import texts_of
from vcompat.sources.reading.word import Word

#: A substitution, or a pattern whose lines are deleted, with any character between the parts of the first.
_COMMAND = re.compile(
    r"[\s;]*(?:s(?P<mark>[^\w\s\\])(?P<old>(?:\\.|(?!(?P=mark))[^\\\n])*)(?P=mark)"
    r"(?P<new>(?:\\.|(?!(?P=mark))[^\\\n])*)(?P=mark)(?P<every>g?)|/(?P<gone>(?:\\.|[^\\/\n])+)/\s*d)\s*(?=[;\n]|$)"
)
#: A sign that stands for itself behind a backslash; what means something else in Python.
_ESCAPED, _SPECIAL = re.compile(r"\\[^\w(){}|+?<>'`]"), re.compile(r"\[[:.=]|^\*")
_LONGEST = 100_000

_Change = Callable[[str], "str | None"]


class Edit(NamedTuple):
    """What `sed` does."""

    files: tuple[str, ...]
    in_place: bool
    suffix: str
    """Of the copies of the files before; empty if there are none."""
    changes: tuple[_Change, ...]

    def changed(self, text: str) -> str:
        """Return the text after the commands."""
        return "".join(filter(None, map(self._line, re.findall(r"[^\n]*\n|[^\n]+", text[:_LONGEST]))))

    def _line(self, line: str) -> str | None:
        text, end = (line[:-1], "\n") if line.endswith("\n") else (line, "")
        for change in self.changes:
            new = change(text)
            if new is None:
                return None
            text = new
        return text + end


def edit_of(words: Sequence[Word]) -> Edit | None:
    """Return what the words of `sed` mean; None if they are not followed."""
    given, scripts, operands = list(texts_of(words[1:]) or ()), [], []
    extended, in_place, suffix = False, False, ""
    while given:
        word = given.pop(0)
        if match := re.fullmatch(r"(?:-([Er]*)i|--in-place=?)(.*)", word):
            extended, in_place, suffix = extended or bool(match[1]), True, match[2]
        elif word in ("-E", "-r", "--regexp-extended"):
            extended = True
        elif word in ("-e", "--expression") and given:
            scripts.append(given.pop(0))
        elif word.startswith("--expression="):
            scripts.append(word.partition("=")[2])
        elif word.startswith("-"):
            return None
        else:
            operands.append(word)
    if not scripts:
        scripts, operands = operands[:1], operands[1:]
    changes = [change for script in scripts for change in _changes(script, extended) or (None,)]
    known = [change for change in changes if change is not None]
    if not known or len(known) < len(changes) or "/" in suffix or "*" in suffix:
        return None
    return Edit(tuple(operands), in_place, suffix, tuple(known))


def _changes(script: str, extended: bool) -> list[_Change] | None:
    """Return the commands of a script; None if one of them is not followed."""
    changes, at = [], 0
    while script[at:].strip(" \t\n;"):
        match = _COMMAND.match(script, at)
        change = _change(match, extended) if match is not None else None
        if match is None or change is None:
            return None
        changes.append(change)
        at = match.end()
    return changes


def _change(match: re.Match[str], extended: bool) -> _Change | None:
    pattern = _pattern(match["gone"] or match["old"], match["mark"] or "/", extended)
    if match["gone"]:
        return None if pattern is None else lambda line: None if next(pattern.finditer(line), None) else line
    new = match["new"]
    if pattern is None or re.search(r"(?<!\\)(?:\\\\)*&|\\\w", new):
        return None
    text = re.sub(r"\\(.)", r"\1", new)
    most = None if match["every"] else 1
    return lambda line: _replaced(line, [found.span() for found in pattern.finditer(line)][:most], text)


def _replaced(line: str, spans: Sequence[tuple[int, int]], text: str) -> str:
    for start, end in reversed(spans):
        line = line[:start] + text + line[end:]
    return line


def _pattern(text: str, mark: str, extended: bool) -> Any:
    """Return a pattern; None if its syntax is not followed, or if it may match between characters."""
    text = text.replace("\\" + mark, re.escape(mark) if mark in "./[]*^$" else mark)
    if _ESCAPED.sub("", text).count("\\") or _SPECIAL.search(text) or (extended and re.search(r"[|()]", text)):
        return None
    if not extended:
        text = re.sub(r"\\.|[+?|(){}]", lambda sign: sign[0] if len(sign[0]) > 1 else re.escape(sign[0]), text)
    pattern = compiled(text)
    if pattern is None or (text not in ("^", "$", "^$") and next(pattern.finditer(""), None) is not None):
        return None
    return pattern
