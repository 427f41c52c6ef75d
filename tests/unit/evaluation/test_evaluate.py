from __future__ import annotations

import pytest
from packaging.version import Version

from tests.unit.facts_for_tests import facts as stated
from tests.unit.rules_for_tests import make_rule
from vcompat.evaluation.evaluate import evaluate, evaluate_certain, evaluate_runs, not_judged
from vcompat.evaluation.finding import Finding, by_urgency
from vcompat.facts.facts import Facts, Place


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
    known.forget("gpu", "NVML library not found")
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


def test_only_a_release_is_a_pre_release() -> None:
    known = facts("0.8.5.dev3")
    known.set("plan.trainer", "GRPOTrainer", "train.py")
    (finding,) = evaluate([make_rule(when={"packages.vllm": "<0.8.5", "plan.trainer": "GRPOTrainer"})], known)
    assert [need.fact for need in finding.needs] == ["packages.vllm"]


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


def run(**settings: object) -> Facts:
    """The facts of a run with an affected vLLM, and settings of its script on lines of their own."""
    result = facts()
    for line, (name, value) in enumerate(settings.items(), start=1):
        if value is None:
            result.forget(f"plan.{name}", "computed", Place("train.py", line, 1))
        else:
            result.set(f"plan.{name}", value, f"train.py:{line}", Place("train.py", line, 1))  # type: ignore[arg-type]
    return result


def place_of(finding: Finding) -> str:
    return str(finding.place)


def test_each_reason_and_each_need_is_named_once() -> None:
    rule = make_rule(when={"any": [{"plan.peft": True, "packages.vllm": "<1"}, {"plan.peft": True}], "gpu.count": 8})
    (finding,) = evaluate([rule], run(peft=True))
    assert [reason.fact for reason in finding.because] == ["plan.peft", "packages.vllm"]
    assert finding.because[0] == ("plan.peft", "true", "train.py:1", Place("train.py", 1, 1))
    assert finding.needs == (("gpu.count", "", None),)


def test_a_need_names_the_place_that_leaves_it_open() -> None:
    (finding,) = evaluate([make_rule(when={"plan.peft": True})], run(peft=None))
    assert finding.needs == (("plan.peft", "computed", Place("train.py", 1, 1)),)
    assert not finding.is_certain and not finding.reaches("note") and finding.reaches("note", strict=True)


def test_fixes_are_those_for_the_release_at_hand() -> None:
    patch = {"kind": "patch", "patch": "vllm_restore_sleep_buffers"}
    (finding,) = evaluate([make_rule(fixes=[{**patch, "releases": {"vllm": ">=0.8.5"}}])], facts("0.8.4"))
    assert finding.fixes == ()
    (finding,) = evaluate([make_rule(fixes=[{**patch, "releases": {"vllm": "<0.8.5"}}])], facts("0.8.4"))
    assert [fix.details["patch"] for fix in finding.fixes] == ["vllm_restore_sleep_buffers"]


def test_a_patch_that_only_warns_fixes_nothing() -> None:
    known = facts()
    known.set("plan.patched", ("vllm_restore_sleep_buffers",), "train.py:1")
    patch = {"kind": "patch", "patch": "vllm_restore_sleep_buffers"}
    (finding,) = evaluate([make_rule(fixes=[{**patch, "warns": True}])], known)
    assert finding.fixed_by == ""


def test_a_patch_that_the_script_does_not_apply_fixes_nothing() -> None:
    known = facts()
    known.set("plan.patched", ("another_patch",), "train.py:1")
    (finding,) = evaluate([make_rule(fixes=[{"kind": "patch", "patch": "vllm_restore_sleep_buffers"}])], known)
    assert finding.fixed_by == ""


def test_an_estimate_is_not_judged_while_a_fact_is_unknown() -> None:
    rule = make_rule(when={"packages.vllm": "<1", "plan.peft": True, "gpu.count": 8}, only_where_known=True)
    assert evaluate([rule], run()) == []
    assert not_judged([rule], run()) == {"a-rule": ["plan.peft", "gpu.count"]}
    assert not_judged([rule], run(peft=True)) == {"a-rule": ["gpu.count"]}
    assert not_judged([rule], run(peft=False)) == {}
    known = run(peft=True)
    known.set("gpu.count", 8, "test")
    assert not_judged([rule], known) == {}
    assert [finding.certainty for finding in evaluate([rule], known)] == ["certain"]
    assert not_judged([make_rule(when={"plan.peft": True})], run()) == {}


SLEEP = make_rule(id="sleep", when={"plan.vllm_sleep_level": 2})
ALWAYS = make_rule(id="always", severity="warning")


