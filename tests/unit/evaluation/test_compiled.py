"""What was compiled here, together with the findings of rules about the same kernels."""

from __future__ import annotations

import pytest

from tests.unit.rules_for_tests import make_rule
from vcompat.evaluation.compiled import COMPILES, FAILS, OPEN, RULE, Attempted, Compiled, combined
from vcompat.evaluation.finding import CERTAIN, POSSIBLE, Finding, Need, Reason
from vcompat.rules.database import load_rules
from vcompat.rules.rule import Rule

RULES = load_rules()
CLAIM = {"call": "prefix-prefill", "states": ["mma -> mma"], "given": {}}
NEED = Need("vllm.dtype", "")
FAILURE = Attempted(
    "prefix-prefill",
    "7.0",
    "float16",
    "heads of 64",
    FAILS,
    "the compiler aborts: mma -> mma is only supported on Ampere / more",
    "aborts: mma -> mma is only supported on Ampere / more",
    ("",),
    (Reason("vllm.engine", "v0", "its release"),),
)
COMPILED = FAILURE._replace(outcome=COMPILES, message="", recorded="")


def claiming(**changes: object) -> Rule:
    return make_rule(evidence={"kernels": [CLAIM]}, **changes)


def finding(certainty: str = CERTAIN, fixed_by: str = "", rule: Rule | None = None) -> Finding:
    rule = rule or claiming()
    return Finding(rule, certainty, (), () if certainty == CERTAIN else (NEED,), fixed_by, rule.fixes)


def together(*attempts: Attempted, findings: tuple[Finding, ...] = (), runs: tuple[str, ...] = ("",)) -> list[Finding]:
    return combined(findings, Compiled("0.7.3", "3.1.0", ("7.0",), attempts), RULES, runs)


def test_a_failure_that_no_rule_is_about_is_a_finding_of_its_own() -> None:
    (found,) = together(FAILURE)
    assert (found.name, found.certainty, found.because) == (f"{RULE}: prefix-prefill", CERTAIN, FAILURE.because)
    assert found.title == (
        "vLLM's kernel prefix-prefill fails for compute capability 7.0: the compiler aborts: "
        "mma -> mma is only supported on Ampere"
    )
    assert found.summary.startswith("Compiled in float16, heads of 64, with vLLM 0.7.3, Triton 3.1.0.")
    assert found.reaches("error")


def test_a_failure_of_what_is_not_reached_for_certain_is_possible() -> None:
    (found,) = together(FAILURE._replace(needs=(NEED,)))
    assert (found.certainty, found.needs) == (POSSIBLE, (NEED,))


def test_the_same_failure_with_several_sizes_and_gpus_is_one_finding() -> None:
    (found,) = together(FAILURE, FAILURE._replace(size="heads of 128"), FAILURE._replace(capability="7.5"))
    assert "for compute capability 7.0, 7.5:" in found.title
    assert "heads of 64, heads of 128," in found.summary


def test_failures_of_two_kernels_or_with_two_messages_are_two_findings() -> None:
    assert len(together(FAILURE, FAILURE._replace(call="experts"))) == 2
    assert len(together(FAILURE, FAILURE._replace(message="other"))) == 2


def test_a_rule_that_is_certain_of_the_failure_keeps_its_finding_with_one_more_reason() -> None:
    (found,) = together(FAILURE, findings=(finding(),))
    assert (found.rule.id, found.certainty) == ("a-rule", CERTAIN)
    assert [str(reason.fact) for reason in found.because] == ["prefix-prefill for 7.0"]
    assert found.because[0].source == "compiled with vLLM 0.7.3, Triton 3.1.0"


def test_a_possible_finding_of_a_rule_gives_way_to_the_certain_failure_with_its_fixes() -> None:
    (found,) = together(FAILURE, findings=(finding(POSSIBLE),))
    assert (found.rule.id, found.certainty, found.fixes) == (RULE, CERTAIN, claiming().fixes)


def test_a_possible_failure_is_no_second_finding_beside_that_of_a_rule() -> None:
    (found,) = together(FAILURE._replace(needs=(NEED,)), findings=(finding(POSSIBLE),))
    assert (found.rule.id, found.certainty) == ("a-rule", POSSIBLE)


@pytest.mark.parametrize("certainty", [CERTAIN, POSSIBLE])
def test_a_failure_that_a_patch_fixes_stays_fixed(certainty: str) -> None:
    (found,) = together(FAILURE, findings=(finding(certainty, fixed_by="a_patch"),))
    assert (found.rule.id, found.fixed_by) == ("a-rule", "a_patch")


def test_a_rule_about_another_message_or_another_kernel_is_another_finding() -> None:
    other = make_rule(evidence={"kernels": [{**CLAIM, "states": ["shared-memory"]}]})
    assert len(together(FAILURE, findings=(finding(rule=other),))) == 2
    elsewhere = make_rule(evidence={"kernels": [{**CLAIM, "call": "experts"}]})
    assert len(together(FAILURE, findings=(finding(rule=elsewhere),))) == 2


def test_a_rule_is_not_certain_of_a_failure_of_what_compiles_here() -> None:
    (found,) = together(COMPILED, findings=(finding(),))
    assert found.certainty == POSSIBLE
    assert found.needs == (Need("", "prefix-prefill compiles for 7.0 with vLLM 0.7.3, Triton 3.1.0 (heads of 64)"),)


@pytest.mark.parametrize(
    "attempts",
    [(), (COMPILED._replace(call="experts"),), (COMPILED, COMPILED._replace(size="heads of 128", outcome=OPEN))],
)
def test_a_rule_stays_certain_if_not_all_of_its_kernel_was_compiled(attempts: tuple[Attempted, ...]) -> None:
    before = finding()
    assert together(*attempts, findings=(before,)) == [before]


def test_a_rule_stays_certain_if_other_gpus_or_other_runs_may_have_the_failure() -> None:
    before = finding()
    compiled = Compiled("0.7.3", "3.1.0", ("7.0",), (COMPILED,), left_out=("6.1",))
    assert combined([before], compiled, RULES, ("",)) == [before]
    assert together(COMPILED, findings=(before,), runs=("", "another")) == [before]


def test_a_rule_about_other_sizes_or_gpus_stays_certain_and_is_not_confirmed() -> None:
    for limit in ({"heads": [256]}, {"capabilities": ["7.5"]}):
        before = finding(rule=make_rule(evidence={"kernels": [{**CLAIM, **limit}]}))
        assert together(COMPILED, findings=(before,)) == [before]
        assert before in together(FAILURE, findings=(before,))
    near = finding(rule=make_rule(evidence={"kernels": [{**CLAIM, "heads": [64], "capabilities": ["7.0"]}]}))
    assert [one.certainty for one in together(COMPILED, findings=(near,))] == [POSSIBLE]


def test_a_finding_tells_which_of_several_runs_it_concerns() -> None:
    (found,) = together(FAILURE._replace(runs=("run.sh:1",)), runs=("run.sh:1", "run.sh:2"))
    assert found.runs == ("run.sh:1",)
    (found,) = together(FAILURE._replace(runs=("run.sh:1", "run.sh:2")), runs=("run.sh:1", "run.sh:2"))
    assert found.runs == ()


def test_what_compiles_or_was_not_compiled_is_no_finding() -> None:
    assert together(COMPILED, FAILURE._replace(outcome=OPEN)) == []
