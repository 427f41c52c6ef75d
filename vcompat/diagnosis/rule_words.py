"""How well the words of a text fit those of each rule: its title, summary, identifier, settings, and what logs show.

A word counts the more, the fewer rules have it.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable
from functools import cache
from typing import NamedTuple

from vcompat.facts.frameworks import FRAMEWORKS, TRL
from vcompat.rules.rule import Rule

#: What a word of a title or an identifier counts more, and how much a rule of many words counts less: 0 is not at all,
#: 1 is in proportion to their number.
_OF_TITLE, _LENGTH = 1.5, 0.6
#: The names of other frameworks, and how much more they say than how few rules have them.
_OTHERS = frozenset(name.rpartition("-")[2] for name in FRAMEWORKS if name != TRL)
_OF_FRAMEWORK = 2.0
#: What a word counts that is told aside.
_ASIDE = 0.25
_WORD = re.compile(r"[A-Za-z0-9_]+(?:[-.][A-Za-z0-9]+)*")
_PARTS, _CAMEL = re.compile(r"[_.-]"), re.compile(r"[A-Z]?[a-z]{2,}|[A-Z]{3,}(?![a-z])")
#: What is no word in a regular expression.
_MARKS = re.compile(r"\\[A-Za-z]|[\\()\[\]?*+^$|{}]")
_ENDINGS = ("izations", "ization", "ations", "ation", "ings", "ing", "ied", "ies", "ed", "es", "s", "ly")
_COMMON = frozenset(
    "the a an and or of to in is are it be with on at by for not no from that this when as if its which than then only "
    "does do can was were has have but more any one each other their all bug feature error issue fix how "
    # Parts of DeepSpeed.
    "deep speed".split()
)


class Scored(NamedTuple):
    """How well a text fits a rule."""

    score: float
    """The sum of the weights of the words that they share. Weights are natural logarithms."""
    share: float
    """The share of the weight of all words of the text."""
    rule: Rule


class Words(NamedTuple):
    """The words of a rule."""

    named: frozenset[str]
    """Those of its title and its identifier."""
    all: frozenset[str]
    length: int
    """How many there are; those that two parts of a rule have count twice."""


def scored(text: str, rules: Iterable[Rule], aside: str = "") -> list[Scored]:
    """Return the rules by how well their words fit a text, the best first; words that only `aside` has count less.

    Those about another framework are left out if the text does not name it.
    """
    known = [(rule, words_of(rule)) for rule in rules]
    times = Counter(word for _, words in known for word in words.all)
    usual = sum(words.length for _, words in known) / max(len(known), 1)

    def weight(word: str) -> float:
        factor = (_OF_FRAMEWORK if word in _OTHERS else 1) * (1 if word in told else _ASIDE)
        return math.log((len(known) + 1) / (times[word] + 0.5)) * factor

    told = words_in(text)
    asked = told | words_in(aside)
    whole = sum(map(weight, asked)) or 1.0
    scores = []
    for rule, words in known:
        if not words.named & _OTHERS <= asked:
            continue
        shared = asked & words.all
        score = sum(weight(word) * (_OF_TITLE if word in words.named else 1) for word in shared)
        score /= 1 - _LENGTH + _LENGTH * words.length / usual
        scores.append(Scored(score, sum(map(weight, shared)) / whole, rule))
    return sorted(scores, key=lambda each: (-each.score, each.rule.id))


def words_in(text: str) -> frozenset[str]:
    """Return the words of a text without their endings: those of an identifier, and itself."""
    words: set[str] = set()
    for word in _WORD.findall(text):
        parts = [word, *(_PARTS.split(word) if _PARTS.search(word) else ())]
        humps = _CAMEL.findall(word)
        parts += humps if len(humps) > 1 else []
        words.update(_without_ending(part.lower()) for part in parts)
    return frozenset(word for word in words - _COMMON if len(word) > 1 and not word.isdigit())


@cache
def words_of(rule: Rule) -> Words:
    """Return the words of a rule."""
    named = words_in(f"{rule.title} {rule.id}")
    shown = _MARKS.sub(" ", " ".join(symptom.pattern for symptom in rule.symptoms))
    parts = [named, *map(words_in, (rule.summary, " ".join(rule.when.names()), shown))]
    return Words(named, frozenset().union(*parts), sum(map(len, parts)))


def _without_ending(word: str) -> str:
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= 4:
            return word[: -len(ending)]
    return word
