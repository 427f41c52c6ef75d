"""Evaluates rules against facts. The only place where a finding is made."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from vcompat.evaluation import settings
from vcompat.evaluation.finding import CERTAIN, POSSIBLE, Finding, Need, Reason, by_order, by_urgency
from vcompat.evaluation.fitting import fitting
from vcompat.facts.facts import Facts
from vcompat.facts.value import show
from vcompat.rules.condition import Truth
from vcompat.rules.rule import Rule


def evaluate(rules: Iterable[Rule], facts: Facts) -> list[Finding]:
    """Return the findings of `rules` on `facts`: the certain ones first, by urgency, then the possible ones, by order.

    The cost grows linearly with the number of rules. Reasons are collected only for rules that apply.
    """
    patched = facts.value("plan.patched") or ()
    findings: list[Finding] = []
    about_settings: list[Rule] = []
    for rule in rules:
        if rule.excludes(facts):
            continue
        if rule.is_about_settings:
            about_settings.append(rule)
            continue
        truth = rule.when.truth(facts)
        if truth or (truth is None and rule.may_be_possible(facts)):
            findings.append(_finding(rule, truth, facts, patched if isinstance(patched, tuple) else ()))
    findings += settings.findings(about_settings, facts)
    return sorted(findings, key=by_order)


def evaluate_certain(rules: Iterable[Rule], facts: Facts) -> list[Finding]:
    """Return those findings of `evaluate` that are certain, without the cost of the possible ones."""
    patched = facts.value("plan.patched") or ()
    found: list[Finding] = []
    about_settings: list[Rule] = []
    for rule in rules:
        if rule.waits(facts) or rule.excludes(facts):
            continue
        if rule.is_about_settings:
            about_settings.append(rule)
        elif rule.when.truth(facts) and not rule.only_if:
            found.append(_finding(rule, True, facts, patched if isinstance(patched, tuple) else ()))
    return [*found, *(finding for finding in settings.findings(about_settings, facts) if finding.is_certain)]


def evaluate_runs(rules: Sequence[Rule], runs: Sequence[tuple[str, Facts]]) -> list[Finding]:
    """Return the findings of `rules` on several named runs: of each rule the most urgent one, with its runs."""
    if len(runs) == 1:
        return evaluate(rules, runs[0][1])
    by_rule: dict[str, list[tuple[str, Finding]]] = {}
    for name, facts in runs:
        for finding in evaluate(rules, facts):
            by_rule.setdefault(finding.name, []).append((name, finding))
    worst = []
    for found in by_rule.values():
        _, first = min(found, key=lambda item: by_urgency(item[1]))
        same = tuple(name for name, finding in found if by_urgency(finding) == by_urgency(first))
        worst.append(first._replace(runs=same if len(same) < len(runs) else ()))
    return sorted(worst, key=by_order)


def not_judged(rules: Iterable[Rule], facts: Facts) -> dict[str, list[str]]:
    """The ids of the estimates and advice that could not be judged, each with the facts that are not known."""
    open_rules = {}
    for rule in rules:
        if not rule.may_be_possible(facts) and not rule.excludes(facts) and rule.when.truth(facts) is None:
            open_rules[rule.id] = [name for name in dict.fromkeys(rule.when.deciders(facts)) if facts.get(name) is None]
    return open_rules


def _finding(rule: Rule, truth: Truth, facts: Facts, patched: tuple[object, ...]) -> Finding:
    because, needs = [], []
    for name in dict.fromkeys(rule.when.deciders(facts)):
        known = facts.get(name)
        if known is None:
            needs.append(Need(name, facts.why_unknown(name), facts.open_at.get(name)))
        else:
            because.append(Reason(name, show(known.value), known.source, known.place))
    if truth is None and not needs:
        needs = [Need(r.fact, f"{r.value} is a pre-release at the edge of the affected range") for r in because]
    if rule.only_if:
        needs.append(Need("", f"whether {rule.only_if}"))
    fixes = fitting(rule, facts)
    fixed_by = next((f.details["patch"] for f in fixes if f.removes_failure and f.details["patch"] in patched), "")
    certain = truth and not rule.only_if
    return Finding(rule, CERTAIN if certain else POSSIBLE, tuple(because), tuple(needs), fixed_by, fixes)
