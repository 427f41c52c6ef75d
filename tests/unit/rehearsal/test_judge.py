from __future__ import annotations

import pytest

from tests.unit.rehearsal.told import WELL, Process, healthy
from vcompat.rehearsal.command import Ended
from vcompat.rehearsal.judge import judge
from vcompat.rehearsal.protocol import Told
from vcompat.rehearsal.rehearsal_outcome import outcome_of
from vcompat.rehearsal.verdict import Check

CRASHED = Ended(1, 30.0, False, ())
STUCK = Ended(-15, 300.0, True, ())


def checks(told: list[Told], ended: Ended = WELL) -> dict[str, Check]:
    return {check.name: check for check in judge(told, ended)}


def status(told: list[Told], ended: Ended = WELL) -> str:
    return outcome_of("python", told, ended).status


def test_a_healthy_run_passes_and_states_what_was_not_exercised() -> None:
    found = checks([healthy()])
    assert {name for name, check in found.items() if check.status == "passed"} == {
        "weights", "parameters", "last step", "clean exit",
    }  # fmt: skip
    assert {check.status for check in found.values()} == {"passed", "not exercised"}
    assert status([healthy()]) == "passed"


@pytest.mark.parametrize(
    ("dtype", "share", "expected"),
    [
        ("float32", 0.005, "passed"),
        ("float32", 0.05, "failed"),
        ("bfloat16", 0.05, "passed"),
        ("bfloat16", 0.2, "failed"),
    ],
)
def test_the_limit_depends_on_the_types(dtype: str, share: float, expected: str) -> None:
    told = with_output(Process().generate(share=share).end(), dtype=dtype)
    assert checks([told])["weights"].status == expected


def test_a_probability_that_is_no_number_is_a_failure_also_if_all_others_agree() -> None:
    check = checks([Process().generate(not_finite=2).end().told()])["weights"]
    assert (check.status, "2 of the tokens" in check.text) == ("failed", True)


def test_weights_that_something_else_changed_are_not_judged_and_the_reason_is_stated() -> None:
    told = Process().generate().end().told()
    events = [
        one._replace(values={**one.values, "exact": False}) if one.kind == "canary" else one for one in told.events
    ]
    check = checks([told._replace(events=tuple(events))])["weights"]
    assert (check.status, "changed the trained weights" in check.text) == ("not exercised", True)


def with_output(process: Process, **values: str) -> Told:
    """The same where vLLM has another type, or is quantized."""
    events = (
        event._replace(values={**event.values, **values}) if event.kind == "output" else event
        for event in process.events
    )
    return process.told()._replace(events=tuple(events))


@pytest.mark.parametrize(
    ("dtype", "noise", "expected"),
    [("bfloat16", 0.5, "not exercised"), ("bfloat16", 0.03, "failed"), ("float32", 0.5, "failed")],
)
def test_rounding_that_hides_the_move_is_no_failure_of_types_with_few_bits(
    dtype: str, noise: float, expected: str
) -> None:
    told = with_output(Process().generate(share=0.9, noise=noise).end(), dtype=dtype)
    assert checks([told])["weights"].status == expected


@pytest.mark.parametrize("quantized", [{"quantization": "bitsandbytes"}, {"cache": "fp8_e4m3"}])
@pytest.mark.parametrize(("slope", "expected"), [(1.3, "not exercised"), (0.0, "failed")])
def test_a_quantized_engine_fails_only_if_its_probabilities_do_not_follow_the_move(
    quantized: dict[str, str], slope: float, expected: str
) -> None:
    """The share is 0.9, which has a standard error of 0.11: a slope of 1.3 may be noise, 0 is not."""
    told = with_output(Process().generate(share=0.9, slope=slope).end(), dtype="bfloat16", **quantized)
    assert checks([told])["weights"].status == expected


def test_one_bad_generation_of_one_rank_fails_the_weights() -> None:
    bad = Process(1, 2).generate(0).generate(1, share=1.0).end().told()
    found = checks([healthy(0, 2), bad])["weights"]
    assert found.status == "failed" and "in 1 of 4 generations" in found.text


