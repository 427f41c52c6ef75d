"""`vcompat rehearse` with weights that FSDP2 or DeepSpeed ZeRO-3 shards over two ranks, healthy and really broken.

Accelerate shards only on accelerators. The first lines of the script state that the ranks are such; the rest is real, on
the CPU by gloo.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Sequence

import pytest

from tests.e2e.conftest import SCRIPT, Stack
from tests.e2e.test_colocated_training import torchrun
from tests.e2e.test_rehearsal import BEGIN, BROKEN, checks, rehearsed, slow

#: The stand-in for the hardware, and what the synchronization of the run gets.
ON_CPU = """import os
os.environ["ACCELERATE_TORCH_DEVICE"] = "cpu"
from accelerate.state import PartialState
from accelerate.utils import DistributedType
PartialState._prepare_backend = lambda *args, **kwargs: ("gloo", DistributedType.MULTI_GPU)
"""
SHOWN = """
def seen(self):
    first = next(self.model.parameters())
    assert hasattr(first, "ds_tensor") or hasattr(first, "to_local"), "nothing is sharded"
    return names(self)
VLLMGeneration._iter_named_params = seen
"""
KINDS = {
    "FSDP2": 'fsdp=True, fsdp_config={"version": 2, "reshard_after_forward": True}',
    "FSDP2 that keeps what it gathers": 'fsdp=True, fsdp_config={"version": 2, "reshard_after_forward": False}',
    "ZeRO-3": 'deepspeed={"zero_optimization": {"stage": 3}, "train_batch_size": "auto", "train_micro_batch_size_per_gpu": '
    '"auto", "gradient_accumulation_steps": "auto", "zero_force_ds_cpu_optimizer": False, "bf16": {"enabled": "auto"}}',
}


def script(kind: str, dtype: str, *broken: str) -> str:
    if kind == "ZeRO-3" and importlib.util.find_spec("deepspeed") is None:
        pytest.skip("DeepSpeed is not installed")
    text = SCRIPT.read_text().replace('dtype="float32"', f'dtype="{dtype}"')
    settings = f'use_cpu=False, {KINDS[kind]}, model_init_kwargs={{"dtype": "{dtype}"}},'
    return "\n".join([ON_CPU, BEGIN, SHOWN, *broken, text.replace("use_cpu=True,", settings)])


def rehearsed_on_two(stack: Stack, text: str, code: int, names: Sequence[str] = ("weights", "parameters")) -> set[str]:
    """Rehearse with two ranks; return the statuses of the checks `names`."""
    got, table, printed = rehearsed(stack, text, launcher=torchrun(2))
    assert got == code, printed
    found = checks(table)
    assert found["last step"]["status"] == "passed"
    return {found[name]["status"] for name in names}


@slow
@pytest.mark.parametrize("dtype", ["float32", "bfloat16"])
@pytest.mark.parametrize("kind", KINDS)
def test_sharded_weights_that_arrive_pass(stack: Stack, kind: str, dtype: str) -> None:
    assert rehearsed_on_two(stack, script(kind, dtype), 0) == {"passed"}


@slow
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("how", ["off", "layer"])
def test_sharded_weights_that_do_not_arrive_fail(stack: Stack, kind: str, how: str) -> None:
    assert rehearsed_on_two(stack, script(kind, "bfloat16", BROKEN[how]), 1) == {"failed"}
