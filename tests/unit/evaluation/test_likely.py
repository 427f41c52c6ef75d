"""Rules over likely facts, candidates and ranges: what is certain, what is likely, and what is ruled out."""

from __future__ import annotations

from pathlib import Path

import pytest
from packaging.specifiers import SpecifierSet
from packaging.version import Version

from tests.unit.rules_for_tests import make_rule
from vcompat.evaluation.evaluate import evaluate, evaluate_certain, evaluate_runs
from vcompat.evaluation.finding import Finding
from vcompat.facts.derive import derive
from vcompat.facts.facts import Facts, Likely, Place
from vcompat.facts.presumption import CALL, CALLER, Presumption
from vcompat.facts.records.known_releases import allowed_releases, recorded_releases
from vcompat.facts.value import FactValue
from vcompat.rules.database import load_rules
from vcompat.rules.rule import Rule
from vcompat.sources.gather import Sources, collect

CALLED = Presumption(CALL, "init() does not change args", Place("train.py", 4, 1))
ADDED = Presumption(CALLER, "the caller adds no arguments")
PLACE = Place("train.py", 3, 8)


def facts(known: dict[str, FactValue], presumed: dict[str, FactValue], *unknown: str) -> Facts:
    made = Facts()
    for name in unknown:
        made.forget(name, "computed")
    for name, value in known.items():
        made.set(name, value, "test")
    for presumption, (name, value) in zip((CALLED, ADDED), presumed.items(), strict=False):
        made.set_likely(name, Likely(value, "train.py:3:8", PLACE, (presumption,), "it may change", PLACE))
    return made


def told(found: list[Finding]) -> list[tuple[str, str]]:
    return [(finding.rule.id, finding.certainty) for finding in found]


RULE = make_rule(when={"plan.peft": True, "plan.beta": ">0"})


@pytest.mark.parametrize(
    ("known", "presumed", "expected"),
    [
        ({"plan.peft": True, "plan.beta": 1}, {}, "certain"),
        ({"plan.peft": True}, {"plan.beta": 1}, "likely"),
        ({}, {"plan.peft": True, "plan.beta": 1}, "likely"),
        ({"plan.peft": True}, {}, "possible"),
        ({}, {"plan.peft": True}, "possible"),
        ({"plan.peft": True}, {"plan.beta": 0}, None),
        ({}, {"plan.peft": False}, None),
        ({"plan.peft": False}, {"plan.beta": 1}, None),
    ],
)
def test_a_finding_is_as_sure_as_the_facts_that_decide_it(
    known: dict[str, FactValue], presumed: dict[str, FactValue], expected: str | None
) -> None:
    found = evaluate([RULE], facts(known, presumed))
    assert [finding.certainty for finding in found] == ([expected] if expected else [])
    assert [one.certainty for one in evaluate_certain([RULE], facts(known, presumed))] == (
        ["certain"] if expected == "certain" else []
    )


def test_a_likely_finding_has_reasons_with_places_and_what_it_presumes() -> None:
    (finding,) = evaluate([RULE], facts({}, {"plan.peft": True, "plan.beta": 1}))
    assert finding.is_likely and not finding.is_certain
    assert finding.because == (
        ("plan.peft", "true", "train.py:3:8", PLACE),
        ("plan.beta", "1", "train.py:3:8", PLACE),
    )
    assert finding.needs == () and finding.place == PLACE
    assert finding.presumes == (CALLED, ADDED)


def test_a_finding_presumes_only_what_the_facts_presume_that_decide_it() -> None:
    rule = make_rule(when={"any": [{"plan.peft": True}, {"plan.bf16": True}]})
    (finding,) = evaluate([rule], facts({"plan.bf16": False}, {"plan.peft": True, "plan.beta": 1}))
    assert finding.presumes == (CALLED,)
    (certain,) = evaluate([make_rule(when={"plan.bf16": False})], facts({"plan.bf16": False}, {"plan.beta": 1}))
    assert certain.is_certain and certain.presumes == ()


def test_a_possible_finding_names_what_is_not_even_likely() -> None:
    (finding,) = evaluate([RULE], facts({}, {"plan.peft": True}, "plan.beta"))
    assert [need.fact for need in finding.needs] == ["plan.beta"]
    assert [reason.fact for reason in finding.because] == ["plan.peft"]
    assert finding.presumes == ()


