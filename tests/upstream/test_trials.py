"""Trials of rules, run again with real releases: those that need no vLLM and few packages."""

from __future__ import annotations

import pytest

from tests.upstream.trials.running import run
from vcompat.rules.database import find_rule, load_rules
from vcompat.rules.trial import Pins, Trial

QUICK = ["setting-does-not-exist"]
CASES = [
    pytest.param(rule, trial, pins, claimed, id=f"{rule}-{'-'.join(pins.values())}")
    for rule in QUICK
    for trial in find_rule(load_rules(), rule).evidence.trials
    for pins, claimed in [*list(trial.runs())[:1], *list(trial.runs())[-1:]]
]


@pytest.mark.parametrize(("rule", "trial", "pins", "claimed"), CASES)
def test_the_code_does_what_the_rule_claims(rule: str, trial: Trial, pins: Pins, claimed: str) -> None:
    assert run(rule, trial, pins).happened == claimed


def test_another_failure_is_not_taken_for_the_claimed_one() -> None:
    trial = Trial("import no_such_module", "ImportError: cannot import name 'HybridCache'", ({},), (), "")
    happened = run("some-rule", trial, {}).happened
    assert happened == "ModuleNotFoundError: No module named 'no_such_module' (trial)"
