"""Translates regular expressions of RE2 for `re` and for JavaScript's `RegExp`, as far as vcompat has such."""

from __future__ import annotations

import re


class NotTranslated(Exception):
    """The pattern has what is not translated."""


_TOKEN = re.compile(
    r"(?P<all>\(\?[a-z]+\))|(?P<flags>\(\?[a-z]*:)|(?P<open>\((?:\?P<\w+>)?)|(?P<close>\))"
    r"|(?P<class>\[\^?\]?(?:[^\]\\]|\\.)*\])|(?P<code>\\x\{[0-9A-Fa-f]+\})|(?P<escape>\\.)|(?P<other>.)",
    re.DOTALL,
)
_CODE = re.compile(r"\\x\{([0-9A-Fa-f]+)\}")
#: In JavaScript, at the start and the end of a line, and of the whole text: it has other line ends.
_LINE, _TEXT = {"^": r"(?<![^\n])", "$": r"(?![^\n])"}, {"^": r"(?<![\s\S])", "$": r"(?![\s\S])"}
_BLANK = r"\t\n\f\r "
_ESCAPES = frozenset("dDwWbBntrfv")


def for_re(pattern: str) -> str:
    r"""Return `pattern` for `re`, where ``$`` is also before a last line end, and ``\x{...}`` is no character."""
    result: list[str] = []
    flags = [""]
    for token in _TOKEN.finditer(pattern):
        text = token[0]
        if token["all"]:
            flags[-1] += text[2:-1]
        elif token["flags"] or token["open"]:
            flags.append(flags[-1] + (text[2:-1] if token["flags"] else ""))
        elif token["close"] and len(flags) > 1:
            flags.pop()
        elif text == "$" and "m" not in flags[-1]:
            text = r"\Z"
        result.append(_CODE.sub(lambda match: f"\\U{int(match[1], 16):08x}", text))
    return "".join(result)


def for_javascript(pattern: str) -> str:
    """Return `pattern` for `RegExp` without flags, which older engines do not have inside. Raises NotTranslated."""
    result: list[str] = []
    flags = [""]
    for token in _TOKEN.finditer(pattern):
        text = token[0]
        if token["flags"]:
            flags.append(flags[-1] + text[2:-1])
            if not set(flags[-1]) <= set("ims"):
                raise NotTranslated(text)
            text = "(?:"
        elif token["open"]:
            flags.append(flags[-1])
            if text != "(" or pattern.startswith("?", token.end()):
                raise NotTranslated(text)
        elif token["close"]:
            flags.pop()
        elif token["class"]:
            text = _class(text, flags[-1])
        elif token["escape"]:
            text = _escape(text)
        elif token["other"]:
            text = _other(text, flags[-1])
        else:
            raise NotTranslated(text)
        result.append(text)
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
