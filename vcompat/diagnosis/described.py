"""Which rules a line is about that describes a failure in words, such as the title of a thread.

A rule is compared by its title, its summary, its settings and its identifier. A word counts the more, the fewer rules
have it.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from vcompat.diagnosis.prefixes import Line
from vcompat.diagnosis.symptoms import Shown
from vcompat.rules.rule import Rule
from vcompat.rules.symptom import Symptom

#: The most bytes of a description, which is one line.
LONGEST = 400
#: The least weights of the words that a rule shares with the text, and for each the least share of the weight of all
#: words of the text. Weights are natural logarithms. `tests/cases/descriptions.toml` has the texts they were chosen by.
_LEAST = ((15.0, 0.45), (20.0, 0.35))
#: Of a rule's title the words count more; those of a long summary less.
_OF_TITLE, _LENGTH, _USUAL = 1.5, 0.15, 60
#: Rules that fit nearly as well as the best one.
_NEAR, _MOST = 0.7, 3
#: Words without which a text is a question or a wish.
_FAILS = re.compile(
    r"(?i)\b(?:\w*bias\w*|explo(?:de|ding|sion)\w*|oom|out of memory|crash\w*|fail\w*|garb\w+|gibberish|hang\w*|stuck"
    r"|wrong\w*|incorrect\w*|stale|lost|loses|breaks?|broken|errors?|ignor\w+|refus\w+|mismatch\w*|not|never|dies?"
    r"|invalid|unchanged|corrupt\w*|nan|segfault\w*|deadlock\w*)\b"
)
_QUESTION = re.compile(r"(?i)^\s*(?:\[(?:usage|feature|question|docs?)[^\]]*\]|how\b|why\b|does\b|can\b|is\b)")
_WORD = re.compile(r"[A-Za-z0-9_]+(?:[-.][A-Za-z0-9]+)*")
_PARTS, _CAMEL = re.compile(r"[_.-]"), re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
_ENDINGS = ("izations", "ization", "ations", "ation", "ings", "ing", "ied", "ies", "ed", "es", "s", "ly")
_COMMON = frozenset(
    "the a an and or of to in is are it be with on at by for not no from that this when as if its which than then only "
    "does do can was were has have but more any one each other their all bug feature error issue fix how".split()
)
_PART = "whether the log has the whole error, of which the text is a part"
#: The least number of words and letters of a part of an error that names a rule.
_LEAST_QUOTED, _LEAST_LETTERS = 3, 14
_OPEN = "whether the text, which quotes no error, is about this failure"


class _Words(NamedTuple):
    """The words of a rule."""

    title: frozenset[str]
    named: frozenset[str]
    """Those of its title and its id."""
    all: frozenset[str]


def described(text: str, rules: Iterable[Rule]) -> Iterator[Shown]:
    """Yield the rules that a text of one line is about, the nearest first; none if it describes no failure.

    A part of an error that a person remembers is about the rules that have it in their title or in what a log shows.
    """
    lines = [(number, line.strip()) for number, line in enumerate(text.splitlines(), 1) if line.strip()]
    if len(lines) != 1 or _QUESTION.match(text):
        return
    line = Line(lines[0][0], "", lines[0][1], "", "")
    rules = list(rules)
    quoting = [rule for rule in rules if _quotes(lines[0][1], rule)]
    for rule in quoting[:_MOST]:
        yield Shown(rule, Symptom(""), (line,), None, open_point=_PART)
    if quoting or not _FAILS.search(text):
        return
    found = [one for one in scored(text, rules) if any(one[0] >= least and one[1] >= share for least, share in _LEAST)]
    for score, _, rule in found[:_MOST]:
        if score >= found[0][0] * _NEAR:
            yield Shown(rule, Symptom(""), (line,), None, open_point=_OPEN, weight=score)


def nearest(text: str, rules: Iterable[Rule], most: int = 5) -> list[Rule]:
    """Return the rules that fit the words best with which somebody asks for one: words of its id, title or symptoms."""
    rules = list(rules)
    quoting = [rule for rule in rules if _quotes(text, rule)]
    asked, part = words_in(text), text.strip().lower()
    named = [rule for rule in rules if asked and part in rule.id]
    named += [rule for rule in rules if asked and asked <= _words_of(rule).named]
    others = [rule for score, _, rule in scored(text, rules) if score > 0]
    return list({rule.id: rule for rule in (*quoting, *named, *others)}.values())[:most]


def _quotes(text: str, rule: Rule) -> bool:
    """Return whether a text is a part of a rule's title, or of what a log shows, of at least three words."""
    part = " ".join(text.split()).lower()
    if len(part.split()) < _LEAST_QUOTED or len(part) < _LEAST_LETTERS:
        return False
    shown = (symptom.pattern.replace("\\", "") for symptom in rule.symptoms)
    return any(part in each.lower() for each in (rule.title, *shown))


def scored(text: str, rules: Iterable[Rule]) -> list[tuple[float, float, Rule]]:
    """Return the rules by how well their words fit a text, the best first: score, share of the text's words, rule."""
    known = [(rule, _words_of(rule)) for rule in rules]
    times = Counter(word for _, words in known for word in words.all)

    def weight(word: str) -> float:
        return math.log((len(known) + 1) / (times[word] + 0.5))

    asked = words_in(text)
    whole = sum(map(weight, asked)) or 1.0
    found = []
    for rule, words in known:
        shared = asked & words.all
        score = sum(weight(word) * (_OF_TITLE if word in words.title else 1) for word in shared)
        score /= 1 + _LENGTH * math.log(1 + len(words.all) / _USUAL)
        found.append((score, sum(map(weight, shared)) / whole, rule))
    return sorted(found, key=lambda one: (-one[0], one[2].id))


def words_in(text: str) -> frozenset[str]:
    """Return the words of a text without their endings: those of an identifier, and itself."""
    words: set[str] = set()
    for word in _WORD.findall(text):
        parts = [word, *(_PARTS.split(word) if _PARTS.search(word) else ())]
        parts += _CAMEL.findall(word) if word != word.lower() else []
        words.update(_without_ending(part.lower()) for part in parts)
    return frozenset(word for word in words - _COMMON if len(word) > 1 and not word.isdigit())


def _words_of(rule: Rule) -> _Words:
    settings = " ".join(rule.when.names())
    return _Words(
        words_in(rule.title),
        words_in(f"{rule.title} {rule.id}"),
        words_in(f"{rule.title} {rule.summary} {rule.id} {settings}"),
    )


def _without_ending(word: str) -> str:
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= 4:
            return word[: -len(ending)]
    return word
