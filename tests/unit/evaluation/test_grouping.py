"""Possible findings grouped by the input that would decide them."""

from __future__ import annotations

import re

import pytest

from tests.unit.facts_for_tests import facts, generated
from tests.unit.rules_for_tests import make_rule
from vcompat.evaluation.evaluate import evaluate
from vcompat.evaluation.finding import POSSIBLE, Finding, Need
from vcompat.evaluation.grouping import Question, grouped, question_of
from vcompat.facts.facts import Facts, Place
from vcompat.rules.database import load_rules

RULES = load_rules(thorough=False)


def possible(known: Facts) -> list[Finding]:
    return [finding for finding in evaluate(RULES, known) if finding.certainty == POSSIBLE]


@pytest.mark.parametrize("files", [(), ("train.py",)])
@pytest.mark.parametrize("known", [0.05, 0.3, 0.7, 0.9])
def test_every_possible_finding_is_in_exactly_one_group(known: float, files: tuple[str, ...]) -> None:
    seen = 0
    for number in range(40):
        run = generated(f"{number} {known}", known=known)
        findings = possible(run)
        groups = grouped(findings, run, files)
        ids = [finding.rule.id for group in groups for finding in group.findings]
        assert sorted(ids) == sorted(finding.rule.id for finding in findings)
        assert all(group.findings for group in groups)
        assert len({group.question for group in groups}) == len(groups)
        seen += len(ids)
    assert seen > 100


@pytest.mark.parametrize("files", [(), ("train.py",)])
def test_the_first_group_has_the_most_findings(files: tuple[str, ...]) -> None:
    for number in range(40):
        run = generated(str(number), known=0.5)
        findings = possible(run)
        sizes = [len(group.findings) for group in grouped(findings, run, files)]
        assert sizes == sorted(sizes, reverse=True)
        waiting = [{question_of(need, run, bool(files)) for need in finding.needs} for finding in findings]
        questions = set().union(*waiting)
        assert sizes[:1] == [max(sum(one in each for each in waiting) for one in questions)] if questions else True


def test_a_finding_is_in_the_group_of_a_question_that_it_waits_for() -> None:
    run = generated("waits", known=0.4)
    for group in grouped(possible(run), run, ("train.py",)):
        for finding in group.findings:
            assert group.question in [question_of(need, run, True) for need in finding.needs]


def test_findings_keep_their_order_in_a_group() -> None:
    run = Facts()
    findings = possible(run)
    order = [finding.rule.id for finding in findings]
    for group in grouped(findings, run):
        places = [order.index(finding.rule.id) for finding in group.findings]
        assert places == sorted(places)


def test_a_finding_that_waits_for_two_inputs_is_with_the_one_that_decides_more() -> None:
    rules = [
        make_rule(id="both", when={"packages.vllm": "<1", "packages.trl": "<1"}),
        make_rule(id="trl-1", when={"packages.trl": "<1"}),
        make_rule(id="trl-2", when={"packages.trl": "<2"}),
        make_rule(id="vllm", when={"packages.vllm": "<1"}),
    ]
    groups = grouped(evaluate(rules, Facts()), Facts())
    assert [(group.question.subject, [finding.rule.id for finding in group.findings]) for group in groups] == [
        ("the TRL version", ["trl-1", "trl-2", "both"]),
        ("the vLLM version", ["vllm"]),
    ]


def test_a_pre_release_at_the_edge_of_a_range_is_a_question_too() -> None:
    run = facts(packages__vllm="0.8.5rc1")
    (finding,) = evaluate([make_rule()], run)
    (group,) = grouped([finding], run)
    assert group.question.subject == "the vLLM version"


def test_no_findings_are_no_groups() -> None:
    assert grouped([], Facts()) == []


PLACE = Place("some/train.py", 3, 5)


@pytest.mark.parametrize(
    ("need", "known", "has_files", "expected"),
    [
        (Need("packages.trl", ""), {}, False, Question("the TRL version", "--set packages.trl=...", "--env")),
        (
            Need("packages.torch", ""),
            {},
            True,
            Question("the torch version", "--set packages.torch=...", "--newest"),
        ),
        # --newest chooses nothing beside a release that is known.
        (
            Need("packages.torch", ""),
            {"packages__trl": "0.19.0"},
            True,
            Question("the torch version", "--set packages.torch=...", "--env"),
        ),
        (Need("packages.nccl", ""), {}, True, Question("the NCCL version", "--set packages.nccl=...", "--env")),
        (Need("torch.cuda", ""), {}, True, Question("the torch build", "--set torch.cuda=...", "--env")),
        (Need("vllm.backend", ""), {}, True, Question("the vLLM build", "--set vllm.backend=...", "--env")),
        (Need("gpu.memory_mib", ""), {}, True, Question("the GPUs", "--target, such as --target 8xH100")),
        (Need("torch.has_kernels", ""), {}, True, Question("the GPUs", "--target, such as --target 8xH100")),
        (Need("vllm.has_kernels", ""), {}, True, Question("the GPUs", "--target, such as --target 8xH100")),
        (Need("torch.runs_on_driver", ""), {}, True, Question("the GPUs", "--target, such as --target 8xH100")),
        (
            Need("torch.has_kernels", ""),
            {"gpu__compute_capability": "9.0"},
            True,
            Question("the torch build", "--set torch.has_kernels=...", "--env"),
        ),
        (
            Need("gpu.memory_mib", ""),
            {"gpu__count": "8"},
            True,
            Question("gpu.memory_mib", "--set gpu.memory_mib=..."),
        ),
        (
            Need("env.VLLM_USE_V1", ""),
            {},
            False,
            Question("VLLM_USE_V1", "--set env.VLLM_USE_V1=...", "the launch script"),
        ),
        (Need("plan.vllm_mode", ""), {}, False, Question("the settings of the run", "the training or launch script")),
        (Need("plan.world_size", ""), {}, True, Question("how the run is launched", "the launch script")),
        (
            Need("plan.world_size", "", PLACE),
            {},
            True,
            Question("plan.world_size (train.py:3:5)", "--set plan.world_size=..."),
        ),
        (
            Need("plan.vllm_mode", "", PLACE),
            {},
            True,
            Question("plan.vllm_mode (train.py:3:5)", "--set plan.vllm_mode=..."),
        ),
        (Need("plan.vllm_mode", ""), {}, True, Question("plan.vllm_mode", "--set plan.vllm_mode=...")),
    ],
)
def test_the_question_behind_an_unknown_fact(
    need: Need, known: dict[str, str], has_files: bool, expected: Question
) -> None:
    question = question_of(need, facts(**known), has_files)
    assert question[:3] == expected[:3]
    # The example adds one thing to a command line, with a placeholder for what only the user knows.
    assert re.fullmatch(r"--newest|(--(env|target|set [a-z_.]+=)? ?)?<[A-Za-z ]+>", question.example), question.example


def test_the_advice_names_every_way_to_state_the_input() -> None:
    assert Question("x", "--set a=...", "--env").advice == "pass --env or --set a=..."
    assert Question("x", "--set a=...").advice == "pass --set a=..."


def test_every_option_of_an_answer_is_one_of_check() -> None:
    from vcompat.cli.check import command

    options = {text for param in command.params for text in param.opts}
    run = Facts()
    for finding in possible(run):
        for need in finding.needs:
            question = question_of(need, run, True)
            words = f"{question.answer} {question.also}".split()
            assert {word.rstrip(",") for word in words if word.startswith("--")} <= options
