from __future__ import annotations

import json

import pytest

from tests.unit.rehearsal.told import WELL, Process
from vcompat.facts.memory.budget import Budget
from vcompat.rehearsal.command import Ended
from vcompat.rehearsal.judge import judge
from vcompat.rehearsal.memory import estimate_of, memory, peaks_of, tracks_of
from vcompat.rehearsal.protocol import Told
from vcompat.rehearsal.rehearsal_outcome import outcome_of
from vcompat.rehearsal.samples import samples_of
from vcompat.rehearsal.verdict import NO_ESTIMATE, Check, Estimate, Phase, slowest

GIB = 1024
UUID = "GPU-1"


class Run(Process):
    """A rank with phases one second apart, and samples of GPU 3."""

    def __init__(self, before: int = 0, total: int = 80 * GIB, **settings: object) -> None:
        super().__init__(**settings)
        self.events.clear()
        self.now = 0.0
        self.lines: list[dict[str, object]] = [
            {"gpu": UUID, "index": 3, "name": "A100", "total": total, "before": before}
        ]
        self.open: list[tuple[str, float]] = []
        self.add("begin", variables={}).begin("trainer").finish()
        settings = {"max_steps": 2, "max_completion_length": 16, **settings}
        self.add("trainer", rank=0, world=1, settings=settings, changed=[], cannot_move="off", dtypes=[], mixed=False)

    def add(self, kind: str, **values: object) -> Run:
        super().add(kind, **values)
        self.events[-1] = self.events[-1]._replace(time=getattr(self, "now", 0.0))
        return self

    def use(self, gib: float, **values: object) -> Run:
        self.now += 0.1
        self.lines.append({"time": self.now, "host": int(gib * 100), "gpus": {UUID: int(gib * GIB)}, **values})
        return self

    def begin(self, name: str) -> Run:
        self.now += 1
        self.open.append((name, self.now))
        self.add("enter", name=name)
        return self

    def finish(self, failed: str = "") -> Run:
        self.now += 1
        name, began = self.open.pop()
        seconds = self.now - began
        self.add("phase", name=name, began=began, seconds=seconds, depth=len(self.open), failed=failed)
        return self

    def told(self, stacks: str = "") -> Told:
        samples = samples_of(json.dumps(line).encode() for line in self.lines)
        return super().told(stacks)._replace(memory=samples)


def peaks(run: Run) -> dict[str, float]:
    return {peak.phase: peak.peak_mib / GIB for peak in peaks_of([run.told()]) if peak.gpu == 3}


def check(run: Run, estimate: Estimate = NO_ESTIMATE) -> Check:
    return memory([run.told()], estimate)


def step() -> Run:
    """A training step of 40 GiB, whose rollout needs 60 GiB."""
    run = Run().begin("training step").use(10).begin("rollout").use(20).begin("generation").use(60)
    run.use(30).finish().use(20).finish().use(40).use(5).finish()
    return run.add("output", tokens=8, longest=8).add("trained", steps=2)


def test_a_phase_counts_without_the_phases_in_it() -> None:
    assert peaks(step()) == {"training step": 40, "rollout": 30, "generation": 60}


def test_what_is_used_when_a_phase_begins_counts_although_nothing_changes_in_it() -> None:
    assert peaks(Run().begin("a").use(7).finish().begin("b").finish()) == {"a": 7, "b": 7}


def test_a_phase_that_never_ended_has_its_samples() -> None:
    run = Run().begin("training").begin("training step").use(70)
    assert peaks(run) == {"training step": 70}
    phases = outcome_of("python", [run.told()], WELL).phases
    assert [(one.name, one.has_ended) for one in phases] == [
        ("trainer", True), ("training", False), ("training step", False),
    ]  # fmt: skip


def test_the_peak_is_stated_with_the_gpu_the_phase_and_the_error_of_the_estimate() -> None:
    found = check(step(), Estimate(peak=50 * GIB))
    assert found.status == "passed"
    assert found.text == (
        "GPU 3 peaks at 60.0 of 80.0 GiB in generation; the check estimated at least 50.0 GiB (17 % less); "
        "completions had up to 8 of 16 tokens; longer ones need more"
    )
    assert "(16 % more)" in check(step(), Estimate(peak=69.5 * GIB)).text


def test_what_others_use_is_stated_and_not_part_of_what_is_compared() -> None:
    run = step()
    run.lines[0]["before"] = 10 * GIB
    found = check(run, Estimate(peak=50 * GIB))
    assert "60.0 of 80.0 GiB in generation, 10.0 of them used before" in found.text and "(0 % more)" in found.text


def test_without_an_estimate_the_reason_is_stated() -> None:
    assert (
        "the check has no estimate (the model is a tiny one)"
        in check(step(), Estimate(why="the model is a tiny one")).text
    )