def test_parameters_of_one_layer_are_one_entry_and_few_are_named() -> None:
    names = [f"model.layers.1.part{number}.weight" for number in range(9)] + ["lm_head.weight"]
    process = Process().generate(stale=names, count=len(names)).end().told()
    found = checks([process])["parameters"]
    assert (found.status, found.details) == ("failed", ("model.layers.1: 9 parameters", "lm_head.weight"))
    assert found.text == "10 of 21 compared parameters do not arrive in vLLM"


def test_a_parameter_that_does_not_arrive_fails_although_the_probabilities_agree() -> None:
    name = "model.layers.1.input_layernorm.weight"
    told = [Process().generate(stale=[name], count=1).end().told()]
    found = checks(told)
    assert (found["weights"].status, found["parameters"].details, status(told)) == ("passed", (name,), "failed")


def test_weights_that_cannot_be_moved_are_not_exercised_and_no_success() -> None:
    process = Process().end()
    process.events = [
        event._replace(values={**event.values, "cannot_move": "FSDP shards"}) if event.kind == "trainer" else event
        for event in process.events
    ]
    assert checks([process.told()])["weights"] == Check("weights", "not exercised", "FSDP shards")
    assert status([process.told()]) == "not exercised"


def test_ranks_of_a_tensor_parallel_group_must_sample_the_same_tokens() -> None:
    def group(second: str) -> list[Told]:
        two = {"vllm_tensor_parallel_size": 2}
        return [
            Process(0, 2, **two).generate(tokens="a").end().told(),
            Process(1, 2, **two).generate(tokens=second).end().told(),
        ]

    assert checks(group("a"))["same tokens"].status == "passed"
    found = checks(group("b"))["same tokens"]
    assert found.status == "failed" and "ranks 0 and 1" in found.text


def test_groups_need_different_seeds() -> None:
    assert checks([healthy(0, 2), healthy(1, 2)])["seeds of groups"].status == "passed"
    other = healthy(1, 2)
    same = other._replace(events=tuple(one._replace(values={**one.values, "seed": 0}) for one in other.events))
    assert checks([healthy(0, 2), same])["seeds of groups"].status == "failed"


def test_the_rank_that_raised_first_is_named_with_what_it_did() -> None:
    first = Process(1, 2).enter("training step").phase("training step", failed="RuntimeError").end(trained=False).told()
    second = Process(0, 2).generate().enter("rollout").add("progress").told()
    found = checks([second, first], CRASHED)
    assert found["last step"].text == "rank 1 raised RuntimeError first, in: training step"
    assert found["last step"].details == ("rank 0: ended without Python's exit in: rollout",)
    assert found["clean exit"].text == "the command ended with exit code 1"


def test_of_ranks_that_wait_the_stacks_are_shown() -> None:
    stacks = 'Timeout (0:01:40)!\nThread 0x1 (most recent call first):\n  File "train.py", line 7 in waits\n  File "/a/vcompat/rehearsal/inside/trainer.py", line 3 in wrapper\n  File "/b/train.py", line 9 in step\n'
    waiting = Process().enter("training step").told(stacks)
    found = checks([waiting], STUCK)
    assert found["last step"].details == (
        "rank 0: waited in: training step",
        "rank 0: waits (train.py:7) < step (train.py:9)",
    )
    assert found["clean exit"].status == "not exercised"


@pytest.mark.parametrize(
    ("ended", "text"),
    [
        (WELL._replace(code=-11), "the command ended by SIGSEGV (exit code -11)"),
        (WELL._replace(code=139), "the command ended by SIGSEGV (exit code 139)"),
        (WELL._replace(left=(7, 8)), "processes were left when the command had ended: 7, 8"),
    ],
)
def test_a_crash_at_exit_and_processes_that_stay_are_no_clean_exit(ended: Ended, text: str) -> None:
    found = checks([healthy()], ended)
    assert (found["clean exit"].status, found["clean exit"].text) == ("failed", text)
    assert found["last step"].status == "passed"


