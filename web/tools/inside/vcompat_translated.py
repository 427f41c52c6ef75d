"""Translates regular expressions of RE2 for JavaScript's `RegExp`, as far as symptoms of rules use them.

JavaScript has other line ends and blanks, and older engines have no flags inside of a pattern.
"""

from __future__ import annotations

import re


class NotTranslated(Exception):
    """The pattern has what is not translated."""


_TOKEN = re.compile(
    r"(?P<flags>\(\?[a-z]*:)|(?P<open>\((?!\?))|(?P<close>\))|(?P<class>\[\^?\]?(?:[^\]\\]|\\.)*\])|(?P<escape>\\.)|(?P<other>.)",
    re.DOTALL,
)
#: At the start and the end of a line, and of the whole text.
_LINE, _TEXT = {"^": r"(?<![^\n])", "$": r"(?![^\n])"}, {"^": r"(?<![\s\S])", "$": r"(?![\s\S])"}
_BLANK = r"\t\n\f\r "
_ESCAPES = frozenset("dDwWbBntrfv")


def translated(pattern: str) -> str:
    """Return `pattern` for `RegExp` without flags. Raises NotTranslated."""
    result: list[str] = []
    flags = [""]
    for token in _TOKEN.finditer(pattern):
        text = token[0]
        if token["flags"]:
            flags.append(flags[-1] + text[2:-1])
            if not set(flags[-1]) <= set("ims"):
                raise NotTranslated(text)
            result.append("(?:")
        elif token["open"]:
            if pattern.startswith("?", token.end()):
                raise NotTranslated(text)
            flags.append(flags[-1])
            result.append(text)
        elif token["close"]:
            flags.pop()
            result.append(text)
        elif token["class"]:
            result.append(_class(text, flags[-1]))
        elif token["escape"]:
            result.append(_escape(text))
        else:
            result.append(_other(text, flags[-1]))
    return "".join(result)


def _class(text: str, flags: str) -> str:
    if "i" in flags or "[:" in text or text.startswith(("[]", "[^]")):
        raise NotTranslated(text)
    return re.sub(r"\\(.)", lambda match: _BLANK if match[1] == "s" else _escape(match[0]), text, flags=re.DOTALL)


def _escape(text: str) -> str:
    letter = text[1]
    if letter == "s":
        return f"[{_BLANK}]"
    if letter == "S":
        return f"[^{_BLANK}]"
    if letter.isalnum() and letter not in _ESCAPES:
        raise NotTranslated(text)
    return text


def _other(text: str, flags: str) -> str:
    if text in _LINE:
        return (_LINE if "m" in flags else _TEXT)[text]
    if text == ".":
        return r"[\s\S]" if "s" in flags else r"[^\n]"
    if "i" in flags and text.isalpha():
        return f"[{text.lower()}{text.upper()}]"
    return text
