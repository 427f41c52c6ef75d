"""What the metrics of recorded runs show: the failure of those that were broken, and nothing in healthy ones."""

from __future__ import annotations

import math
from typing import Any

import pytest

from tests.unit.diagnosis.metrics.recorded import BFLOAT16, averaged, entries, find, load, run_of
from vcompat.diagnosis.metrics.metric_names import MAX, MEAN, RATIO, ZERO_STD
from vcompat.diagnosis.metrics.metric_shapes import DRIFTING, HEALTHY, NOISE, SILENT, UNCLEAR, judged
from vcompat.diagnosis.metrics.series import Run

#: What each way to break a run must look like.
SHAPES = {
    "not_synchronized": "stale-rollouts",
    "layer_skipped": "stale-rollouts",
    "stops_synchronizing": "broken-rollouts",
    "garbage_later": "broken-rollouts",
    "layer_garbage_later": "broken-rollouts",
    "garbage_in_every_other_step": "broken-rollouts",
    "one_step_late": "broken-rollouts",
    "garbage": "wrong-rollouts",
    "buffers_lost": "wrong-rollouts",
    "raw_logprobs": "wrong-rollouts",
}
RUNS = load()
HEALTHY_RUNS = [run for run in RUNS if "variant" not in run["settings"] or run["settings"]["variant"] == "healthy"]
#: Too few steps at this learning rate to leave the noise.
SLOW = {"variant": "not_synchronized", **BFLOAT16, "learning_rate": 1e-05}


def name(run: dict[str, Any]) -> str:
    return "-".join(map(str, run["settings"].values())) or "float32"


def signatures(log: list[dict[str, Any]], states_steps: bool = True) -> list[tuple[str, bool]]:
    return [(each.id, each.is_certain) for each in judged(run_of(log, states_steps)).signatures]


def run(metric: str, values: list[float], step: int = 1) -> Run:
    made = Run("trainer_state.json")
    for at, value in enumerate(values, 1):
        made.take({metric: value}, at * step)
    return made


@pytest.mark.parametrize("run", [run for run in HEALTHY_RUNS if "top_p" not in run["settings"]], ids=name)
def test_a_healthy_run_is_recognized_as_one(run: dict[str, Any]) -> None:
    assert judged(run_of(entries(run["series"]))).state == HEALTHY


@pytest.mark.parametrize("run", HEALTHY_RUNS, ids=name)
@pytest.mark.parametrize("every", [2, 3, 5])
def test_a_healthy_run_that_logs_seldom_shows_no_wrong_weights(run: dict[str, Any], every: int) -> None:
    assert not {found for found, _ in signatures(averaged(entries(run["series"]), every), False)} & {*SHAPES.values()}


def test_healthy_runs_are_an_order_of_magnitude_below_the_limit() -> None:
    highest = max(max(run["series"][MEAN]) for run in HEALTHY_RUNS if "top_p" not in run["settings"])
    assert highest * 10 < NOISE


@pytest.mark.parametrize("run", [run for run in RUNS if run not in HEALTHY_RUNS and run["settings"] != SLOW], ids=name)
def test_a_broken_run_shows_how_it_was_broken(run: dict[str, Any]) -> None:
    found = judged(run_of(entries(run["series"]))).signatures
    assert [each.id for each in found] == [SHAPES[run["settings"]["variant"]]]


def test_stale_weights_are_certain_if_their_distance_is_far_above_the_runs_own_noise() -> None:
    assert signatures(find(variant="not_synchronized", **BFLOAT16)) == [("stale-rollouts", True)]


def test_rollouts_that_are_one_step_behind_are_not_certain() -> None:
    assert signatures(find(variant="one_step_late", **BFLOAT16)) == [("broken-rollouts", False)]


def test_a_difference_that_grows_within_the_noise_is_no_failure_and_not_healthy_either() -> None:
    found = judged(run_of(find(**SLOW)))
    assert (found.state, found.signatures) == (DRIFTING, ())


