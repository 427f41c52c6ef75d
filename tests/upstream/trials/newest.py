"""Trials with the newest releases, which no rule names: what is claimed follows from the rule's condition."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from functools import cache

from packaging.version import Version

from vcompat.facts.facts import Facts
from vcompat.rules.database import load_rules
from vcompat.rules.record import load_record
from vcompat.rules.rule import Rule
from vcompat.rules.trial import WORKS, Pins, Trial


def newest(packages: Collection[str]) -> Iterator[tuple[Rule, Trial, Pins, str]]:
    """Yield the trials that pin one of `packages`, with the newest recorded releases and the claimed outcome.

    Left out: trials that need other packages of an earlier date, and rules that the releases alone do not decide.
    """
    for rule in load_rules():
        for trial in rule.evidence.trials:
            before = [*trial.works, *trial.fails][0]
            pins = {package: _newest(package) or version for package, version in before.items()}
            if trial.until or pins == dict(before) or not set(packages) & before.keys():
                continue
            truth = _truth(rule, pins)
            if truth is not None:
                yield rule, trial, pins, trial.raises if truth else WORKS


@cache
def _newest(package: str) -> str:
    releases = load_record(package, with_rows=False).releases
    return str(releases[-1]) if releases else ""


def _truth(rule: Rule, pins: Pins) -> bool | None:
    facts = Facts()
    for package, version in pins.items():
        facts.set(f"packages.{package}", Version(version), "a trial")
    return rule.when.truth(facts)
