"""What TRL's synchronization does to a 4-bit base: real PEFT and bitsandbytes merge and unmerge, on the CPU."""

from __future__ import annotations

import json
from functools import cache

import pytest

from tests.upstream.installed import installed, run_python

#: Kinds of quantization, each with a change of the weights as a share of their norm.
CASES = [("nf4", 0.01), ("nf4", 0.05), ("fp4", 0.01), ("nf4", 0.0)]
#: Merges and unmerges an adapter that changes the weights by a share of their norm, twenty times, for each case.
PROGRAM = f"""
import json
import bitsandbytes
import torch
from peft import LoraConfig, get_peft_model

dequantize = bitsandbytes.functional.dequantize_4bit

def measured(kind, size):
    torch.manual_seed(0)
    layer = bitsandbytes.nn.Linear4bit(512, 512, bias=False, quant_type=kind, compress_statistics=False)
    layer.weight = bitsandbytes.nn.Params4bit(
        torch.randn(512, 512) * 0.02, requires_grad=False, quant_type=kind, compress_statistics=False
    )
    base = torch.nn.Sequential(layer).to("cpu")
    base.is_loaded_in_4bit = True  # as transformers marks a model, and as PEFT expects
    model = get_peft_model(base, LoraConfig(target_modules=["0"], init_lora_weights=False))
    (adapted,) = (module for module in model.modules() if hasattr(module, "get_base_layer"))

    def weights():
        weight = adapted.get_base_layer().weight
        return dequantize(weight.data, weight.quant_state).float()

    def share(part):
        return float(part.norm() / before.norm())

    before, scales = weights(), adapted.get_base_layer().weight.quant_state
    with torch.no_grad():
        change = adapted.get_delta_weight("default")
        adapted.lora_B["default"].weight *= size * before.norm() / change.norm()
        change = adapted.get_delta_weight("default").float()
    model.merge_adapter()
    arrives = float(((weights() - before) * change).sum() / (change * change).sum())
    in_vllm = dequantize(adapted.get_base_layer().weight.data, scales).float()
    model.unmerge_adapter()
    for _ in range(19):
        model.merge_adapter()
        model.unmerge_adapter()
    return [arrives, share(in_vllm - before - change), share(weights() - before)]

print(json.dumps([measured(kind, size) for kind, size in {CASES}]))
"""


@cache
def answers() -> list[tuple[float, float, float]]:
    """Return what is measured in each case, in one process: importing the packages takes longer than all cases."""
    done = run_python(PROGRAM, *installed("bitsandbytes==0.50.2", "peft==0.21.2"))
    assert done.stdout, done.stderr
    return [tuple(answer) for answer in json.loads(done.stdout.splitlines()[-1])]


def measured(kind: str, change: float) -> tuple[float, float, float]:
    """Return the share of the change that the merged weights have; how far vLLM's weights are from the trainer's; and
    how far the base is from the initial one after twenty synchronizations. Both as shares of the base's norm."""
    return answers()[CASES.index((kind, change))]


@pytest.mark.parametrize(("kind", "change"), CASES[:3])
@pytest.mark.slow
def test_vllm_stays_off_by_the_change_and_the_base_moves_with_each_synchronization(kind: str, change: float) -> None:
    arrives, error, drift = measured(kind, change)
    assert arrives < 0.25
    assert error > 0.95 * change
    assert drift > 12 * change


def test_without_a_change_the_base_stays_as_it_is() -> None:
    assert measured("nf4", 0.0)[1:] == (0.0, 0.0)
