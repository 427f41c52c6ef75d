"""Which rules are about nearly the same: those with the same references, and those that test the same rare facts."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from functools import cache

from vcompat.rules.rule import Rule

_MOST = 6
#: The least that two rules have in common: one reference, or facts of this weight.
_LEAST, _REFERENCE = 4.0, 6.0


def related(rule: Rule, rules: Sequence[Rule]) -> list[Rule]:
    """Return the rules that have most in common with one, at most six."""
    weights = _weights(tuple(rules))
    own, references = _facts(rule), set(rule.references)
    scored = []
    for other in rules:
        if other is rule:
            continue
        score = sum(weights[name] for name in sorted(own & _facts(other))) + _REFERENCE * len(
            references & set(other.references)
        )
        if score >= _LEAST:
            scored.append((-score, other.component != rule.component, other.id, other))
    return [other for *_, other in sorted(scored, key=lambda one: one[:3])[:_MOST]]


@cache
def _facts(rule: Rule) -> frozenset[str]:
    return frozenset(rule.when.names())


@cache
def _weights(rules: tuple[Rule, ...]) -> dict[str, float]:
    """Return the weight of each fact: the more, the fewer rules test it."""
    counts = Counter(name for rule in rules for name in _facts(rule))
    return {name: math.log(len(rules) / count) for name, count in counts.items()}
