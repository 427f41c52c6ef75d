from __future__ import annotations

from packaging.version import Version

from tests.unit.rules_for_tests import make_rule
from vcompat.evaluation.evaluate import evaluate
from vcompat.facts.facts import Facts


def facts(vllm: str = "0.8.4") -> Facts:
    result = Facts()
    result.set("packages.vllm", Version(vllm), "installed as vllm")
    return result


def test_a_rule_that_applies_is_certain_and_names_the_facts_that_decided() -> None:
    (finding,) = evaluate([make_rule()], facts())
    assert finding.certainty == "certain"
    assert finding.because == (("packages.vllm", "0.8.4", "installed as vllm", None),)
    assert finding.needs == ()


def test_a_rule_that_an_unknown_fact_would_decide_is_possible_and_names_the_fact_with_the_reason() -> None:
    known = facts()
    known.reasons["gpu"] = "NVML library not found"
    rule = make_rule(when={"packages.vllm": "<0.8.5", "gpu.compute_capability": "<8.0"})
    (finding,) = evaluate([rule], known)
    assert finding.certainty == "possible"
    assert finding.needs == (("gpu.compute_capability", "NVML library not found", None),)
    assert [reason.fact for reason in finding.because] == ["packages.vllm"]


def test_a_rule_that_does_not_apply_makes_no_finding() -> None:
    assert evaluate([make_rule()], facts("0.9.0")) == []


def test_a_pre_release_at_the_edge_of_the_range_makes_a_possible_finding_with_that_reason() -> None:
    (finding,) = evaluate([make_rule()], facts("0.8.5.dev3"))
    assert finding.certainty == "possible"
    assert "pre-release at the edge" in finding.needs[0].reason


def test_certain_findings_come_before_possible_ones_and_corruption_before_a_crash() -> None:
    unknown = {"packages.vllm": "<0.8.5", "plan.peft": True}
    rules = [
        make_rule(id="possible", when=unknown, effect="silent-corruption"),
        make_rule(id="warning", severity="warning", effect="silent-corruption"),
        make_rule(id="crash"),
        make_rule(id="corruption", effect="silent-corruption"),
    ]
    assert [finding.rule.id for finding in evaluate(rules, facts())] == [
        "corruption",
        "crash",
        "warning",
        "possible",
    ]


def test_a_finding_that_the_script_s_patches_fix_is_reported_but_does_not_fail_the_check() -> None:
    rule = make_rule(fixes=[{"kind": "patch", "patch": "vllm_restore_sleep_buffers"}])
    known = facts()
    (unfixed,) = evaluate([rule], known)
    assert unfixed.reaches("error")
    known.set("plan.patched", ("vllm_restore_sleep_buffers",), "train.py:1")
    (fixed,) = evaluate([rule], known)
    assert fixed.fixed_by == "vllm_restore_sleep_buffers"
    assert not fixed.reaches("note")


def test_a_threshold_counts_its_own_severity_and_those_above() -> None:
    (warning,) = evaluate([make_rule(severity="warning")], facts())
    assert [warning.reaches(t) for t in ("error", "warning", "note", "never")] == [False, True, True, False]
