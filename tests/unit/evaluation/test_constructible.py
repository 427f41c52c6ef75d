"""Releases of TRL that refuse the configuration of a run rule out what they alone do."""

from __future__ import annotations

import pytest
from packaging.version import Version

from vcompat.evaluation.constructible import with_what_is_set
from vcompat.evaluation.evaluate import evaluate
from vcompat.facts.facts import Facts
from vcompat.facts.place import Place
from vcompat.facts.stated import KEYWORD, Setting, Stated
from vcompat.rules.database import load_rules

RELEASES = tuple(map(Version, ("0.15.0", "0.17.0", "0.18.0", "0.19.0")))


def run(*settings: str, releases: tuple[Version, ...] = RELEASES) -> Facts:
    known = Facts()
    known.forget("packages.trl", "in a range", Place("requirements.txt", 1, 1), releases)
    known.stated = (Stated(("trl.GRPOConfig",), tuple(Setting(name, True, None, KEYWORD) for name in settings), None),)
    known.set("plan.trainer", "GRPOTrainer", "test")
    known.set("plan.use_vllm", True, "test")
    return known


@pytest.mark.parametrize(
    ("settings", "expected"),
    [(("vllm_mode",), RELEASES[2:]), (("use_vllm",), RELEASES), (("no_such_setting",), RELEASES), ((), RELEASES)],
)
def test_the_releases_that_have_what_is_set_are_left(settings: tuple[str, ...], expected: tuple[Version, ...]) -> None:
    found = with_what_is_set(run(*settings))
    assert found.candidates("packages.trl") == expected
    assert found.open_at("packages.trl") == Place("requirements.txt", 1, 1)


def test_what_no_release_of_a_range_has_or_what_nothing_states_rules_nothing_out() -> None:
    known = run("vllm_mode", releases=RELEASES[:2])
    assert with_what_is_set(known) is known
    assert with_what_is_set(run("vllm_mode", releases=())).candidates("packages.trl") == ()


def test_a_failure_of_older_releases_is_no_possible_finding_of_a_run_that_they_refuse() -> None:
    rules = [rule for rule in load_rules() if rule.id in ("prefix-cache-keeps-old-weights", "colocate-fixed-port")]
    assert {found.rule.id for found in evaluate(rules, run())} >= {"prefix-cache-keeps-old-weights"}
    assert "prefix-cache-keeps-old-weights" not in {found.rule.id for found in evaluate(rules, run("vllm_mode"))}
