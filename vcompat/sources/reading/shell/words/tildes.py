"""Tilde expansion: ``~/x``, ``~user``, ``X=~/a:~/b``. It comes after brace expansion and before every other one."""

from __future__ import annotations

import re
from collections.abc import Sequence

from vcompat.sources.reading.shell.words.braces import Token
from vcompat.sources.reading.shell.words.shell_values import ONE
from vcompat.sources.reading.word import Word, known_start, mapped

#: The start of a word up to its first slash; in the value of an assignment, also what follows a colon.
_AT_START, _IN_VALUE = re.compile(r"^~[^/]*"), re.compile(r"(?:^|(?<=:))~[^/:]*")
_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*\+?=")


def with_homes(tokens: Sequence[Token], home: Word, assigned: bool) -> list[Token]:
    """Return the tokens of a word with the folders that its tildes stand for.

    `home` is the user's own folder, `assigned` whether the word is the value of an assignment.
    """
    result: list[Token] = []
    for number, token in enumerate(tokens):
        if isinstance(token, tuple) and not token[1]:
            result += _expanded(token[0], number == 0, number == len(tokens) - 1, home, assigned)
        else:
            result.append(token)
    return result


def in_command(tokens: Sequence[Token], home: Word) -> list[Token]:
    """Return `with_homes` for a word of a command, which can look like an assignment."""
    first = tokens[0] if tokens else None
    match = _ASSIGNMENT.match(known_start(first[0])) if isinstance(first, tuple) and not first[1] else None
    if match is None or not isinstance(first, tuple):
        return with_homes(tokens, home, assigned=False)
    rest = first[0][match.end() :]
    return [(match[0], False), *with_homes([(rest, False), *tokens[1:]], home, assigned=True)]


def _expanded(text: Word, starts: bool, ends: bool, home: Word, assigned: bool) -> list[Token]:
    """Return a text outside of quotes, which `starts` or `ends` a word. A tilde before a quoted text stays as it is."""

    def parts(text: str) -> list[str]:
        """Return the text with each tilde that is expanded, and the user after it, as every second part."""
        result: list[str] = []
        position = 0
        for match in (_IN_VALUE if assigned else _AT_START).finditer(text):
            if (starts or match.start() > 0) and (ends or match.end() < len(text)):
                result += [text[position : match.start()], match[0]]
                position = match.end()
        return [*result, text[position:]]

    if "~" not in text:
        return [(text, False)]
    # The folder of another user is not known.
    return [
        (home if part == "~" else ONE, True) if index % 2 else (part, False)
        for index, part in enumerate(mapped(text, parts))
    ]
