"""Finds the newest compatible releases for given hardware and a given plan.

Releases are compatible if their recorded metadata allows each other, and if no rule applies to them with certainty.
A failure that no release avoids does not rule all of them out: it is left, for the user to fix in the plan.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from vcompat.evaluation.finding import Finding
from vcompat.facts.facts import Facts
from vcompat.fixes.compatibility import Compatibility, Reason
from vcompat.fixes.evaluator import Evaluator
from vcompat.fixes.releases import Catalogue, Pin, Pins, Wish, check_kept, wanted
from vcompat.foundation.newest_first import Search
from vcompat.rules.rule import Rule

#: Kinds of fixes that change the run, not the releases or the hardware.
_IN_THE_RUN = ("config", "env", "patch")
#: The rule that decides by the driver.
_TOO_OLD = "driver-too-old-for-torch"


class Resolution(NamedTuple):
    """The selected releases, what they leave, and the reasons why newer ones are ruled out."""

    pins: Pins
    """The selected releases in the order of ORDER; empty if there is no compatible set."""
    ruled_out: tuple[tuple[Pin, Reason], ...]
    """The newer releases that are ruled out, newest first. Without a compatible set, all that are ruled out."""
    left: tuple[Finding, ...] = ()
    """The certain findings of the threshold's severity that remain: failures of the plan or the hardware."""
    others: tuple[Finding, ...] = ()
    """The other remaining findings: fixed by patch, below the threshold, or possible."""
    facts: tuple[tuple[str, Facts], ...] = ()
    """The facts of each run with the selected releases; of each run alone if there is no compatible set."""
    without: tuple[tuple[str, Pins], ...] = ()
    """Without a compatible set: for each --keep that prevents one, the set without it."""


def resolve(wish: Wish, catalogue: Catalogue, rules: Sequence[Rule]) -> Resolution:
    """Find the newest compatible set of releases. Raises InputError if a range of ``--keep`` contains no release."""
    check_kept(wish.kept, catalogue)
    choice = _Choice(wish, catalogue, rules)
    return choice.newest() or choice.stuck()


def resolved(wish: Wish, catalogue: Catalogue, rules: Sequence[Rule]) -> Resolution | None:
    """Return what `resolve` does; None, without the time for the reasons, if there is no compatible set."""
    return _Choice(wish, catalogue, rules).newest()


def accepted(evaluator: Evaluator) -> set[str]:
    """Return the ids of the rules that apply whatever the releases are, and so rule none out.

    Rules about the hardware are not among them: no set works on hardware that no release supports.
    """
    return {finding.rule.id for finding in evaluator.of_the_runs() if not _needs_hardware(finding.rule)}


class _Choice:
    """Searches under the wish, and where that finds nothing, under weaker ones."""

    def __init__(self, wish: Wish, catalogue: Catalogue, rules: Sequence[Rule]) -> None:
        self._wish, self._catalogue, self._rules = wish, catalogue, rules
        self._evaluator = Evaluator(wish.runs, catalogue, rules)
        self._accepted = accepted(self._evaluator)
        self._judge = Compatibility(wish, catalogue, self._evaluator, self._accepted)

    def newest(self) -> Resolution | None:
        """Return the newest set under the strictest wish that there is one for; None if there is none."""
        attempts = (self.strict, self.forward_compatible, self.with_one_failure)
        return next((found for attempt in attempts if (found := attempt()) is not None), None)

    def strict(self) -> Resolution | None:
        """Return the newest set; None if there is none."""
        return self._with(self._judge, self._evaluator)

    def forward_compatible(self) -> Resolution | None:
        """Return the newest set for the case that a forward-compatibility package is installed."""
        if _TOO_OLD not in self._judge.blocking():
            return None
        evaluator = Evaluator(self._wish.runs, self._catalogue, self._rules, forward_compatible=True)
        return self._with(Compatibility(self._wish, self._catalogue, evaluator, self._accepted), evaluator)

    def with_one_failure(self) -> Resolution | None:
        """Return the newest set with one failure that a change of the run fixes."""
        trials: list[tuple[Pins, Compatibility]] = []
        for rule in self._rules:
            if rule.id in self._judge.blocking() and _can_be_fixed(rule):
                judge = Compatibility(self._wish, self._catalogue, self._evaluator, {*self._accepted, rule.id})
                pins = _newest(judge, wanted(self._wish, self._catalogue))
                trials += [(pins, judge)] if pins is not None else []
        if not trials:
            return None
        return self._with(max(trials, key=lambda one: one[0])[1], self._evaluator)

    def _with(self, judge: Compatibility, evaluator: Evaluator) -> Resolution | None:
        pins = _newest(judge, wanted(self._wish, self._catalogue))
        if pins is None:
            return None
        findings = evaluator.findings(pins)
        left = tuple(finding for finding in findings if judge.counts(finding))
        others = tuple(finding for finding in findings if not judge.counts(finding))
        return Resolution(pins, tuple(judge.why_not_newer(pins)), left, others, tuple(evaluator.facts(pins)))

    def stuck(self) -> Resolution:
        """Return the reasons why there is no set, and the sets without one of the ranges of ``--keep``."""
        reasons = self._judge.why_stuck(wanted(self._wish, self._catalogue))
        facts = tuple(self._evaluator.facts(()))
        return Resolution((), tuple(reasons), facts=facts, without=tuple(self._without_keeps()))

    def _without_keeps(self) -> Iterator[tuple[str, Pins]]:
        for package, kept in self._wish.kept.items():
            others = {name: range_ for name, range_ in self._wish.kept.items() if name != package}
            freed = self._wish._replace(kept=others)
            judge = Compatibility(freed, self._catalogue, self._evaluator, self._accepted)
            pins = _newest(judge, wanted(freed, self._catalogue))
            if pins is not None:
                yield f"{package}{kept}", pins


def _can_be_fixed(rule: Rule) -> bool:
    in_the_run = rule.has_subjects or any(fix.kind in _IN_THE_RUN for fix in rule.fixes)
    return in_the_run and not _needs_hardware(rule)


def _needs_hardware(rule: Rule) -> bool:
    return any(fix.kind == "hardware" for fix in rule.fixes)


def _newest(judge: Compatibility, packages: Sequence[str]) -> Pins | None:
    return Search(
        [judge.releases(package) for package in packages],
        lambda pin: judge.by_itself(pin) is None,
        lambda one, other: judge.together(one, other) is None,
        judge.conflict,
    ).first()