def test_a_rank_that_ends_without_pythons_exit_is_no_clean_exit_although_the_code_is_0() -> None:
    told = Process().generate().add("trained", steps=2).told()
    assert checks([told])["clean exit"].status == "failed"


def test_a_script_that_makes_a_trainer_and_does_not_train_is_not_exercised() -> None:
    told = [Process().end(trained=False).told()]
    assert checks(told)["last step"].text == "the script ended without training"
    assert status(told) == "not exercised"


def test_a_trainer_that_cannot_be_made_is_a_failure() -> None:
    process = Process()
    process.events = process.events[:2]
    process.enter("engine start").phase("engine start", failed="ValueError").end(trained=False)
    found = checks([process.told()], CRASHED)
    assert found["last step"].text == "rank 0 raised ValueError first, in: trainer > engine start"


@pytest.mark.parametrize(
    ("told", "ended", "text", "overall"),
    [
        ([], WELL, "no process of the command imports TRL", "not exercised"),
        ([], CRASHED, "no process of the command imports TRL", "failed"),
        ([], STUCK, "no process of the command imports TRL", "failed"),
    ],
)
def test_a_command_that_is_no_training_is_not_exercised_unless_it_fails(
    told: list[Told], ended: Ended, text: str, overall: str
) -> None:
    assert checks(told, ended)["weights"].text.startswith(text)
    assert status(told, ended) == overall


def test_a_trainer_that_is_not_known_is_named() -> None:
    process = Process()
    process.events = process.events[:1]
    process.add("other trainer", name="SFTTrainer").end(trained=False)
    assert "SFTTrainer" in checks([process.told()])["weights"].text
    assert status([process.told()]) == "not exercised"


def test_evaluation_sleep_accumulation_and_a_second_generation_pass_when_they_happened() -> None:
    process = Process(vllm_enable_sleep_mode=True, gradient_accumulation_steps=2)
    process.phase("wake up").generate(0).phase("sleep").phase("training step").phase("training step")
    process.generate(0).phase("evaluation").end()
    found = checks([process.told()])
    names = ("sleep mode", "second generation", "evaluation", "gradient accumulation")
    assert [found[name].status for name in names] == ["passed"] * 4


def test_a_thread_that_keeps_an_ended_script_is_named() -> None:
    stacks = 'Timeout (0:01:40)!\nThread 0x1 (most recent call first):\n  File "/usr/lib/python3.11/threading.py", line 1590 in _shutdown\n'
    waiting = Process().enter("training").enter("rollout").phase("rollout", failed="OutOfMemoryError").told(stacks)
    assert checks([waiting], STUCK)["last step"].details[0] == (
        "rank 0: raised OutOfMemoryError in: training > rollout; then a thread that is no daemon went on"
    )


def test_ranks_that_wait_in_the_same_place_are_one_line() -> None:
    ranks = [Process(rank, 16).enter("rollout").told() for rank in range(16)]
    found = checks(ranks, STUCK)["last step"].details
    assert found == ("ranks 0, 1, 2, 3, 4, 5, 6, 7 and 8 more: waited in: rollout",)


@pytest.mark.parametrize(("initial", "expected"), [(True, True), (False, False)])
def test_weights_of_the_start_are_named_as_such(initial: bool, expected: bool) -> None:
    told = Process().generate(stale=["a"], count=21, initial=initial).end().told()
    assert ("which has the weights of its start" in checks([told])["parameters"].text) == expected


def test_parameters_that_arrive_in_some_steps_only_are_counted() -> None:
    told = Process().generate(0).generate(1, stale=["a", "b"], count=2).generate(2).end().told()
    assert checks([told])["parameters"].text == (
        "2 of 21 compared parameters do not arrive in vLLM, in 1 of 3 comparisons"
    )
