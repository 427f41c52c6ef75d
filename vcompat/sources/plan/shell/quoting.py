"""Removes quotes and escapes from the literal parts of words."""

from __future__ import annotations

import re
from collections.abc import Sequence

from vcompat.sources.plan.shell.values import UNKNOWN

_ESCAPE = re.compile(
    r"\\(?:([abeEfnrtv\\'\"?])|([0-7]{1,3})|x([0-9a-fA-F]{1,2})|u([0-9a-fA-F]{1,4})|U([0-9a-fA-F]{1,8})|c(.))",
    re.DOTALL,
)
#: What `echo -e` replaces: octal digits only after a zero, no quotes.
_OF_ECHO = re.compile(
    r"\\(?:([abeEfnrtv\\])|0([0-7]{0,3})|x([0-9a-fA-F]{1,2})|u([0-9a-fA-F]{1,4})|U([0-9a-fA-F]{1,8}))"
)
_CONTROL = dict(zip("abeEfnrtv\\'\"?", "\a\b\x1b\x1b\f\n\r\t\v\\'\"?", strict=True))


def unquoted(text: str) -> list[tuple[str, bool]]:
    """Return the characters of a text outside of quotes. Those after a backslash count as quoted."""
    result: list[tuple[str, bool]] = []
    index = 0
    while index < len(text):
        escaped = text[index] == "\\" and index + 1 < len(text)
        index += escaped
        if not (escaped and text[index] == "\n"):
            result.append((text[index], escaped))
        index += 1
    return result


def double_quoted(text: str, special: str = '$`"\\') -> str:
    """Return a text in double quotes, where a backslash escapes only `special` characters and the end of a line."""
    return re.sub(r"\\(.)", lambda match: _kept(match, special), text, flags=re.DOTALL)


def _kept(match: re.Match[str], special: str) -> str:
    if match[1] == "\n":
        return ""
    return match[1] if match[1] in special else match[0]


def here_document(text: str) -> str:
    """Return a literal part of a here-document."""
    return double_quoted(text, "$`\\")


def ansi_c(text: str) -> str:
    """Return the text of ``$'...'``, which ends at a null character."""
    return _ESCAPE.sub(_character, text).partition("\0")[0]


def _character(match: re.Match[str]) -> str:
    simple, octal, *codes, control = match.groups()
    if simple:
        return _CONTROL[simple]
    if control:
        return chr(ord(control) & 0x1F)
    return _with_code(octal, codes)


def _with_code(octal: str | None, codes: Sequence[str | None]) -> str:
    code = int(octal, 8) & 0xFF if octal else int(next(filter(None, codes), "0"), 16)
    # Others depend on the locale.
    return chr(code) if code < 128 else UNKNOWN


def format_escapes(text: str) -> str:
    """Return the text that `printf` prints for a part of its format."""
    return _ESCAPE.sub(lambda match: match[0] if match[6] else _printed(_character(match)), text)


def echo_escapes(text: str) -> str:
    """Return the text that `echo -e` prints."""
    return _OF_ECHO.sub(_of_echo, text)


def _of_echo(match: re.Match[str]) -> str:
    simple, octal, *codes = match.groups()
    return _CONTROL[simple] if simple else _printed(_with_code(octal, codes))


def _printed(char: str) -> str:
    # A command substitution drops a null character, a file keeps it.
    return UNKNOWN if char == "\0" else char
