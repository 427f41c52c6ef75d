"""`vcompat run` with what people start, none of which knows of vcompat: `trl grpo` and `trl vllm-serve`."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import metadata
from pathlib import Path

import pytest

from tests.e2e.conftest import PATIENCE, Stack, free_port
from tests.e2e.test_colocated_training import assert_weights_arrived
from vcompat.evaluation.rank_patches import compare
from vcompat.patching.process_reports import Process, read_process
from vcompat.patching.run_folder import files_of

RUN = ["-m", "vcompat", "run", "--"]
BIN = Path(sys.executable).parent
PATCH = "vllm_cpu_weight_sync"
TWO_RANKS = ["--multi_gpu", "--num_processes", "2", "--num_machines", "1", "--main_process_port", "0"]


def written(folder: Path) -> list[Process]:
    return [read_process(path) for path in files_of(str(folder))]


#: In bfloat16, vLLM's default, the run depends on the processor; see the example.
REWARDS = """
import functools
from trl.generation import vllm_generation

vllm_generation.LLM = functools.partial(vllm_generation.LLM, dtype="float32")


def share_of_vowels(completions, **kwargs):
    return [sum(letter in "aeiou" for letter in text) / (len(text) or 1) for text in completions]
"""
GRPO = """--dataset_name ./prompts --reward_funcs rewards.share_of_vowels --use_vllm true --vllm_mode colocate
 --vllm_tensor_parallel_size 2 --vllm_max_model_length 128 --use_cpu --bf16 false --learning_rate 0.03 --max_steps 3
 --per_device_train_batch_size 4 --num_generations 4 --max_completion_length 16 --logging_steps 1 --save_strategy no
 --report_to none --disable_tqdm true --output_dir out"""


@pytest.mark.usefixtures("one_group")
def test_both_ranks_of_trl_grpo_train_with_the_patches_and_agree(stack: Stack) -> None:
    """`trl` starts `accelerate launch`, and that torchrun's agent. Without the patch each rank dies at the first sync."""
    (stack.folder / "rewards.py").write_text(REWARDS)
    (stack.folder / "prompts").mkdir()
    prompts = ["The quick brown", "one and one", "the lazy dog", "fox jumps"] * 4
    (stack.folder / "prompts" / "train.jsonl").write_text(
        "\n".join(json.dumps({"prompt": prompt}) for prompt in prompts)
    )
    runs = stack.folder / "runs"
    words = [str(BIN / "trl"), "grpo", *TWO_RANKS, "--model_name_or_path", str(stack.model), *GRPO.split()]
    code, output = stack.run([*RUN, *words], VCOMPAT_RUN_DIR=str(runs))
    assert code == 0, output[-4000:]
    assert_weights_arrived(
        [float(value) for value in re.findall(r"sampling_logp_difference/max': '?([0-9.e-]+)", output)]
    )
    ranks = compare(written(runs))
    assert sorted(ranks.each) == [0, 1]
    assert {process.patches[PATCH].status for process in ranks.each.values()} == {"applied"}
    assert not (ranks.differences or ranks.waiting or ranks.missing)
    assert set(map(str, (process.pid for process in ranks.each.values()))) <= set(
        re.findall(rf"applied {PATCH}: .* pid (\d+)\)", output)
    )
    code, printed = stack.run(["-m", "vcompat", "status", "--run", str(runs)])
    assert code == 0 and "ranks 0-1: grpo.py" in printed


