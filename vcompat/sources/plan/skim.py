"""Removes functions without settings from long scripts, because parsing takes longer than everything after it.

A top-level function is removed if it contains none of the words that settings need. Line numbers do not change. Short
scripts are not changed. If the indentation is unusual, the result might not parse; the caller then parses the original.
"""

from __future__ import annotations

import re

from vcompat.sources.plan.outline import WANTED, WANTED_ENDINGS

#: Size in bytes from which removing functions saves time.
LONG = 50_000

_FUNCTION = re.compile(
    rb"^(?:async[ \t]+)?def[ \t].*\n(?:(?:[ \t].*|\)[^\n]*|#.*|)\n)*",
    re.MULTILINE,
)
#: A function without any of these words neither sets anything nor changes a name that is used outside of it.
_RELEVANT = re.compile(
    "|".join([*WANTED, *WANTED_ENDINGS, "vllm", "environ", "vcompat", "parse_", "global ", "(?i:peft|lora)"]).encode()
)


def skim(source: bytes) -> bytes:
    """Return the script with irrelevant functions replaced by empty lines."""
    return _FUNCTION.sub(_blanked, source) if len(source) >= LONG else source


def _blanked(match: re.Match[bytes]) -> bytes:
    text = match[0]
    whole = text.count(b'"""') % 2 == 0 and text.count(b"'''") % 2 == 0 and b"\\\n" not in text
    return b"\n" * text.count(b"\n") if whole and not _RELEVANT.search(text) else text
