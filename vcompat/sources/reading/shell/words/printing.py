"""What `echo` and `printf` print."""

from __future__ import annotations

import re
from collections.abc import Sequence

from vcompat.sources.reading.shell.words.quoting import echo_escapes, format_escapes
from vcompat.sources.reading.shell.words.shell_values import ONE, bounded, matchable, together
from vcompat.sources.reading.word import UNKNOWN, Gap, Word, begins_with_gap, concat, has_words

_FIELD = re.compile(r"%(?:%|([-+ #0]*)(\d*)(?:\.(\d+))?([a-zA-Z]))")


def echo(words: Sequence[Word]) -> Word:
    """Return what `echo words` prints."""
    escapes = newline = None
    index = 0
    while index < len(words) and re.fullmatch(r"-[neE]+", option := matchable(words[index])):
        newline = False if "n" in option else newline
        for letter in option[1:]:
            escapes = {"e": True, "E": False}.get(letter, escapes)
        index += 1
    text = together(words[index:])
    if index == 0 and begins_with_gap(text, Gap.PART):
        return UNKNOWN  # It may start with an option.
    if escapes:
        text = UNKNOWN if "\\c" in text else echo_escapes(text)
    return text + ("" if newline is False else "\n")


def printf(words: Sequence[Word]) -> Word:
    """Return what `printf words` prints. Only strings and plain numbers are followed."""
    template = words[0] if words else UNKNOWN
    if not isinstance(template, str) or any(map(has_words, words)):
        return UNKNOWN
    arguments = list(words[1:])
    result: Word = ""
    while True:
        before = len(arguments)
        pieces: list[Word] = []
        position = 0
        for match in _FIELD.finditer(template):
            pieces.append(format_escapes(template[position : match.start()]))
            pieces.append("%" if match[0] == "%%" else _field(match, arguments.pop(0) if arguments else ""))
            position = match.end()
        rest = template[position:]
        if "%" in rest:
            return UNKNOWN
        result += concat(pieces) + format_escapes(rest)
        if not arguments or len(arguments) == before or len(result) > 20_000:
            return bounded(result)


def _field(match: re.Match[str], argument: Word) -> Word:
    _, width, precision, kind = match.groups()
    if match[1] or width or precision or kind not in "sdq":
        return UNKNOWN
    text = matchable(argument)
    if kind == "d":
        return argument if re.fullmatch(r"0|-?[1-9]\d*", text) else "0" if not argument else ONE
    if kind == "q":
        return argument if re.fullmatch(r"[\w./:@=+-]+", text, re.ASCII) else UNKNOWN
    return argument
