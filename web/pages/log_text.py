"""What a log shows when a rule's failure happens."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from vcompat.rules.metric_signatures import SIGNATURES
from vcompat.rules.rule import Rule
from vcompat.rules.symptom import Symptom
from web import knowledge

#: Lines of a kept log that its page shows, and characters of one.
_SHOWN, _LONGEST = 14, 400


class InLog(NamedTuple):
    """The texts of a failure."""

    patterns: list[tuple[str, str]]
    """Regular expressions, and what limits each; empty where nothing does."""
    others: list[str]
    """Signs that are no text, in words."""
    excerpt: str
    """The end of a log of the real failure; empty if none is kept."""
    absent: str
    """Why no log shows it; empty if one does."""


def in_log(rule: Rule) -> InLog:
    """Return what a log shows."""
    patterns = [(one.pattern, "; ".join(_limits(one))) for one in rule.symptoms if one.pattern]
    return InLog(patterns, list(_others(rule)), _excerpt(rule.id), rule.no_symptoms)


def _limits(symptom: Symptom) -> Iterator[str]:
    if symptom.unless:
        yield f"not with {symptom.unless}"
    if symptom.frames:
        yield f"in a traceback that passes {' or '.join(symptom.frames)}"
    if symptom.raised_in:
        yield f"raised in {' or '.join(symptom.raised_in)}"
    if symptom.is_common:
        yield "other failures print it, too: it counts if the log's facts make this one certain"


def _others(rule: Rule) -> Iterator[str]:
    for symptom in rule.symptoms:
        if symptom.stops_in:
            yield f"A traceback that is cut off in {symptom.stops_in}."
        if symptom.signature:
            yield f"In metrics: {SIGNATURES[symptom.signature]}."


def _excerpt(rule_id: str) -> str:
    log = knowledge.LOGS / f"{rule_id}.log"
    if not log.is_file():
        return ""
    lines = log.read_text(encoding="utf-8", errors="replace").rstrip().splitlines()
    return "\n".join(line[:_LONGEST] for line in lines[-_SHOWN:])
