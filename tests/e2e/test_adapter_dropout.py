"""Two ranks of one tensor-parallel group train an adapter with dropout: real TRL, vLLM and PEFT, two processes.

The processes must agree on each token. Otherwise each continues a text of its own on half of the weights.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.e2e.conftest import SCRIPT, Stack, free_port
from tests.upstream.installed import installed, python_path

#: Keeps the tokens of each generation, and gives the trainer of the example an adapter.
ADAPTER = """
import functools, json, os, pathlib, sys
from peft import LoraConfig
import trl
from vllm import LLM

trl.GRPOTrainer = functools.partial(
    trl.GRPOTrainer, peft_config=LoraConfig(target_modules=["q_proj", "v_proj"], lora_dropout=0.1)
)
generate, kept = LLM.generate, []

def generate_and_keep(*args, **kwargs):
    outputs = generate(*args, **kwargs)
    kept.append([list(output.outputs[0].token_ids) for output in outputs])
    pathlib.Path("tokens-" + os.environ["RANK"]).write_text(json.dumps(kept))
    return outputs

LLM.generate = generate_and_keep
"""


def generations(stack: Stack, patches: list[str]) -> list[list[list[list[int]]]]:
    """Train for three steps on two ranks; return each rank's tokens: by generation, by prompt."""
    script = stack.folder / "train.py"
    patch = f"import vcompat; vcompat.patch(only={['vllm_cpu_weight_sync', *patches]})\n"
    script.write_text(patch + ADAPTER + SCRIPT.read_text())
    launcher = ["-m", "torch.distributed.run", "--nproc_per_node", "2", "--master_port", str(free_port())]
    path = python_path(*installed("peft==0.21.2"))
    run = stack.train(script, "--tensor-parallel-size", "2", launcher=launcher, PYTHONPATH=path)
    assert run.code == 0, run.output[-4000:]
    return [json.loads(Path(stack.folder / f"tokens-{rank}").read_text()) for rank in range(2)]


@pytest.mark.usefixtures("one_group")
@pytest.mark.slow
def test_ranks_generate_different_tokens_after_the_first_step_without_the_patch(stack: Stack) -> None:
    first, second = generations(stack, [])
    assert first[0] == second[0]
    assert first[1] != second[1]


@pytest.mark.slow
@pytest.mark.usefixtures("one_group")
def test_ranks_generate_the_same_tokens_in_each_step_with_the_patch(stack: Stack) -> None:
    first, second = generations(stack, ["vllm_own_random_state"])
    assert len(first) == 3
    assert first == second