def test_likely_findings_come_after_the_certain_and_before_the_possible_ones_by_urgency() -> None:
    rules = [
        make_rule(id="possible", effect="silent-corruption", when={"plan.bf16": True}),
        make_rule(id="likely-warning", severity="warning", when={"plan.peft": True}),
        make_rule(id="likely-error", when={"plan.peft": True}),
        make_rule(id="certain-note", severity="note", when={"plan.beta": 1}),
    ]
    found = evaluate(rules, facts({"plan.beta": 1}, {"plan.peft": True}))
    assert told(found) == [
        ("certain-note", "certain"),
        ("likely-error", "likely"),
        ("likely-warning", "likely"),
        ("possible", "possible"),
    ]


@pytest.mark.parametrize(
    ("presumed", "strict", "on_likely", "fails"),
    [
        ({"plan.peft": True}, False, False, False),
        ({"plan.peft": True}, False, True, True),
        ({"plan.peft": True}, True, False, True),
        ({}, False, True, False),
        ({}, True, False, True),
    ],
)
def test_a_likely_finding_fails_a_check_only_where_asked(
    presumed: dict[str, FactValue], strict: bool, on_likely: bool, fails: bool
) -> None:
    (finding,) = evaluate([make_rule(when={"plan.peft": True})], facts({}, presumed))
    assert finding.reaches("error", strict, on_likely) is fails
    assert not finding.reaches("never", strict, on_likely)


def test_a_rule_that_also_depends_on_a_circumstance_is_only_possible() -> None:
    rule = make_rule(when={"plan.peft": True}, only_if="the script sleeps twice")
    (finding,) = evaluate([rule], facts({}, {"plan.peft": True}))
    assert (finding.certainty, finding.presumes) == ("possible", ())


def test_rules_about_trls_trainer_are_left_out_where_a_trainer_of_the_project_is_likely() -> None:
    rules = [rule for rule in load_rules(thorough=False) if rule.component == "trl" and rule.is_about_trls_trainer]
    assert evaluate(rules, facts({}, {"plan.trainer": "GRPOTrainer"}))
    assert evaluate(rules, facts({}, {"plan.trainer": "OwnTrainer"})) == []


@pytest.mark.parametrize(
    ("code", "certainties"),
    [
        ("from trl import GRPOConfig, GRPOTrainer\nGRPOTrainer('m', args=GRPOConfig())\n", ["certain"]),
        ("from trl.trainer.grpo_trainer import RepeatSampler\n", ["certain"]),
        ("from trl import *\n", ["certain"]),
        ("from trl import GRPOConfig\nimport own\nown.run(GRPOConfig())\n", ["likely"]),
        ("from trl import SFTConfig, SFTTrainer\nSFTTrainer('m', args=SFTConfig())\n", []),
        ("from vllm import LLM\nllm = LLM('m')\n", []),
    ],
)
def test_what_fails_in_trls_trainers_fails_where_the_code_imports_one(
    tmp_path: Path, code: str, certainties: list[str]
) -> None:
    (tmp_path / "train.py").write_text(code)
    (rule,) = [rule for rule in load_rules(thorough=False) if rule.id == "guided-decoding-params-removed"]
    stated = {"packages.trl": "0.20.0", "packages.vllm": "0.12.0"}
    run = derive(collect(Sources([str(tmp_path / "train.py")], stated, probe=False)).facts)
    findings = evaluate([rule], run)
    assert [finding.certainty for finding in findings] == certainties
    assert [str(one) for finding in findings for one in finding.presumes] == [
        "code that is not followed imports TRL's trainer" for one in certainties if one == "likely"
    ]
    assert [finding.rule for finding in evaluate_certain([rule], run)] == [
        rule for one in certainties if one == "certain"
    ]


def test_of_several_runs_the_surest_finding_counts_with_its_runs() -> None:
    certain, likely = facts({"plan.peft": True}, {}), facts({}, {"plan.peft": True})
    rule = make_rule(when={"plan.peft": True})
    (finding,) = evaluate_runs([rule], [("a", likely), ("b", certain)])
    assert (finding.certainty, finding.runs) == ("certain", ("b",))
    (finding,) = evaluate_runs([rule], [("a", likely), ("b", likely)])
    assert (finding.certainty, finding.runs) == ("likely", ())


# Facts with several candidates


