"""What `echo` and `printf` print."""

from __future__ import annotations

import re
from collections.abc import Sequence

from vcompat.sources.plan.shell.quoting import echo_escapes, format_escapes
from vcompat.sources.plan.shell.values import ONE, UNKNOWN, UNKNOWN_WORDS, bounded, is_known, together

_FIELD = re.compile(r"%(?:%|([-+ #0]*)(\d*)(?:\.(\d+))?([a-zA-Z]))")


def echo(words: Sequence[str]) -> str:
    """Return what `echo words` prints."""
    escapes = newline = None
    index = 0
    while index < len(words) and re.fullmatch(r"-[neE]+", words[index]):
        newline = False if "n" in words[index] else newline
        for letter in words[index][1:]:
            escapes = {"e": True, "E": False}.get(letter, escapes)
        index += 1
    text = together(words[index:])
    if index == 0 and text.startswith(UNKNOWN):
        return UNKNOWN  # It may start with an option.
    if escapes:
        text = UNKNOWN if "\\c" in text else echo_escapes(text)
    return text + ("" if newline is False else "\n")


def printf(words: Sequence[str]) -> str:
    """Return what `printf words` prints. Only strings and plain numbers are followed."""
    if not words or not is_known(words[0]) or any(UNKNOWN_WORDS in word for word in words):
        return UNKNOWN
    template, arguments = words[0], list(words[1:])
    result = ""
    while True:
        before = len(arguments)
        pieces, position = [], 0
        for match in _FIELD.finditer(template):
            pieces.append(format_escapes(template[position : match.start()]))
            pieces.append("%" if match[0] == "%%" else _field(match, arguments.pop(0) if arguments else ""))
            position = match.end()
        rest = template[position:]
        if "%" in rest:
            return UNKNOWN
        result += "".join(pieces) + format_escapes(rest)
        if not arguments or len(arguments) == before or len(result) > 20_000:
            return bounded(result)


def _field(match: re.Match[str], argument: str) -> str:
    _, width, precision, kind = match.groups()
    if match[1] or width or precision or kind not in "sdq":
        return UNKNOWN
    if kind == "d":
        return argument if re.fullmatch(r"0|-?[1-9]\d*", argument) else "0" if not argument else ONE
    if kind == "q":
        return argument if re.fullmatch(r"[\w./:@=+-]+", argument, re.ASCII) else UNKNOWN
    return argument