@pytest.mark.parametrize("every", [3, 5])
def test_the_average_of_several_steps_does_not_tell_whether_the_first_one_differed(every: int) -> None:
    found = signatures(averaged(find(variant="not_synchronized", **BFLOAT16), every))
    assert ("stale-rollouts", False) in found
    assert not any(is_certain for _, is_certain in found)


def test_entries_without_steps_do_not_tell_it_either() -> None:
    found = signatures(find(variant="garbage", **BFLOAT16), states_steps=False)
    assert dict(found)["wrong-rollouts"] is False


def test_the_step_at_which_a_run_breaks_is_named() -> None:
    (found,) = judged(run_of(find(variant="garbage_later", **BFLOAT16))).signatures
    assert (found.step, found.line, found.metric) == (6, 6, MEAN)
    assert found.text.startswith(f"{MEAN}: 0.00374 at step 1, 4.17 at step 6, 4.21 at step 14")


def test_the_ratio_is_part_of_what_shows_wrong_weights_and_no_failure_of_its_own() -> None:
    (found,) = judged(run_of(find(variant="not_synchronized", **BFLOAT16))).signatures
    assert f"{RATIO}: 1 at step 1" in found.text


def test_a_truncated_distribution_shows_in_the_ratio_alone() -> None:
    assert signatures(find(**BFLOAT16, top_p=0.9)) == [("discarded-rollouts", False)]


def test_a_ratio_that_leaves_next_to_nothing_of_the_loss_is_certain() -> None:
    assert [each.is_certain for each in judged(run(RATIO, [0.9, 0.05, 0.02, 0.01])).signatures] == [True]


@pytest.mark.parametrize("values", [[0.01, 0.9, 0.011, 0.012, 0.01, 0.011, 0.01], [0.02, 0.03, 0.05, 0.06, 0.08, 0.09]])
def test_an_outlier_and_noise_are_no_failure(values: list[float]) -> None:
    assert judged(run(MEAN, values)).signatures == ()


def test_noise_that_triples_in_a_long_run_is_no_failure() -> None:
    drift = [0.011 + 0.025 * at / 300 for at in range(300)]
    assert judged(run(MEAN, drift)).signatures == ()


def test_two_values_are_too_few_to_call_a_run_healthy() -> None:
    assert judged(run(MEAN, [0.001, 0.001])).state == UNCLEAR


def test_the_greatest_difference_alone_decides_nothing() -> None:
    assert judged(run(MAX, [0.1, 3.0, 6.0, 8.0])).state == SILENT


def test_evaluation_with_other_weights_is_told_from_training() -> None:
    both = run(MEAN, [0.004] * 20)
    for step, value in ((5, 0.004), (10, 0.2), (15, 0.5), (20, 0.9)):
        both.take({f"eval_{MEAN}": value}, step)
    (found,) = judged(both).signatures
    assert (found.id, found.is_certain, found.step) == ("stale-evaluation", True, 10)


@pytest.mark.parametrize(
    ("metric", "count", "is_certain"), [(MEAN, 5, True), ("kl", 5, True), ("grad_norm", 20, False)]
)
def test_values_that_are_no_numbers_up_to_the_end_are_a_failure(metric: str, count: int, is_certain: bool) -> None:
    (found,) = judged(run(metric, [0.01, 0.02, *[math.nan] * count])).signatures
    assert (found.id, found.step, found.is_certain) == ("not-a-number", 3, is_certain)
    assert judged(run(metric, [0.01, 0.02, *[math.nan] * (count - 1)])).signatures == ()


def test_an_overflow_that_a_loss_scaler_copes_with_is_no_failure() -> None:
    assert judged(run("grad_norm", [*[math.nan] * 30, math.inf, 1.0])).signatures == ()


def test_equal_rewards_in_each_group_from_the_first_to_the_last_step_leave_no_signal() -> None:
    assert [each.id for each in judged(run(ZERO_STD, [1.0] * 20)).signatures] == ["no-reward-signal"]
    assert judged(run(ZERO_STD, [1.0] * 20 + [0.5])).signatures == ()
    assert judged(run(ZERO_STD, [1.0] * 19)).signatures == ()