def test_an_estimate_for_one_rank_is_not_compared_with_what_two_ranks_use() -> None:
    text = memory([step().told(), step().told()], Estimate(peak=50 * GIB)).text
    assert "2 ranks share it" in text and "%" not in text


def test_a_rank_that_ran_out_of_memory_is_a_failure_with_the_phase() -> None:
    run = Run().begin("training step").use(79).finish("OutOfMemoryError")
    found = check(run)
    assert (found.status, found.text) == (
        "failed", "rank 0 ran out of GPU memory in training step; GPU 3 peaks at 79.0 of 80.0 GiB in training step",
    )  # fmt: skip


def test_an_engine_that_does_not_start_for_lack_of_memory_is_such_a_failure() -> None:
    run = Run().begin("trainer").begin("engine start").use(79).finish("OutOfMemoryError").finish("OutOfMemoryError")
    run.events = [event for event in run.events if event.kind != "trainer"]
    found = {one.name: one for one in judge([run.told()], Ended(1, 30.0, False, ()))}
    assert (found["memory"].status, "in engine start" in found["memory"].text) == ("failed", True)


def test_a_rank_that_ran_out_of_memory_and_went_on_is_no_failure() -> None:
    run = Run().begin("training step").use(79).finish("OutOfMemoryError").add("trained", steps=2)
    assert check(run).status == "passed"


def test_a_run_that_did_not_end_proves_nothing_about_memory() -> None:
    found = check(Run().begin("training step").use(50).finish("ValueError"))
    assert found.status == "not exercised" and "50.0 of 80.0 GiB" in found.text


def test_without_a_gpu_the_memory_of_the_host_is_stated() -> None:
    run = step()
    del run.lines[0]
    found = check(run)
    assert found.status == "not exercised"
    assert found.text == "no NVIDIA GPU; at most 5.9 GiB of host memory per process in generation"
    ((track,), one) = tracks_of([run.told()]), run.told()
    assert track.gpu is None and len(track.points) == len(one.memory.samples)


def test_without_samples_nothing_is_stated() -> None:
    assert memory([Process().end().told()], NO_ESTIMATE).text == "nothing was measured"


def test_the_check_of_memory_is_one_of_the_checks() -> None:
    (found,) = (one for one in judge([step().told()], WELL, Estimate(peak=50 * GIB)) if one.name == "memory")
    assert "17 % less" in found.text


@pytest.mark.parametrize(
    "line", [b"[]", b"7", b'{"time":1}', b'{"gpu":1}', b"\xff", b'{"time":2,"host":1,"gpus":{"a":']
)
def test_a_line_of_samples_of_another_form_is_left_out(line: bytes) -> None:
    assert len(samples_of([line, b'{"time":2,"host":1,"gpus":{}}']).samples) == 1


def test_a_track_keeps_the_peak_of_many_samples() -> None:
    run = Run().begin("training")
    for count in range(3000):
        run.use(70 if count == 1234 else 10)
    (track,) = tracks_of([run.told()])
    assert len(track.points) <= 400 and max(used for _, used in track.points) == 70 * GIB


@pytest.mark.parametrize(("sleeps", "expected"), [(True, 30), (False, 70)])
def test_with_sleep_mode_a_training_step_needs_no_share_of_vllm(sleeps: bool, expected: float) -> None:
    known = Budget(80, weights=10, gradients=10, optimizer=10, vllm_share=40, peak=70)
    estimate = estimate_of(known, [Run(vllm_enable_sleep_mode=sleeps).told()])
    assert (estimate.peak, estimate.phases) == (70, {"generation": 60, "training step": expected})


def test_a_budget_that_lacks_a_part_is_no_estimate() -> None:
    assert estimate_of(Budget(80, missing=("plan.peft",)), []).why == "unknown: plan.peft"
    assert estimate_of(None, []).why == "unknown"


def test_the_time_of_a_training_step_is_that_without_its_rollout() -> None:
    phases = [Phase(0, "training step", 10, 5, 0), Phase(0, "rollout", 10, 3, 1), Phase(0, "rollout", 20, 9, 1)]
    assert slowest(phases, "training step") == 2
    assert slowest(phases, "rollout") == 9


def test_tokens_of_a_tensor_parallel_group_count_once_and_the_slowest_rank_decides() -> None:
    def generated(rank: int, seconds: float) -> Told:
        process = Process(rank, 4, vllm_tensor_parallel_size=2)
        for _ in range(3):
            process.phase("generation", seconds).add("output", step=0, digest="a", seed=0, dtype="", tokens=100)
            seconds /= 10
        return process.end().told()

    outcome = outcome_of("python", [generated(0, 10), generated(1, 20), generated(2, 10), generated(3, 10)], WELL)
    assert outcome.tokens == ((20, 200), (2, 200), (pytest.approx(0.2), 200))
    # The first one starts things up.
    assert outcome.tokens_per_second == pytest.approx(400 / 2.2)
