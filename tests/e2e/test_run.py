"""`vcompat run` with the real example, which knows nothing of vcompat, and with an engine in a process of its own."""

from __future__ import annotations

import re
import sys
from pathlib import Path

from tests.e2e.conftest import SCRIPT, Stack
from tests.e2e.test_colocated_training import assert_weights_arrived, torchrun
from tests.e2e.test_engine_process import SPAWNED, applied_elsewhere, script
from vcompat.evaluation.ranks import compare
from vcompat.patching.processes import Process, read_process
from vcompat.patching.run_folder import files_of

RUN = ["-m", "vcompat", "run", "--", sys.executable]
PATCH = "vllm_cpu_weight_sync"


def written(folder: Path) -> list[Process]:
    return [read_process(path) for path in files_of(str(folder))]


def test_both_ranks_of_torchrun_train_with_the_patches_and_agree(stack: Stack) -> None:
    """Without the patch each rank dies in the first weight synchronization."""
    runs = stack.folder / "runs"
    options = ("--tensor-parallel-size", "2")
    run = stack.train(SCRIPT, *options, launcher=[*RUN, *torchrun(2)], VCOMPAT_RUN_DIR=str(runs))
    assert run.code == 0, run.output[-4000:]
    assert_weights_arrived(run.differences())
    ranks = compare(written(runs))
    assert sorted(ranks.each) == [0, 1]
    assert {process.patches[PATCH].status for process in ranks.each.values()} == {"applied"}
    assert not (ranks.differences or ranks.not_yet or ranks.missing)
    assert set(map(str, (process.pid for process in ranks.each.values()))) == set(
        re.findall(rf"applied {PATCH}: .* pid (\d+)\)", run.output)
    )
    code, printed = stack.run(["-m", "vcompat", "status", "--run", str(runs)])
    assert code == 0 and "ranks 0-1: train_grpo_colocate.py" in printed


def test_a_spawned_engine_core_gets_the_patches_although_vllm_plugins_leaves_out_vcompat(stack: Stack) -> None:
    runs = stack.folder / "runs"
    path = script(stack.folder, "pass")
    variables = {**SPAWNED, "VLLM_PLUGINS": "none", "VCOMPAT_RUN_DIR": str(runs)}
    code, output = stack.run([*RUN, str(path), str(stack.model)], **variables)
    assert code == 0, output[-4000:]
    (engine,) = applied_elsewhere(output)
    ledgers = {process.pid: process for process in written(runs)}
    assert ledgers[int(engine)].patches[PATCH].status == "applied"
    assert ledgers[int(engine)].versions["vllm"]
