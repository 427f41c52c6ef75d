"""The words of Hydra's command line: overrides such as ``a.b=1``, ``+a=1`` and ``~a``, and their values."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from vcompat.sources.reading.configurations.omegaconf_values import OPEN
from vcompat.sources.reading.word import Word, has_words

#: Maximum length of a word, and maximum nesting depth of its value.
LONGEST, DEEPEST = 20_000, 30


class Override(NamedTuple):
    """A word that changes a value, or the choice of a configuration."""

    sign: str
    """Empty, ``+``, ``++`` or ``~``."""
    key: str
    """A path such as ``a.b``, or a group such as ``db/server``."""
    package: str | None
    """What follows ``@``; None if nothing does."""
    value: Any
    """OPEN if it is not known, or differs between the runs of a sweep."""
    has_value: bool


class Words(NamedTuple):
    """A command line of Hydra."""

    overrides: tuple[Override | None, ...]
    """None for a word that cannot be read: it may change anything."""
    name: Word | None
    """The value of ``--config-name``."""
    folder: Word | None
    """The value of ``--config-path``."""
    searches: bool
    """``--config-dir`` adds a folder in which configurations are searched."""


#: Options with a value, and what it is, where that matters.
_WITH_VALUE = {
    "--config-name": "name",
    "-cn": "name",
    "--config-path": "folder",
    "-cp": "folder",
    "--config-dir": "searches",
    "-cd": "searches",
    **dict.fromkeys(("--package", "-p", "--cfg", "-c"), ""),
}


def parse_words(words: Sequence[Word]) -> Words:
    """Return the overrides and options among `words`."""
    overrides: list[Override | None] = []
    options: dict[str, Word] = {}
    index = 0
    while index < len(words):
        word, index = words[index], index + 1
        option, equals, value = word.partition("=")
        if isinstance(option, str) and option in _WITH_VALUE:
            if not equals and index < len(words):
                value, index = words[index], index + 1
            options[_WITH_VALUE[option]] = value
        elif not word.startswith("-"):
            overrides.append(parse_word(word))
    return Words(tuple(overrides), options.get("name"), options.get("folder"), "searches" in options)


_NAME = r"(?:[A-Za-z_$][\w$-]*|0|[1-9](?:_?\d)*)"
_KEY = rf"(?:[A-Za-z_][\w-]*(?:/[A-Za-z_][\w-]*)+|{_NAME}(?:\.{_NAME})+|[A-Za-z_$][\w$-]*)"
_WORD = re.compile(rf"(~|\+\+?)?({_KEY})(?:@({_KEY}|))?", re.ASCII)


def parse_word(word: Word) -> Override | None:
    """Return the override that `word` is; None if it cannot be read."""
    if len(word) > LONGEST or has_words(word):
        return None
    named, equals, text = word.partition("=")
    match = _WORD.fullmatch(named) if isinstance(named, str) else None
    if match is None or (not equals and match[1] != "~"):
        return None
    sign, key, package = match.groups()
    text = text.lstrip(" \t")
    value = parse_value(text) if text else "" if equals else None
    return Override(sign or "", key, package, value, bool(equals))


def parse_value(text: Word) -> Any:
    """Return the value that `text` stands for in Hydra's grammar; OPEN for sweeps, functions and what is not known."""
    if not isinstance(text, str):
        return OPEN
    tokens = _tokens(text)
    if tokens is None:
        return OPEN
    try:
        value, end = _element(tokens, 0, 0)
    except ValueError:
        return OPEN
    # A comma at the top level separates the values of a sweep.
    return value if end == len(tokens) else OPEN


_INT = r"(?:0|[1-9](?:_?[0-9])*)"
_POINT = rf"(?:{_INT}?\.[0-9](?:_?[0-9])*|{_INT}\.)"
#: In the order of Hydra's grammar: of several matches of the same length, the first counts.
_TOKENS = [
    (name, re.compile(pattern, re.DOTALL))
    for name, pattern in (
        ("(", r"[ \t]*\([ \t]*"),
        (",", r"[ \t]*,[ \t]*"),
        (")", r"[ \t]*\)"),
        ("[", r"\[[ \t]*"),
        ("]", r"[ \t]*\]"),
        ("{", r"\{[ \t]*"),
        ("}", r"[ \t]*\}"),
        (":", r"[ \t]*:[ \t]*"),
        ("=", r"[ \t]*=[ \t]*"),
        ("float", rf"[+-]?(?:(?:{_POINT}|{_INT})[eE][+-]?[0-9](?:_?[0-9])*|{_POINT}|[iI][nN][fF]|[nN][aA][nN])"),
        ("int", rf"[+-]?{_INT}"),
        ("bool", r"[tT][rR][uU][eE]|[fF][aA][lL][sS][eE]"),
        ("null", r"[nN][uU][lL][lL]"),
        ("char", r"[/\-\\+.$%*@?|]"),
        ("id", r"[A-Za-z_][A-Za-z0-9_-]*"),
        ("escape", r"(?:\\[\\()\[\]{}:=, \t])+"),
        ("space", r"[ \t]+"),
        ("quoted", r"\"(?:[^\"\\]|\\.)*\"|'(?:[^'\\]|\\.)*'"),
        ("reference", r"\$\{[^}]+\}"),
    )
]
_PRIMITIVE = frozenset("id null int float bool reference char : escape space quoted".split())

