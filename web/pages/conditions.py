"""The condition of a rule in words: who is affected."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from vcompat.facts.value import show
from vcompat.facts.vocabulary import VOCABULARY
from vcompat.rules.rule import Rule
from web import knowledge

_WORDS = {
    "matches": "matches",
    "not_multiple_of": "is not a multiple of",
    "less_than": "is less than",
    "more_than": "is more than",
    "differs_from": "differs from",
    "shares_with": "is the same as",
    "other_release_than": "is another release than",
}


class Line(NamedTuple):
    """One test of a condition, or the heading of some."""

    depth: int
    """How far it is inside others; 0 at the top."""
    fact: str
    """The name of the fact; empty for a heading."""
    text: str
    meaning: str = ""
    """What the fact is, where it is named first; empty if it is not in the vocabulary."""


def conditions(rule: Rule) -> list[Line]:
    """Return the tests of a rule's condition, outer ones first. All that stand beside each other must hold."""
    lines, explained = [], set()
    for line in _lines(knowledge.stated(rule)["when"], 0):
        lines.append(line._replace(meaning="") if line.fact in explained else line)
        explained.add(line.fact)
    return lines


def _lines(table: Mapping[str, Any], depth: int) -> Iterator[Line]:
    for name, expected in table.items():
        if name in ("any", "all"):
            heading = "one of these holds:" if name == "any" else "all of these hold:"
            yield Line(depth, "", heading)
            for part in expected:
                if len(part) == 1:
                    yield from _lines(part, depth + 1)
                else:
                    yield Line(depth + 1, "", "together:")
                    yield from _lines(part, depth + 2)
        elif name == "not":
            yield Line(depth, "", "these do not all hold:" if len(expected) > 1 else "this does not hold:")
            yield from _lines(expected, depth + 1)
        elif name in ("settings", "names"):
            yield Line(depth, "", f"{name}: {_text(expected)}")
        else:
            meaning = VOCABULARY[name].meaning if name in VOCABULARY else ""
            yield Line(depth, name, _text(expected), meaning)


def _text(expected: object) -> str:
    if isinstance(expected, bool):
        return f"is {show(expected)}"
    if isinstance(expected, Mapping):
        return " and ".join(_word(str(word), value) for word, value in expected.items())
    if isinstance(expected, list):
        return "is " + " or ".join(show(one) for one in expected)
    text = str(expected)
    return text if text[:1] in "<>=!~" else f"is {text}"


def _word(word: str, value: object) -> str:
    if word == "set":
        return "is set" if value else "is not set"
    shown = " or ".join(map(str, value)) if isinstance(value, list) else str(value)
    return f"{_WORDS.get(word, word.replace('_', ' '))} {shown}"
