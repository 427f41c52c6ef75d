"""Leaves top-level functions of long scripts unparsed until they are called: parsing takes longer than the rest.

Line numbers do not change. Short scripts are not changed. If the layout is unusual, what is left may not parse; then
the whole script is parsed.
"""

from __future__ import annotations

import re

#: Size in bytes from which it saves time.
LONG = 50_000

_FUNCTION = re.compile(rb"^def[ \t]+(\w+)\b.*\n(?:(?:[ \t].*|\)[^\n]*|#.*|)\n)*", re.MULTILINE)

Functions = dict[str, tuple[int, bytes]]
"""The functions that are not parsed yet, by name: the first line, from 1, and the text."""


def skimmed(source: bytes) -> tuple[bytes, Functions]:
    """Return the script with top-level functions replaced by empty lines, and those functions."""
    if len(source) < LONG:
        return source, {}
    functions: Functions = {}
    line, counted = 1, 0

    def blanked(match: re.Match[bytes]) -> bytes:
        nonlocal line, counted
        text = match[0]
        line, counted = line + source.count(b"\n", counted, match.start()), match.start()
        name = match[1].decode("ascii", "replace")
        whole = text.count(b'"""') % 2 == 0 and text.count(b"'''") % 2 == 0 and b"\\\n" not in text
        if not whole or name in functions or _is_decorated(source, match.start()):
            return text
        functions[name] = (line, text)
        return b"\n" * text.count(b"\n")

    return _FUNCTION.sub(blanked, source), functions


def _is_decorated(source: bytes, start: int) -> bool:
    """Return whether the line before a function may belong to a decorator."""
    before = source.rfind(b"\n", 0, max(start - 1, 0)) + 1
    return source[before : before + 1] in (b"@", b")", b" ", b"\t")
