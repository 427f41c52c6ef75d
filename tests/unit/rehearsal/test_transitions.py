from __future__ import annotations

import pytest

from tests.unit.rehearsal.told import WELL, Process
from vcompat.rehearsal.judge import judge
from vcompat.rehearsal.protocol import Told
from vcompat.rehearsal.verdict import Check

STALE = 0.9


def checks(*told: Told) -> dict[str, Check]:
    return {check.name: check for check in judge(told, WELL)}


def asleep() -> Process:
    return Process(vllm_enable_sleep_mode=True)


def test_sleep_passes_with_its_level_when_vllm_then_has_the_trainers_weights() -> None:
    check = checks(asleep().sleep().generate(0).sleep().generate(1).end().told())["sleep mode"]
    assert check.status == "passed"
    assert check.text == "level 2, 2 times; afterward, vLLM has the trainer's weights; its 2 buffers are as before"


def test_frozen_parameters_that_are_as_at_the_start_are_counted() -> None:
    told = asleep().sleep().generate(0, frozen=17, same=16).end().told()
    assert "16 of 17 frozen parameters are as at the start" in checks(told)["sleep mode"].text


@pytest.mark.parametrize(
    ("kept", "counts", "details"),
    [
        ({"lost_buffers": ["rotary.cos_sin_cache"]}, "1 buffer", ("rotary.cos_sin_cache",)),
        ({"lost_parameters": [f"h.1.{n}" for n in range(4)]}, "4 parameters", ("h.1: 4 parameters",)),
    ],
)
def test_what_sleep_loses_is_named(kept: dict[str, list[str]], counts: str, details: tuple[str, ...]) -> None:
    check = checks(asleep().sleep(**kept).generate(0, share=STALE).end().told())["sleep mode"]
    assert (check.status, check.details) == ("failed", details)
    assert check.text == f"level 2, once; it loses of vLLM's model: {counts}"


def test_sleep_is_not_judged_if_the_weights_are_wrong_for_another_reason() -> None:
    check = checks(asleep().sleep().generate(0, share=STALE).end().told())["sleep mode"]
    assert (check.status, "weights are wrong" in check.text) == ("not exercised", True)


def test_sleep_passes_without_probabilities_if_what_was_compared_is_kept() -> None:
    check = checks(asleep().sleep().phase("rollout", step=0).end().told())["sleep mode"]
    assert (check.status, "weights were not compared" in check.text) == ("passed", True)


def test_sleep_of_which_nothing_could_be_compared_is_not_judged() -> None:
    told = asleep().phase("sleep", level=2).phase("wake up").end().told()
    assert checks(told)["sleep mode"].status == "not exercised"


def test_a_second_generation_with_old_weights_fails_and_the_weights_name_it() -> None:
    process = Process().generate(0).generate(0, share=STALE, mode="eval").generate(1).generate(1, share=STALE)
    found = checks(process.phase("evaluation").end().told())
    assert found["weights"].details == (
        "each that is not the first of its step, and no other",
        "1 of 3 in training, 1 of 1 in evaluation",
    )
    assert found["second generation"].status == found["evaluation"].status == "failed"
    assert "2 of 2 generations" in found["second generation"].text


def test_a_second_generation_and_an_evaluation_with_the_trainers_weights_pass() -> None:
    found = checks(Process().generate(0).generate(0, mode="eval").phase("evaluation").end().told())
    assert found["second generation"].text == "once, with the trainer's weights"
    assert found["evaluation"].text.endswith("with the trainer's weights")
    assert found["weights"].details == ()


def test_a_second_generation_that_is_not_compared_is_not_judged() -> None:
    told = Process().phase("rollout", step=0).phase("rollout", step=0).end().told()
    check = checks(told)["second generation"]
    assert (check.status, check.text) == ("not exercised", "once, but its weights were not compared")


@pytest.mark.parametrize(
    ("shares", "expected"),
    [
        ((0, STALE, STALE), "each but the first of the run"),
        ((STALE, 0, 0), ""),
    ],
)
def test_generations_that_fail_are_described_by_what_they_share(shares: tuple[float, ...], expected: str) -> None:
    process = Process()
    for step, share in enumerate(shares):
        process.generate(step, share=share)
    details = checks(process.end().told())["weights"].details
    assert details == ((expected,) if expected else ()) + (f"{sum(map(bool, shares))} of 3 in training",)


def test_one_rank_whose_weights_are_old_is_named() -> None:
    ranks = [Process(rank, 2).generate(0, share=share).generate(1, share=share) for rank, share in ((0, 0), (1, STALE))]
    details = checks(*(one.end().told() for one in ranks))["weights"].details
    assert details[0] == "each of rank 1, and no other"


def again(changed: list[str]) -> Process:
    """Two generations in a step, of a release that does not keep the probabilities."""
    process = Process().phase("rollout", step=0).phase("rollout", step=0)
    return process.add("again", step=0, compared=21, changed=changed, count=len(changed)).end()


def test_a_second_generation_with_other_parameters_than_the_first_fails_also_without_probabilities() -> None:
    check = checks(again(["embed.weight"]).told())["second generation"]
    assert (check.status, check.details) == ("failed", ("embed.weight",))
    assert check.text == "once, but 1 of 21 parameters are not those of the first generation of the step"


def test_a_second_generation_with_the_parameters_of_the_first_passes_also_without_probabilities() -> None:
    check = checks(again([]).told())["second generation"]
    assert (check.status, check.text) == ("passed", "once, with the parameters of the first")


def test_a_second_generation_with_other_probabilities_fails_although_its_parameters_are_those_of_the_first() -> None:
    process = Process().generate(0, share=STALE).generate(0, share=STALE)
    told = process.add("again", step=0, compared=21, changed=[], count=0).end().told()
    assert checks(told)["second generation"].status == "failed"