def test_one_run_is_evaluated_without_a_name() -> None:
    (finding,) = evaluate_runs([ALWAYS], [("first", run())])
    assert (finding.rule.id, finding.runs, finding.title) == ("always", (), "Something breaks")


def test_a_finding_names_the_runs_that_it_concerns() -> None:
    runs = [("a", run(vllm_sleep_level=2)), ("b", run(vllm_sleep_level=1)), ("c", run(vllm_sleep_level=2))]
    sleep, always = evaluate_runs([ALWAYS, SLEEP], runs)
    assert (sleep.rule.id, sleep.runs, sleep.title) == ("sleep", ("a", "c"), "Something breaks (a, c)")
    assert (always.rule.id, always.runs) == ("always", ())


def test_of_several_runs_the_most_urgent_finding_counts() -> None:
    runs = [("a", run(vllm_sleep_level=None)), ("b", run(vllm_sleep_level=2)), ("c", run(vllm_sleep_level=None))]
    (finding,) = evaluate_runs([SLEEP], runs)
    assert (finding.certainty, finding.runs) == ("certain", ("b",))
    assert evaluate_runs([SLEEP], [("a", run(vllm_sleep_level=1)), ("b", run(vllm_sleep_level=1))]) == []


def test_a_possible_finding_that_waits_for_a_setting_comes_after_one_that_waits_for_a_release() -> None:
    rules = [
        make_rule(id="a-variable", when={"packages.vllm": "<0.8.5", "env.CUDA_VISIBLE_DEVICES": {"matches": "GPU"}}),
        make_rule(id="b-setting", when={"packages.vllm": "<0.8.5", "plan.enable_sleep_mode": True}),
        make_rule(id="c-two-releases", when={"packages.vllm": "<0.8.5", "packages.trl": "<1", "packages.peft": "<1"}),
        make_rule(id="d-release", when={"packages.vllm": "<0.8.5", "packages.trl": "<1"}),
        make_rule(id="e-mode", when={"packages.vllm": "<0.8.5", "plan.use_vllm": True}),
    ]
    expected = ["d-release", "e-mode", "c-two-releases", "a-variable", "b-setting"]
    assert [finding.rule.id for finding in evaluate(rules, facts())] == expected


def test_a_fact_that_follows_from_a_release_makes_a_finding_no_likelier() -> None:
    known = facts()
    known.set("vllm.backend", "cuda", "follows from packages.vllm")
    derived = make_rule(id="a", when={"packages.vllm": "<0.8.5", "vllm.backend": "cuda", "packages.torch": "<1"})
    other = make_rule(id="b", when={"packages.vllm": "<0.8.5", "packages.trl": "<1"}, severity="error")
    worse = make_rule(id="c", when={"packages.vllm": "<0.8.5", "packages.trl": "<1"}, effect="silent-corruption")
    assert [finding.rule.id for finding in evaluate([derived, other, worse], known)] == ["c", "a", "b"]
    known.set("torch.cuda", Version("12.8"), "given")
    both = make_rule(id="d", severity="note", when={"vllm.backend": "cuda", "torch.cuda": "<13", "plan.peft": True})
    assert [finding.rule.id for finding in evaluate([derived, other, worse, both], known)] == ["d", "c", "a", "b"]


def test_of_possible_findings_the_one_with_the_most_known_facts_comes_first() -> None:
    none = make_rule(id="a-none", effect="crash", when={"plan.peft": True})
    one = make_rule(id="b-one", effect="crash", when={"plan.peft": True, "plan.use_vllm": True})
    also = make_rule(id="c-also", severity="note", when={"plan.peft": True, "plan.use_vllm": True, "plan.fp16": True})
    certain = make_rule(id="d-certain", severity="note", when={"plan.use_vllm": True})
    found = evaluate([none, also, one, certain], stated(plan__use_vllm="true"))
    assert [finding.rule.id for finding in found] == ["d-certain", "b-one", "c-also", "a-none"]


def test_a_rule_whose_failure_depends_on_more_than_facts_is_never_certain() -> None:
    rule = make_rule(when={"plan.use_vllm": True}, only_if="it rains")
    known = stated(plan__use_vllm="true")
    (finding,) = evaluate([rule], known)
    assert (finding.certainty, [need.text for need in finding.needs]) == ("possible", ["whether it rains"])
    assert evaluate_certain([rule], known) == []
    assert not evaluate([rule], stated(plan__use_vllm="false"))


