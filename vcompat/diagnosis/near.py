"""The rules whose words are nearest to those of a text that shows no rule's symptom.

A person who describes a failure, or quotes a part of its traceback, rarely has the words that upstream prints.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

from vcompat.diagnosis.described import FAILS, fails_otherwise, fitting_releases
from vcompat.diagnosis.rule_words import scored
from vcompat.facts.facts import Facts
from vcompat.rules.rule import Rule

#: The most bytes of a text of which all lines count.
LONGEST = 16 * 1024
#: How many rules are named, and the least score of each as a share of that of the first one.
_MOST, _NEARLY = 3, 0.5
#: The least score of the first one: for a text that tells of a failure; for a question or a part of a sentence, of
#: whose words, by weight, one of the rules has at least that share; and for all others, and for errors.
_OF_FAILURE, (_OF_QUESTION, _SHARE), _OF_OTHERS = 12.0, (10.0, 0.4), 30.0
#: The least score of a rule that may be the cause, how many times that of the next one it must be, and the least share
#: of the words, by weight, that it has. 156 reports by strangers decided: 11 have such a rule, and all the right one.
_CLEAR, _TIMES, _OF_WORDS = 45.0, 1.32, 0.17

#: A line that states the release of a package, as ``- PEFT version: 0.18.0``: its words say nothing of the failure.
_RELEASE = re.compile(
    r"(?m)^[^\w\n]{0,8}[A-Za-z][\w()./ -]{1,40}?[^\w\n]{0,3}[:=][^\w\n]{0,8}v?\d+(?:\.\d+)+\S*[ \t]*$"
)

#: The form of a line of code, of a command, and of a list of what a person has done.
_CODE = re.compile(
    r"\s*(?:(?:import|from|def|class|with|for|if|elif|else|return|try|except|export)\b.*|@\w.*|[)\]}]+[,)]*"
    r"|[\w.\[\]\"']+ ?= ?\S.*|[\w.]+\(.*|.*(?:\w=\S.*){3}|.*(?:\s--\w.*){2}|- \[[ xX]\] .*)"
)
_FENCE = "```"
_OF_ERROR = re.compile(r'\s*(?:Traceback |File "|.*\b\w+(?:Error|Exception)\b:)')


class Near(NamedTuple):
    """The rules that are nearest to a text, the nearest first."""

    rules: tuple[Rule, ...] = ()
    score: float = 0.0
    """That of the first one, if it is so much nearer than the others that it may be the cause; else 0."""


def near(text: str, rules: Iterable[Rule], facts: Facts, has_error: bool) -> Near:
    """Return the rules that are nearest to a text and that no fact contradicts.

    They must be nearer to a text that has no word for a failure, and to one that `has_error`: with what upstream
    prints, the texts of the rules have been compared.
    """
    told, aside = _told_and_aside(_RELEASE.sub("", text))
    fitting = (rule for rule in fitting_releases(text, rules) if rule.when.truth(facts) is not False)
    ranked = scored(told, fitting, aside)
    if not ranked:
        return Near()
    best = ranked[0]
    second = ranked[1].score if len(ranked) > 1 else 0.0
    is_clear = best.score >= max(_CLEAR, _TIMES * second) and best.share >= _OF_WORDS
    is_clear = is_clear and not fails_otherwise(best.rule, text)
    if has_error:
        least = _OF_OTHERS
    elif FAILS.search(text):
        least = _OF_FAILURE
    else:
        least = _OF_QUESTION if max(each.share for each in ranked[:_MOST]) >= _SHARE else _OF_OTHERS
    least = max(least, _NEARLY * best.score)
    return Near(tuple(each.rule for each in ranked[:_MOST] if each.score >= least), best.score if is_clear else 0.0)


def _told_and_aside(text: str) -> tuple[str, str]:
    """Return what a text tells, and its code, of which few lines have to do with the failure."""
    told: list[str] = []
    aside: list[str] = []
    is_fenced = False
    for line in text.splitlines():
        is_fenced ^= line.lstrip().startswith(_FENCE)
        is_code = (is_fenced or _CODE.fullmatch(line)) and not _OF_ERROR.match(line)
        (aside if is_code else told).append(line)
    return "\n".join(told), "\n".join(aside)
