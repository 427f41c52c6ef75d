"""`vcompat rehearse` with the real example, healthy and really broken."""

from __future__ import annotations

import json
import os
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.conftest import SCRIPT, Stack
from tests.e2e.test_colocated_training import torchrun

slow = pytest.mark.skipif(not os.environ.get("VCOMPAT_SLOW_TESTS"), reason="takes minutes; set VCOMPAT_SLOW_TESTS=1")

#: What the user's script does that a rehearsal must not do.
SAVING = 'output_dir="mine", save_strategy="steps", save_steps=1, log_completions=True,'
AFTER = 'trainer.train()\n    trainer.save_model("mine")\n    open("after", "w").close()\n'
LOGS = "    def on_log(self,"
ASKS = "    def on_step_end(self, args, state, control, **kwargs):\n        control.should_save = True\n\n"
#: Ways to break the example, as its first lines.
BROKEN = {
    "off": "VLLMGeneration.sync_weights = lambda self: None",
    "layer": "VLLMGeneration._iter_named_params = lambda self: (one for one in names(self) if '.layers.1.' not in one[0])",
    "late": "VLLMGeneration.generate, VLLMGeneration.sync_weights = then(VLLMGeneration.generate, VLLMGeneration.sync_weights), lambda self: None",
}
BEGIN = """
from trl.generation.vllm_generation import VLLMGeneration
names = VLLMGeneration._iter_named_params
def then(generate, sync):
    def generated(self, *args, **kwargs):
        result = generate(self, *args, **kwargs)
        sync(self)
        return result
    return generated
"""
IN_STEP = """
import os, time
from trl import GRPOTrainer
train = GRPOTrainer.training_step
def waits(): time.sleep(10**6)
def step(self, *args, **kwargs):
    if os.environ["RANK"] == "1" and self.state.global_step == 1: {what}
    return train(self, *args, **kwargs)
GRPOTrainer.training_step = step
"""
SEEDS = """
import os
from trl.generation import vllm_generation
original = vllm_generation.LLM
vllm_generation.LLM = lambda *args, **kwargs: original(*args, **{**kwargs, "seed": int(os.environ["RANK"])})
"""


def rehearsed(
    stack: Stack,
    script: str,
    *arguments: str,
    options: Sequence[str] = (),
    launcher: Sequence[str] = (),
    first: Sequence[Path] = (),
) -> tuple[int, dict[str, Any], str]:
    """Rehearse a script in the stack's folder; return the exit code, the JSON, and what was printed.

    Packages in the folders `first` precede all others.
    """
    path = stack.folder / "work" / "train.py"
    path.parent.mkdir(exist_ok=True)
    path.write_text(script)
    verdict = stack.folder / "verdict.json"
    command = [sys.executable, *launcher, "train.py", "--model", str(stack.model), *arguments]
    call = ["-m", "vcompat", "rehearse", "--no-check", *options, "-o", str(verdict), "--", *command]
    home = stack.folder / "home"
    home.mkdir(exist_ok=True)
    code, printed = stack.run(
        ["-c", f"import os; os.chdir('work'); os.execv({sys.executable!r}, [{sys.executable!r}, *{call!r}])"],
        HOME=str(home),
        PYTHONPATH=os.pathsep.join(map(str, (*first, SCRIPT.parents[1]))),
    )
    table: dict[str, Any] = json.loads(verdict.read_text()) if verdict.exists() else {}
    return code, table, printed


def checks(table: dict[str, Any]) -> dict[str, Any]:
    return {check["name"]: check for check in table["checks"]}


def tree(folder: Path) -> list[str]:
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*"))


def test_the_example_passes_and_leaves_no_trace(stack: Stack) -> None:
    text = SCRIPT.read_text().replace('output_dir="unused",', SAVING).replace('save_strategy="no",', "")
    text = text.replace(LOGS, ASKS + LOGS)
    code, table, printed = rehearsed(stack, text.replace("trainer.train()\n", AFTER))
    assert code == 0, printed
    found = checks(table)
    assert {found[name]["status"] for name in ("weights", "parameters", "last step", "clean exit")} == {"passed"}
    assert {check["status"] for check in table["checks"]} == {"passed", "not exercised"}
    assert (table["steps"], table["patches"].count("vllm_cpu_weight_sync")) == (3, 1)
    assert {"engine start", "synchronization", "generation"} <= {phase["name"] for phase in table["phases"]}
    assert {"engine start", "generation", "training step"} <= {row["phase"] for row in table["memory"]}
    assert table["tokens_per_second"] > 0
    assert tree(stack.folder / "work") == ["train.py"]
    assert tree(stack.folder / "home") == []