def test_a_rule_can_require_some_facts_and_leave_others_open() -> None:
    when = {"plan.peft": True, "plan.use_vllm": True}
    rule = make_rule(when=when, only_where_known=["plan.peft"])
    (finding,) = evaluate([rule], stated(plan__peft="true"))
    assert [need.fact for need in finding.needs] == ["plan.use_vllm"]
    assert evaluate([rule], stated(plan__use_vllm="true")) == []
    assert not_judged([rule], stated(plan__use_vllm="true")) == {"a-rule": ["plan.peft"]}
    assert not_judged([rule], stated(plan__peft="true")) == {}


def test_urgency_is_fixed_then_certainty_then_severity_then_effect_then_id() -> None:
    (finding,) = evaluate([make_rule(severity="warning", effect="hang")], facts())
    assert by_urgency(finding) == (False, 0, 1, 2, "a-rule")
    assert by_urgency(finding._replace(fixed_by="a_patch", certainty="possible")) == (True, 2, 1, 2, "a-rule")


@pytest.mark.parametrize(
    ("when", "fixes", "place"),
    [
        ({"plan.peft": True, "plan.use_vllm": True}, [], "train.py:2:1"),
        ({"plan.peft": True, "packages.vllm": "<1"}, [], "train.py:1:1"),
        ({"plan.peft": True, "plan.use_vllm": True}, [{"kind": "config", "setting": "peft", "value": False}], "train.py:1:1"),
        ({"plan.use_vllm": True, "plan.bf16": True}, [], "train.py:2:1"),
        ({"plan.bf16": True}, [], "train.py:3:1"),
        ({"packages.vllm": "<1"}, [], "None"),
        ({"env.VLLM_USE_V1": "1", "plan.peft": True}, [{"kind": "env", "variable": "VLLM_USE_V1", "value": "0"}], "launch.sh:4"),
        ({"env.VLLM_USE_V1": "1", "plan.bf16": True}, [], "train.py:3:1"),
        ({"env.VLLM_USE_V1": "1"}, [], "launch.sh:4"),
        ({"env.NCCL_DEBUG": "INFO"}, [], "launch.sh"),
        ({"env.NCCL_DEBUG": "INFO", "env.VLLM_USE_V1": "1"}, [], "launch.sh:4"),
        (
            {"plan.tensor_parallel_size": 2, "plan.use_vllm": True},
            [{"kind": "config", "setting": "vllm_tensor_parallel_size", "value": 1}],
            "train.py:4:1",
        ),
    ],
)  # fmt: skip
def test_a_finding_is_at_the_setting_that_a_fix_changes_else_at_the_last_setting_of_its_rule(
    when: dict[str, object], fixes: list[dict[str, object]], place: str
) -> None:
    known = run(peft=True, use_vllm=True, bf16=None, tensor_parallel_size=2)
    known.set("env.VLLM_USE_V1", "1", "launch.sh:4", Place("launch.sh", 4))
    known.set("env.NCCL_DEBUG", "INFO", "launch.sh", Place("launch.sh"))
    advice = [{"kind": "advice", "advice": "wait"}]
    (finding,) = evaluate([make_rule(when=when, fixes=fixes or advice)], known)
    assert place_of(finding) == place


@pytest.mark.parametrize("framework", ["unsloth", None])
@pytest.mark.parametrize(
    "changes",
    [
        {"component": "trl", "when": {"packages.vllm": "<0.8.5"}},
        {"when": {"packages.vllm": "<0.8.5", "any": [{"packages.trl": ">=0.1"}, {"plan.peft": True}]}},
    ],
)
def test_a_rule_about_trl_is_not_judged_where_another_frameworks_trainer_runs_or_may_run(
    changes: dict[str, object], framework: str | None
) -> None:
    known = stated(packages__vllm="0.8.4", packages__trl="0.20.0")
    rule, about_vllm = make_rule(**changes), make_rule(id="about-vllm")
    assert [f.rule.id for f in evaluate([rule, about_vllm], known)] == ["a-rule", "about-vllm"]
    known.update(stated(plan__framework=framework))
    assert [f.rule.id for f in evaluate([rule, about_vllm], known)] == ["about-vllm"]
    assert [f.rule.id for f in evaluate_certain([rule, about_vllm], known)] == ["about-vllm"]
    known.update(stated(plan__framework="trl"))
    assert len(evaluate([rule, about_vllm], known)) == 2


def test_what_rests_on_a_release_that_is_newer_than_the_records_is_likely() -> None:
    rule = make_rule(when={"packages.vllm": ">=0.8.0"})
    (known,) = evaluate([rule], facts("0.33.0"))
    (newer,) = evaluate([rule], facts("99.1"))
    assert known.is_certain
    assert newer.is_likely
    assert [one.text for one in newer.presumes] == ["vllm 99.1 is as 0.33.0, the last recorded release"]
