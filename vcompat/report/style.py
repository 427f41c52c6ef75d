"""Colours for a terminal, as ANSI sequences."""

from __future__ import annotations

import re

_CODES = {"": "", "red": "31", "green": "32", "yellow": "33", "cyan": "36"}
_SEQUENCE = re.compile(r"\x1b\[[0-9;]*m")


def style(text: str, colour: str = "", bold: bool = False) -> str:
    """`text` in a colour (red, green, yellow, cyan) or bold."""
    codes = ";".join(filter(None, ["1" if bold else "", _CODES[colour]]))
    return f"\x1b[{codes}m{text}\x1b[0m" if codes else text


def plain(text: str) -> str:
    """`text` without colours."""
    return _SEQUENCE.sub("", text)