@contextmanager
def server(stack: Stack, port: int, **variables: str) -> Iterator[subprocess.Popen[bytes]]:
    """Start TRL's server under `vcompat run`, as `Stack.run` starts programs, and wait until it answers."""
    log = stack.folder / "server.log"
    words = [str(BIN / "trl"), "vllm-serve", "--model", str(stack.model), "--port", str(port), "--dtype", "float32"]
    words += ["--host", "127.0.0.1", "--enforce_eager", "true", "--max_model_len", "64"]
    inherited = {k: v for k, v in os.environ.items() if not k.startswith(("VLLM_", "VCOMPAT_", "CUDA_"))}
    environment = {
        **inherited, "VLLM_CPU_KVCACHE_SPACE": "1", "VLLM_CACHE_ROOT": str(stack.folder / "cache"), **variables
    }  # fmt: skip
    with log.open("wb") as file:
        process = subprocess.Popen(
            [sys.executable, *RUN, *words], cwd=stack.folder, env=environment, stdout=file, stderr=file,
            start_new_session=True,
        )  # fmt: skip
    try:
        until = time.monotonic() + PATIENCE
        while not answers(f"http://127.0.0.1:{port}/health"):
            assert process.poll() is None and time.monotonic() < until, log.read_text()[-4000:]
            time.sleep(0.5)
        yield process
    finally:
        # vLLM ends its engine core only where it has the time for it.
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def answers(address: str) -> bool:
    try:
        with urllib.request.urlopen(address, timeout=5) as answer:
            return bool(answer.status == 200)
    except OSError:
        return False


TRAINER = """
import sys
from datasets import Dataset
from trl import GRPOConfig, GRPOTrainer
from trl.generation.vllm_client import VLLMClient

model, address = sys.argv[1:]
print("GENERATED", len(VLLMClient(base_url=address).generate([[1, 2, 3]], max_tokens=4)["completion_ids"][0]))
config = GRPOConfig(
    output_dir="out", use_vllm=True, vllm_mode="server", vllm_server_base_url=address, use_cpu=True, report_to="none"
)
try:
    GRPOTrainer(model, reward_funcs=print, args=config, train_dataset=Dataset.from_dict({"prompt": ["one"] * 8}))
except NotImplementedError as error:
    print("REFUSED", error)
"""


@pytest.mark.slow
def test_trl_s_server_and_a_trainer_in_server_mode_get_the_patches(stack: Stack) -> None:
    """The server is three processes, although VLLM_PLUGINS leaves out vcompat. On a CPU, TRL sends no weights to it."""
    runs, port = stack.folder / "runs", free_port()
    # The CPU build is a distribution named vllm-cpu, while `vllm serve` asks for the version of vllm.
    version = metadata.version("vllm-cpu") + "+cpu"
    (stack.folder / f"vllm-{version}.dist-info").mkdir()
    (stack.folder / f"vllm-{version}.dist-info" / "METADATA").write_text(f"Name: vllm\nVersion: {version}\n")
    path = os.pathsep.join(filter(None, [str(stack.folder), os.environ.get("PYTHONPATH")]))
    variables = {"VLLM_PLUGINS": "none", "VCOMPAT_RUN_DIR": str(runs), "PYTHONPATH": path}
    (stack.folder / "train.py").write_text(TRAINER)
    with server(stack, port, **variables) as process:
        address = f"http://127.0.0.1:{port}"
        code, output = stack.run([*RUN, sys.executable, "train.py", str(stack.model), address], **variables)
        assert code == 0, output[-4000:]
        assert "GENERATED 4" in output
        assert "REFUSED Weight synchronization runs on vLLM's NCCL weight-transfer engine" in output
    ledgers = written(runs)
    api_server = [each for each in ledgers if each.pid == process.pid and "vllm" in each.versions]
    assert [each.patches["vllm_external_launcher_seed"].status for each in api_server] == ["applied"]
    # No other process imports the module of this patch.
    engine_core = [each for each in ledgers if each.patches["vllm_cpu_amx_permission"].status == "applied"]
    assert [each.pid == process.pid for each in engine_core] == [False]
    assert [each.patches[PATCH].status for each in engine_core] == ["applied"]
    (trainer,) = [each for each in ledgers if Path(each.program).name == "train.py"]
    assert trainer.patches["vllm_own_random_state"].status == "applied"
