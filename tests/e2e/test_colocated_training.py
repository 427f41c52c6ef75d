"""The main promise: a colocated GRPO run that dies without vcompat, trains with it, on weights that really arrive."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import vcompat
from tests.e2e.conftest import SCRIPT, Stack, free_port

#: Rollouts of the current weights stay below this, rollouts of stale weights exceed it at the example's learning rate.
LIMIT = 0.3
STEPS = 3


def check(script: Path) -> tuple[int, list[dict[str, Any]]]:
    done = subprocess.run(
        [
            sys.executable,
            "-m",
            "vcompat",
            "check",
            str(script),
            "--set",
            "plan.engine_dtype=float32",
            "--format",
            "json",
        ],
        capture_output=True,
        text=True,
        check=False,
    )
    return done.returncode, json.loads(done.stdout)["findings"]


def torchrun(processes: int) -> list[str]:
    return ["-m", "torch.distributed.run", "--nproc_per_node", str(processes), "--master_port", str(free_port())]


def assert_weights_arrived(differences: list[float]) -> None:
    assert len(differences) == STEPS
    assert max(differences) < LIMIT


def causes(log: str) -> list[str]:
    """The rules that the diagnosis of a log names as its cause."""
    return [match.rule.id for match in vcompat.diagnose(log).causes]


def test_without_vcompat_the_run_dies_at_the_first_synchronisation_as_predicted(stack: Stack) -> None:
    code, findings = check(SCRIPT)
    assert code == 1
    assert [(f["rule"], f["certainty"], f["effect"]) for f in findings if f["certainty"] == "certain"] == [
        ("cpu-weight-sync-loses-weight-loader", "certain", "crash")
    ]
    run = stack.train(SCRIPT)
    assert run.code != 0
    assert "'Parameter' object has no attribute 'weight_loader'" in run.output
    assert run.differences() == []
    assert causes(run.output) == ["cpu-weight-sync-loses-weight-loader"]


def test_with_vcompat_it_trains_to_the_last_step_on_weights_that_arrive_as_predicted(stack: Stack) -> None:
    script = stack.patched()
    code, findings = check(script)
    assert code == 0
    assert [f["fixed_by"] for f in findings if f["certainty"] == "certain"] == ["vllm_cpu_weight_sync"]
    run = stack.train(script, "--compile")
    assert run.code == 0, run.output[-4000:]
    assert "vcompat: applied vllm_cpu_weight_sync" in run.output
    assert_weights_arrived(run.differences())


@pytest.mark.slow
def test_the_measure_tells_a_run_whose_synchronisation_is_switched_off(stack: Stack) -> None:
    """The negative control: the same run, except that the trainer keeps its weights to itself."""
    switched_off = (
        "from trl.generation.vllm_generation import VLLMGeneration\nVLLMGeneration.sync_weights = lambda self: None\n"
    )
    run = stack.train(stack.patched(after=switched_off))
    assert run.code == 0, run.output[-4000:]
    assert len(run.differences()) == STEPS
    assert max(run.differences()) > LIMIT


@pytest.mark.slow
def test_two_data_parallel_ranks_train(stack: Stack) -> None:
    run = stack.train(stack.patched(), launcher=torchrun(2))
    assert run.code == 0, run.output[-4000:]
    assert run.output.count("vcompat: applied vllm_cpu_weight_sync") == 2
    assert_weights_arrived(run.differences())


@pytest.mark.slow
def test_a_script_that_switches_patches_off_dies_as_it_did_and_prints_why(stack: Stack) -> None:
    script = stack.patched()
    script.write_text(script.read_text().replace("vcompat.patch()", "vcompat.patch(watch=True)", 1))
    run = stack.train(script, VCOMPAT_DISABLE="all")
    assert run.code != 0
    died, _, diagnosis = run.output.partition("vcompat: what is known about this failure")
    assert "has no attribute 'weight_loader'" in died
    assert "cause: " in diagnosis
    assert "vcompat explain cpu-weight-sync-loses-weight-loader" in diagnosis
