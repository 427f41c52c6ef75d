"""Chooses the value of a setting that is nearest to the present one and that all rules accept.

A rule states the range in which to search, and the facts decide. A value is accepted if the rule's finding is gone, and
no rule applies for certain that did not apply before.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any

from vcompat.evaluation.evaluate import evaluate
from vcompat.evaluation.finding import Finding
from vcompat.facts.derive import derive
from vcompat.facts.facts import Facts, number
from vcompat.rules.rule import Fix, Rule
from vcompat.sources.gather import RunFacts

if TYPE_CHECKING:
    from vcompat.facts.stated import Stated

#: How many values are tried with the rule itself, and how many of those with all rules.
_MOST_TRIED, _MOST_EVALUATED = 2000, 24


def with_values(findings: Sequence[Finding], rules: Sequence[Rule], runs: Sequence[RunFacts]) -> list[Finding]:
    """Return `findings` with a value in each fix that takes the nearest one.

    Such a fix is left out of a certain finding if no value is accepted. A possible finding keeps it without a value.
    """
    return [_with_values(finding, rules, runs) for finding in findings]


def _with_values(finding: Finding, rules: Sequence[Rule], runs: Sequence[RunFacts]) -> Finding:
    if not finding.is_certain or not any("nearest" in fix.details for fix in finding.fixes):
        return finding
    chosen = [_chosen(fix, finding, rules, runs) if "nearest" in fix.details else fix for fix in finding.fixes]
    return finding._replace(fixes=tuple(fix for fix in chosen if fix is not None))


def _chosen(fix: Fix, finding: Finding, rules: Sequence[Rule], runs: Sequence[RunFacts]) -> Fix | None:
    concerned = [run for run in runs if not finding.runs or run.name in finding.runs]
    value = _nearest(fix, finding, rules, concerned)
    if value is None:
        return None
    return fix._replace(details={**fix.details, "value": value})


def _nearest(fix: Fix, finding: Finding, rules: Sequence[Rule], runs: Sequence[RunFacts]) -> float | None:
    """Return the value; None if none is accepted, or if the present value is not known."""
    fact = f"plan.{fix.details['setting']}"
    now = [derive(run.facts, run.takes_defaults) for run in runs]
    present = {number(facts, fact) for facts in now}
    if len(present) != 1 or None in present or _applies_with_any(finding.rule, runs, fact):
        return None
    before = [_certain(rules, facts) for facts in now]
    values = _by_distance(fix.details["nearest"], present.pop() or 0, now[0])
    remaining: dict[float, int] = {}
    for value in islice(_fitting(finding.rule, runs, fact, values), _MOST_EVALUATED):
        after = [_certain(rules, facts) for facts in _with(runs, fact, value)]
        if any(new.keys() - old.keys() for new, old in zip(after, before, strict=True)):
            continue
        # Another rule may object to the present value of the same setting, too.
        remaining[value] = sum(_is_about(rule, fix.details["setting"]) for each in after for rule in each.values())
        if remaining[value] == 0:
            break
    return min(remaining, key=remaining.__getitem__, default=None)


def _applies_with_any(rule: Rule, runs: Sequence[RunFacts], fact: str) -> bool:
    """Return whether the rule applies to a run whatever the value of a setting is: also while it is not known."""
    for run in runs:
        facts = run.facts.copy()
        facts.forget(fact, "tried")
        derived = derive(facts, run.takes_defaults)
        if derived.get(fact) is None and rule.when.truth(derived):
            return True
    return False


def _fitting(rule: Rule, runs: Sequence[RunFacts], fact: str, values: Iterator[float]) -> Iterator[float]:
    """Yield the first values with which the rule does not apply to any run."""
    for value in islice(values, _MOST_TRIED):
        if not any(rule.when.truth(facts) for facts in _with(runs, fact, value)):
            yield value


def _certain(rules: Sequence[Rule], facts: Facts) -> dict[str, Rule]:
    return {f.name: f.rule for f in evaluate(rules, facts) if f.is_certain and not f.fixed_by}


def _is_about(rule: Rule, setting: str) -> bool:
    return any("nearest" in fix.details and fix.details["setting"] == setting for fix in rule.fixes)


def _with(runs: Sequence[RunFacts], fact: str, value: float) -> Iterator[Facts]:
    """Yield the facts of each run as they would be with another value of a setting."""
    for run in runs:
        facts = run.facts.copy()
        known = facts.recorded(fact)
        facts.set(fact, value, "tried", known.place if known else None)
        facts.stated = tuple(_restated(stated, fact.removeprefix("plan."), value) for stated in facts.stated)
        yield derive(facts, run.takes_defaults)


def _restated(stated: Stated, name: str, value: float) -> Stated:
    """Return what a class gets, with another value of a setting that it is given."""
    settings = (one._replace(value=value) if one.name == name else one for one in stated.settings)
    return stated._replace(settings=tuple(settings))


def _by_distance(bounds: Mapping[str, Any], present: float, facts: Facts) -> Iterator[float]:
    """Yield the values in `bounds`, those nearest to `present` first, of two equally near ones the larger first."""
    least, most, step = (_bound(bounds.get(key, 1), facts) for key in ("least", "most", "step"))
    least = present if least is None else least
    most = present if most is None else most
    if not step or step < 0 or most < least:
        return
    count = min(int((most - least) / step + 1e-6) + 1, 100_000)
    values = (round(least + index * step, 6) for index in range(count))
    for value in sorted(values, key=lambda value: (round(abs(value - present), 6), -value)):
        if value != present:
            yield value


def _bound(bound: Any, facts: Facts) -> float | None:
    """Return a bound, which is a number or the name of a fact; None if that fact is not known."""
    return number(facts, bound) if isinstance(bound, str) else bound
