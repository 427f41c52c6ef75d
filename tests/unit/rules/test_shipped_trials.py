"""The trials of the rules that ship agree with the rules' conditions and with what happened when they were run."""

from __future__ import annotations

from functools import cache

from packaging.version import Version

from tests.each import each
from vcompat.facts.derive import derive
from vcompat.facts.facts import Facts
from vcompat.rules.database import load_rules
from vcompat.rules.rule import Rule
from vcompat.rules.trial import Pins, Trial, named
from vcompat.rules.trial_record import load_outcomes
from vcompat.sources.reading.scripts.script import read_source

TRIALS = [(rule, trial) for rule in load_rules() for trial in rule.evidence.trials]
each_trial = each(TRIALS, name=lambda pair: pair[0].id)
RECORDED = load_outcomes()


@cache
def read(code: str) -> Facts:
    """What the code of a trial states. No project is around it."""
    return read_source("/nowhere/trial.py", code.encode()).facts


def facts_of(pins: Pins, trial: Trial) -> Facts:
    """The releases, what follows from them, and what the code of the trial uses and gives to classes."""
    facts, code = Facts(), read(trial.code)
    facts.stated, facts.uses = code.stated, code.uses
    for package, version in pins.items():
        facts.set(f"packages.{package}", Version(version), "the trial")
    return derive(facts)


@each_trial
def test_a_rule_can_apply_to_the_releases_that_fail_and_to_no_other(pair: tuple[Rule, Trial]) -> None:
    rule, trial = pair
    assert [pins for pins in trial.fails if rule.when.truth(facts_of(pins, trial)) is False] == []
    assert [pins for pins in trial.works if rule.when.truth(facts_of(pins, trial)) is not False] == []


@each_trial
def test_the_recorded_outcomes_are_those_that_the_rule_claims(pair: tuple[Rule, Trial]) -> None:
    rule, trial = pair
    for pins, claimed in trial.runs():
        assert RECORDED[rule.id, trial.code, named(pins)].happened == claimed, named(pins)


def test_the_record_contains_nothing_else() -> None:
    stated = {(rule.id, trial.code, named(pins)) for rule, trial in TRIALS for pins, _ in trial.runs()}
    assert set(RECORDED) == stated