Token = tuple[str, str]


def _tokens(text: str) -> list[Token] | None:
    """Split `text` into tokens, the longest first; None if it is not in Hydra's grammar."""
    tokens: list[Token] = []
    position = 0
    while position < len(text):
        matches = [(match.end(), name) for name, rule in _TOKENS if (match := rule.match(text, position))]
        if not matches:
            return None
        end, name = max(matches, key=lambda each: each[0])
        tokens.append((name, text[position:end]))
        position = end
    return tokens


def _element(tokens: list[Token], at: int, depth: int) -> tuple[Any, int]:
    """Return the value that begins at the token `at`, and the index after it."""
    if at >= len(tokens) or depth > DEEPEST:
        raise ValueError("no value")
    if tokens[at][0] == "[":
        return _list(tokens, at + 1, depth)
    if tokens[at][0] == "{":
        return _table(tokens, at + 1, depth)
    end = at
    while end < len(tokens) and tokens[end][0] in _PRIMITIVE:
        end += 1
    if end < len(tokens) and tokens[end][0] in ("(", "=", "[", "{"):
        raise ValueError("a function, or not in the grammar")
    return _primitive(tokens[at:end]), end


def _list(tokens: list[Token], at: int, depth: int) -> tuple[list[Any], int]:
    values: list[Any] = []
    if at < len(tokens) and tokens[at][0] == "]":
        return values, at + 1
    while True:
        value, at = _element(tokens, at, depth + 1)
        values.append(value)
        if at >= len(tokens) or tokens[at][0] not in (",", "]"):
            raise ValueError("not a list")
        if tokens[at][0] == "]":
            return values, at + 1
        at += 1


def _table(tokens: list[Token], at: int, depth: int) -> tuple[dict[str, Any], int]:
    table: dict[str, Any] = {}
    if at < len(tokens) and tokens[at][0] == "}":
        return table, at + 1
    while True:
        end = at
        while end < len(tokens) and tokens[end][0] in _PRIMITIVE - {":", "reference", "quoted"}:
            end += 1
        if end >= len(tokens) or tokens[end][0] != ":":
            raise ValueError("not a table")
        key = _primitive(tokens[at:end])
        value, at = _element(tokens, end + 1, depth + 1)
        if not isinstance(key, str):
            raise ValueError("a key that is not a text")
        table[key] = value
        if at >= len(tokens) or tokens[at][0] not in (",", "}"):
            raise ValueError("not a table")
        if tokens[at][0] == "}":
            return table, at + 1
        at += 1


def _unquoted(text: str) -> str:
    unescaped = re.sub(rf"\\+{text[0]}", lambda match: match[0][1::2], text[1:])
    return unescaped if re.search(rf"\\+{text[0]}$", text) else unescaped[:-1]


#: What a token of one kind stands for; a token of another kind stands for its text.
_READ: Mapping[str, Callable[[str], Any]] = {
    "int": lambda text: int(text.replace("_", "")),
    "float": lambda text: float(text.replace("_", "")),
    "bool": lambda text: text.lower() == "true",
    "null": lambda text: None,
    "quoted": _unquoted,
    "escape": lambda text: text[1::2],
}


def _primitive(tokens: list[Token]) -> Any:
    while tokens and tokens[0][0] == "space":
        tokens = tokens[1:]
    while tokens and tokens[-1][0] == "space":
        tokens = tokens[:-1]
    if not tokens:
        raise ValueError("no value")
    if len(tokens) > 1:
        if any(name == "quoted" for name, _ in tokens):
            raise ValueError("a quoted value beside others")
        return "".join(text[1::2] if name == "escape" else text for name, text in tokens)
    name, text = tokens[0]
    return _READ.get(name, str)(text)