def undecided(fact: str, *candidates: FactValue) -> Facts:
    made = Facts()
    made.forget(fact, "train.py:3:8: depends on a condition", PLACE, candidates)
    return made


@pytest.mark.parametrize(
    ("when", "candidates", "expected"),
    [
        ({"plan.optim": ["adamw_torch", "adamw_8bit"]}, ("adamw_torch", "adamw_8bit"), "certain"),
        ({"plan.optim": "adamw_8bit"}, ("adamw_torch", "adamw_8bit"), "possible"),
        ({"plan.optim": "adafactor"}, ("adamw_torch", "adamw_8bit"), None),
        ({"plan.optim": "adafactor"}, (), "possible"),
        ({"not": {"plan.optim": "adafactor"}}, ("adamw_torch", "adamw_8bit"), "certain"),
        ({"plan.num_generations": "<=4"}, (2, 4), "certain"),
        ({"plan.num_generations": "<4"}, (2, 4), "possible"),
        ({"plan.peft": True}, (True, None), "possible"),
    ],
)
def test_what_holds_for_all_values_that_a_fact_can_have_is_certain(
    when: dict[str, object], candidates: tuple[FactValue, ...], expected: str | None
) -> None:
    fact = next(iter(when.get("not", when)))  # type: ignore[call-overload]
    found = evaluate([make_rule(when=when)], undecided(fact, *candidates))
    assert [finding.certainty for finding in found] == ([expected] if expected else [])


def test_a_certain_finding_shows_the_candidates_and_a_possible_one_needs_the_fact() -> None:
    made = undecided("plan.optim", "adamw_torch", "adamw_8bit")
    (certain,) = evaluate([make_rule(when={"plan.optim": ["adamw_torch", "adamw_8bit"]})], made)
    assert certain.needs == () and certain.presumes == ()
    assert certain.because == (
        ("plan.optim", "adamw_torch or adamw_8bit", "train.py:3:8: depends on a condition", PLACE),
    )
    (possible,) = evaluate([make_rule(when={"plan.optim": "adamw_8bit"})], made)
    assert possible.because == () and [need.fact for need in possible.needs] == ["plan.optim"]


@pytest.mark.parametrize(
    ("when", "expected"),
    [
        ({"plan.optim": ["adamw_torch", "adamw_8bit"]}, ["certain"]),
        ({"plan.optim": "adamw_torch"}, ["likely"]),
        ({"plan.optim": "adamw_8bit"}, []),
    ],
)
def test_a_likely_value_does_not_make_less_sure_what_holds_for_all_candidates(
    when: dict[str, object], expected: list[str]
) -> None:
    made = undecided("plan.optim", "adamw_torch", "adamw_8bit")
    made.set_likely("plan.optim", Likely("adamw_torch", "train.py:3:8", PLACE, (CALLED,)))
    assert [finding.certainty for finding in evaluate([make_rule(when=when)], made)] == expected


# Ranges of releases


def in_range(rule: Rule, allowed: str) -> list[str]:
    made = Facts()
    releases = allowed_releases("trl", SpecifierSet(allowed))
    made.forget("packages.trl", f"requirements.txt:1 allows {allowed}", Place("requirements.txt", 1), releases)
    return [finding.certainty for finding in evaluate([rule], made)]


@pytest.mark.parametrize(
    ("allowed", "expected"),
    [
        (">=0.18,<0.22", ["certain"]),
        (">=0.22,<0.24", []),
        (">=0.18,<0.24", ["possible"]),
        (">=0.17,<0.19", ["possible"]),
        (">=99", ["possible"]),
    ],
)
def test_a_rule_holds_for_a_range_if_it_holds_for_every_recorded_release_of_it(
    allowed: str, expected: list[str]
) -> None:
    assert in_range(make_rule(component="trl", when={"packages.trl": ">=0.18,<0.22"}), allowed) == expected


def test_the_releases_of_a_range_are_the_recorded_ones_and_none_without_a_limit() -> None:
    allowed = allowed_releases("trl", SpecifierSet(">=0.18,<0.20"))
    assert allowed and set(allowed) < set(recorded_releases("trl"))
    assert all(Version("0.18") <= one < Version("0.20") for one in allowed)
    assert list(allowed) == sorted(allowed)
    assert allowed_releases("trl", SpecifierSet("")) == ()
    assert recorded_releases("no-such-package") == ()
