"""Removes quotes and escapes from the literal parts of words."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from vcompat.sources.reading.word import UNKNOWN, Word, concat, in_texts

_ESCAPED = re.compile(r"\\(.)", re.DOTALL)
_ESCAPE = re.compile(
    r"\\(?:([abeEfnrtv\\'\"?])|([0-7]{1,3})|x([0-9a-fA-F]{1,2})|u([0-9a-fA-F]{1,4})|U([0-9a-fA-F]{1,8})|c(.))",
    re.DOTALL,
)
#: What `echo -e` replaces: octal digits only after a zero, no quotes.
_OF_ECHO = re.compile(
    r"\\(?:([abeEfnrtv\\])|0([0-7]{0,3})|x([0-9a-fA-F]{1,2})|u([0-9a-fA-F]{1,4})|U([0-9a-fA-F]{1,8}))"
)
_CONTROL = dict(zip("abeEfnrtv\\'\"?", "\a\b\x1b\x1b\f\n\r\t\v\\'\"?", strict=True))


def unquoted(text: Word) -> list[tuple[Word, bool]]:
    """Return the characters of a text outside of quotes. Those after a backslash count as quoted."""
    result: list[tuple[Word, bool]] = []
    escaped = False
    for char in text:
        if char == "\\" and not escaped:
            escaped = True
            continue
        if not (escaped and char == "\n"):
            result.append((char, escaped))
        escaped = False
    return [*result, ("\\", False)] if escaped else result


def double_quoted(text: Word, special: str = '$`"\\') -> Word:
    """Return a text in double quotes, where a backslash escapes only `special` characters and the end of a line."""
    if "\\" not in text:
        return text
    return in_texts(text, lambda known: _ESCAPED.sub(lambda match: _kept(match, special), known))


def _kept(match: re.Match[str], special: str) -> str:
    if match[1] == "\n":
        return ""
    return match[1] if match[1] in special else match[0]


def ansi_c(text: Word) -> Word:
    """Return the text of ``$'...'``, which ends at a null character."""
    return _replaced(_ESCAPE, text, _character).partition("\0")[0]


def _replaced(pattern: re.Pattern[str], text: Word, new: Callable[[re.Match[str]], Word]) -> Word:
    """Return a text with something else in the place of each match."""

    def in_known(known: str) -> Word:
        pieces: list[Word] = []
        position = 0
        for match in pattern.finditer(known):
            pieces += [known[position : match.start()], new(match)]
            position = match.end()
        return concat([*pieces, known[position:]])

    return in_texts(text, in_known)


def _character(match: re.Match[str]) -> Word:
    simple, octal, *codes, control = match.groups()
    if simple:
        return _CONTROL[simple]
    if control:
        return chr(ord(control) & 0x1F)
    return _with_code(octal, codes)


def _with_code(octal: str | None, codes: Sequence[str | None]) -> Word:
    code = int(octal, 8) & 0xFF if octal else int(next(filter(None, codes), "0"), 16)
    # Others depend on the locale.
    return chr(code) if code < 128 else UNKNOWN


def format_escapes(text: Word) -> Word:
    """Return the text that `printf` prints for a part of its format."""
    return _replaced(_ESCAPE, text, lambda match: match[0] if match[6] else _printed(_character(match)))


def echo_escapes(text: Word) -> Word:
    """Return the text that `echo -e` prints."""
    return _replaced(_OF_ECHO, text, _of_echo)


def _of_echo(match: re.Match[str]) -> Word:
    simple, octal, *codes = match.groups()
    return _CONTROL[simple] if simple else _printed(_with_code(octal, codes))


def _printed(char: Word) -> Word:
    # A command substitution drops a null character, a file keeps it.
    return UNKNOWN if char == "\0" else char
