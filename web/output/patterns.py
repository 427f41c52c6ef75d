"""Patterns of symptoms, which RE2 takes, as regular expressions of JavaScript."""

from __future__ import annotations

import re

_FLAGS = re.compile(r"\(\?([ims]+)\)")
_IGNORES_CASE = re.compile(r"\(\?i:([^()\\\[\]]*)\)")


def for_javascript(pattern: str) -> tuple[str, str]:
    """Return the source and the flags of a regular expression that matches what `pattern` matches.

    Browsers of some years lack groups with flags of their own, so a group that ignores case becomes classes of letters.
    Raises ValueError for a group with flags that has more than a text inside.
    """
    leading = _FLAGS.match(pattern)
    flags, source = (leading[1], pattern[leading.end() :]) if leading else ("", pattern)
    source = _IGNORES_CASE.sub(lambda group: _both_cases(group[1]), source).replace("(?P<", "(?<")
    if re.search(r"\(\?[ims]", source):
        raise ValueError(f"no regular expression of JavaScript for {pattern!r}")
    return source, "".join(sorted(set(flags)))


def _both_cases(text: str) -> str:
    return "(?:" + re.sub("[A-Za-z]", lambda letter: f"[{letter[0].lower()}{letter[0].upper()}]", text) + ")"
