"""Long scripts without the functions that say nothing of the run: a syntax tree costs more than all that is read in it.

Left out are functions at the top level of the module that hold none of the words by which settings are made. Lines keep
their numbers. A script of ordinary length is not touched, and one in which functions cannot be told apart by their
indentation does not parse afterwards, and is then parsed as it is.
"""

from __future__ import annotations

import re

from vcompat.sources.plan.outline import WANTED, WANTED_ENDINGS

#: Bytes from which on it pays.
LONG = 50_000

_FUNCTION = re.compile(
    rb"^(?:async[ \t]+)?def[ \t].*\n(?:(?:[ \t].*|\)[^\n]*|#.*|)\n)*",
    re.MULTILINE,
)
#: Words without which a function neither makes a setting nor changes a name that others read.
_TELLING = re.compile(
    "|".join([*WANTED, *WANTED_ENDINGS, "vllm", "environ", "vcompat", "parse_", "global ", "(?i:peft|lora)"]).encode()
)


def skim(source: bytes) -> bytes:
    """The script without its silent functions."""
    return _FUNCTION.sub(_silent, source) if len(source) >= LONG else source


def _silent(match: re.Match[bytes]) -> bytes:
    text = match[0]
    whole = text.count(b'"""') % 2 == 0 and text.count(b"'''") % 2 == 0 and b"\\\n" not in text
    return b"\n" * text.count(b"\n") if whole and not _TELLING.search(text) else text
