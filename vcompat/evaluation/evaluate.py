"""Evaluates rules against facts. The only place where a finding is made."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from packaging.version import Version

from vcompat.evaluation import misfit_settings, missing_names
from vcompat.evaluation.constructible import with_what_is_set
from vcompat.evaluation.finding import CERTAIN, LIKELY, POSSIBLE, Finding, Need, Reason, by_order, by_urgency
from vcompat.evaluation.fitting import fitting
from vcompat.evaluation.selection import ENOUGH, selected
from vcompat.evaluation.trainer_imports import PRESUMED, Imported, imported
from vcompat.facts.facts import BY_HAND, Facts, bounded
from vcompat.facts.records.known_releases import presumed_unchanged
from vcompat.facts.value import show_candidates
from vcompat.rules.rule import Rule

if TYPE_CHECKING:
    from vcompat.facts.presumption import Presumption


def evaluate(rules: Iterable[Rule], facts: Facts) -> list[Finding]:
    """Return the findings of `rules` on `facts`: the certain ones first, then the likely ones, by urgency, then others.

    What likely facts rule out is left out, as is what only releases of TRL do that refuse the configuration. The cost
    grows linearly with the number of rules. Reasons are collected only for rules that apply.
    """
    presumed = facts.presumed() if facts.has_likely else facts
    findings: list[Finding] = []
    with_subjects: list[Rule] = []
    imports, by_hand = imported(presumed), states_by_hand(presumed)
    is_foreign = imports is Imported.NO or has_foreign_trainer(presumed)
    fit = with_what_is_set(presumed)
    for rule in rules:
        if rule.excludes(presumed) or (is_foreign and _is_of_trainer(rule)):
            continue
        if rule.has_subjects:
            with_subjects.append(rule)
            continue
        truth = rule.when.truth(facts)
        if truth and imports is Imported.UNSEEN and _is_of_trainer(rule):
            findings.append(_finding(rule, LIKELY, facts)._replace(presumes=PRESUMED))
        elif truth:
            findings.append(_of_new_releases(_finding(rule, CERTAIN, facts), facts))
        elif truth is None and (fit is presumed or rule.when.truth(fit) is not False):
            findings += _uncertain(rule, presumed, presumed is not facts, by_hand)
    findings += _of_subjects(with_subjects, facts, presumed)
    return sorted(findings, key=by_order)


def _is_of_trainer(rule: Rule) -> bool:
    """Return whether a rule is about TRL's trainers. To know it, the rule's evidence is read."""
    return rule.component == "trl" and rule.is_about_trls_trainer


def has_foreign_trainer(facts: Facts) -> bool:
    """Return whether a trainer runs that TRL does not have: one of the project, or of another library."""
    trainer = facts.value("plan.trainer")
    if not isinstance(trainer, str):
        return False
    # Imported here: without run files, no trainer is known.
    from vcompat.facts.records.recorded_settings import load_class

    # TRL has a configuration class for each of its trainers.
    return load_class("trl", f"{trainer.removesuffix('Trainer')}Config") is None


def _of_new_releases(finding: Finding, facts: Facts) -> Finding:
    """Return a certain finding, likely if it rests on a release that is newer than all recorded ones."""
    presumes = presumed_unchanged(facts, [reason.fact for reason in finding.because])
    is_likely = presumes and finding.is_certain
    return finding._replace(certainty=LIKELY, presumes=bounded(presumes)) if is_likely else finding


def _uncertain(rule: Rule, presumed: Facts, are_likely: bool, by_hand: bool) -> list[Finding]:
    """Return the finding of a rule that is not certain: a likely one, a possible one, or none."""
    truth = rule.when.truth(presumed) if are_likely else None
    if truth:
        return [_finding(rule, LIKELY, presumed)]
    if truth is None and is_shown(rule, presumed, by_hand):
        return [_finding(rule, POSSIBLE, presumed)]
    return []


def is_shown(rule: Rule, facts: Facts, by_hand: bool) -> bool:
    """Return whether a rule that is open is a possible finding, also if it asks for more to be known.

    Who states facts by hand states what they know: that may be about this rule and no other. `by_hand` is whether they
    did. A machine or a run file has everything, whatever a rule needs.
    """
    if rule.may_be_possible(facts):
        return True
    # Asked first, since it costs little: a rule of which nothing is known is not selected.
    about = by_hand and any(facts.get(name) is not None for name in rule.when.names())
    return about and selected(rule, facts) >= ENOUGH


def states_by_hand(facts: Facts) -> bool:
    """Return whether a user states facts of the run and no run file does."""
    known = list(facts.all_known())
    from_files = any(name.startswith("plan.") and one.place is not None for name, one in known)
    return not from_files and any(one.source == BY_HAND for _, one in known)


def _of_subjects(rules: Sequence[Rule], facts: Facts, presumed: Facts) -> list[Finding]:
    """Return the findings about settings and names: the certain ones, else likely or possible ones."""
    findings = list(_each(rules, facts))
    if presumed is facts:
        return findings
    certain = [finding for finding in findings if finding.is_certain]
    subjects = {finding.name for finding in certain}
    return certain + [finding for finding in _each(rules, presumed) if finding.name not in subjects]


def _each(rules: Sequence[Rule], facts: Facts) -> Iterator[Finding]:
    """Yield the findings of rules that can have several."""
    yield from misfit_settings.findings([rule for rule in rules if rule.is_about_settings], facts)
    yield from missing_names.findings([rule for rule in rules if rule.is_about_names], facts)


def evaluate_certain(rules: Iterable[Rule], facts: Facts) -> list[Finding]:
    """Return those findings of `evaluate` that are certain, without the cost of the others."""
    certain: list[Finding] = []
    with_subjects: list[Rule] = []
    is_foreign = imported(facts) is not Imported.YES or has_foreign_trainer(facts)
    for rule in rules:
        if rule.waits(facts) or rule.excludes(facts):
            continue
        if is_foreign and _is_of_trainer(rule):
            continue
        if rule.has_subjects:
            with_subjects.append(rule)
        elif rule.when.truth(facts) and not rule.only_if:
            certain.append(_finding(rule, CERTAIN, facts))
    return [*certain, *(finding for finding in _each(with_subjects, facts) if finding.is_certain)]


def evaluate_runs(rules: Sequence[Rule], runs: Sequence[tuple[str, Facts]]) -> list[Finding]:
    """Return the findings of `rules` on several named runs: of each rule the most urgent one, with its runs."""
    if len(runs) == 1:
        return evaluate(rules, runs[0][1])
    by_rule: dict[str, list[tuple[str, Finding]]] = {}
    for name, facts in runs:
        for finding in evaluate(rules, facts):
            by_rule.setdefault(finding.name, []).append((name, finding))
    worst = []
    for named in by_rule.values():
        _, first = min(named, key=lambda item: by_urgency(item[1]))
        same = tuple(name for name, finding in named if by_urgency(finding) == by_urgency(first))
        worst.append(first._replace(runs=same if len(same) < len(runs) else ()))
    return sorted(worst, key=by_order)


def not_judged(rules: Iterable[Rule], facts: Facts) -> dict[str, list[str]]:
    """The ids of the estimates and advice that could not be judged, each with the facts that are not known."""
    open_rules = {}
    by_hand = states_by_hand(facts)
    for rule in rules:
        if not rule.excludes(facts) and rule.when.truth(facts) is None and not is_shown(rule, facts, by_hand):
            open_rules[rule.id] = [name for name in dict.fromkeys(rule.when.deciders(facts)) if facts.get(name) is None]
    return open_rules


def _finding(rule: Rule, certainty: str, facts: Facts) -> Finding:
    """Return the finding of a rule on facts, which for a likely or possible one include what is presumed."""
    because, needs = [], []
    presumes: list[Presumption] = []
    for name in dict.fromkeys(rule.when.deciders(facts)):
        known, candidates = facts.get(name), facts.candidates(name)
        if known is not None:
            because.append(Reason.of(name, known))
            presumes += known.presumes
        elif candidates and certainty != POSSIBLE:
            because.append(Reason(name, show_candidates(candidates), facts.why_unknown(name), facts.open_at(name)))
        else:
            needs.append(Need(name, facts.why_unknown(name), facts.open_at(name)))
    if certainty == POSSIBLE and not needs:
        why = "is a pre-release at the edge of the affected range"
        needs = [Need(r.fact, f"{r.value} {why}") for r in because if isinstance(facts.value(r.fact), Version)]
    if rule.only_if:
        certainty = POSSIBLE
        needs.append(Need("", f"whether {rule.only_if}"))
    fixes = fitting(rule, facts)
    patched = facts.value("plan.patched")
    patches = patched if isinstance(patched, tuple) else ()
    fixed_by = next((f.details["patch"] for f in fixes if f.removes_failure and f.details["patch"] in patches), "")
    presumed = bounded(presumes) if certainty == LIKELY else ()
    strength = selected(rule, facts) if certainty == POSSIBLE else 0
    return Finding(rule, certainty, tuple(because), tuple(needs), fixed_by, fixes, presumes=presumed, selected=strength)