def test_a_layer_that_is_not_synchronized_is_caught_and_named(stack: Stack) -> None:
    code, table, printed = rehearsed(stack, BEGIN + BROKEN["layer"] + "\n" + SCRIPT.read_text())
    assert code == 1, printed
    found = checks(table)
    assert (found["weights"]["status"], found["parameters"]["status"]) == ("failed", "failed")
    assert found["parameters"]["details"] == ["model.layers.1: 9 parameters"]
    assert found["last step"]["status"] == "passed"


@slow
@pytest.mark.parametrize("how", ["off", "late"])
def test_a_synchronization_that_is_switched_off_or_late_is_caught(stack: Stack, how: str) -> None:
    code, table, printed = rehearsed(stack, BEGIN + BROKEN[how] + "\n" + SCRIPT.read_text())
    assert code == 1, printed
    assert checks(table)["weights"]["status"] == "failed"


@slow
@pytest.mark.usefixtures("one_group")
def test_a_tensor_parallel_group_in_bfloat16_passes(stack: Stack) -> None:
    text = SCRIPT.read_text().replace('dtype="float32"', 'dtype="bfloat16"')
    code, table, printed = rehearsed(stack, text, "--tensor-parallel-size", "2", launcher=torchrun(2))
    assert code == 0, printed
    assert checks(table)["same tokens"]["status"] == "passed"
    assert table["ranks"] == [0, 1]


@slow
def test_a_tiny_model_stands_for_one_with_more_layers(stack: Stack) -> None:
    config = stack.model / "config.json"
    settings = json.loads(config.read_text())
    model = stack.folder / "deep"
    shutil.copytree(stack.model, model)
    # The weights are not those of four layers, and are not needed.
    (model / "model.safetensors").unlink()
    (model / "config.json").write_text(json.dumps({**settings, "num_hidden_layers": 4, "layer_types": None}))
    tiny = Stack(stack.folder, model, stack.cache)
    code, table, printed = rehearsed(tiny, SCRIPT.read_text(), options=["--tiny"])
    assert code == 0, printed
    assert "all 21 compared parameters" in checks(table)["parameters"]["text"]
    assert "model" in table["changed"]


@slow
def test_a_rank_that_waits_ends_the_rehearsal_with_its_stack(stack: Stack) -> None:
    text = IN_STEP.format(what="waits()") + SCRIPT.read_text()
    code, table, printed = rehearsed(stack, text, options=["--stuck-after", "90"], launcher=torchrun(2))
    assert code == 1, printed
    assert any("waits (" in line for line in checks(table)["last step"]["details"])


@slow
def test_a_rank_that_leaves_early_is_named(stack: Stack) -> None:
    text = IN_STEP.format(what="os._exit(0)") + SCRIPT.read_text()
    code, table, printed = rehearsed(stack, text, options=["--stuck-after", "90"], launcher=torchrun(2))
    assert code == 1, printed
    assert checks(table)["last step"]["text"].startswith("rank 1 ended without Python's exit first")


@slow
@pytest.mark.usefixtures("one_group")
def test_ranks_of_a_group_with_different_seeds_are_caught(stack: Stack) -> None:
    arguments = ("--tensor-parallel-size", "2")
    code, table, printed = rehearsed(stack, SEEDS + SCRIPT.read_text(), *arguments, launcher=torchrun(2))
    assert code == 1, printed
    assert checks(table)["same tokens"]["status"] == "failed"


@slow
@pytest.mark.parametrize("name", ["SIGABRT", "SIGSEGV"])
def test_a_crash_at_exit_is_caught(stack: Stack, name: str) -> None:
    text = f"import atexit, os, signal; atexit.register(os.kill, os.getpid(), signal.{name})\n{SCRIPT.read_text()}"
    code, table, printed = rehearsed(stack, text)
    assert code == 1, printed
    found = checks(table)
    assert (found["last step"]["status"], found["clean exit"]["status"]) == ("passed", "failed")
    assert name in found["clean exit"]["text"]
