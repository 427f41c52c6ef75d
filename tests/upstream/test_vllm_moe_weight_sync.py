"""Real mixture-of-experts models of real vLLM releases get new weights, with the patch and without.

The models have all of vLLM's layers and run on no GPU: weights are loaded, processed and synchronized on the CPU, while
the stub of the driver library makes vLLM configure them for an A100.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from tests.upstream.real_vllm import run_program
from vcompat.patches.of_vllm.vllm_moe_weight_sync import PATCH

#: Loads a checkpoint and synchronizes one expert's weight: unpatched, patched, where weights move, and after unpatching.
SYNCHRONIZE = """
import json, sys
import torch
import vcompat
from vllm.config import set_current_vllm_config
from vllm.distributed import parallel_state
from vllm.engine.arg_utils import EngineArgs
from vllm.model_executor.model_loader import loader

def configured():
    return EngineArgs(model=sys.argv[1], enforce_eager=True, dtype="float16").create_engine_config()

with set_current_vllm_config(configured()):
    parallel_state.init_distributed_environment(1, 0, "file://" + sys.argv[2], 0, "gloo")
    parallel_state.initialize_model_parallel(1, 1)
torch.set_default_dtype(torch.float16)

def synchronized(moving=False):
    configuration = configured()
    with set_current_vllm_config(configuration):
        model = loader._initialize_model(vllm_config=configuration)
    experts = model.model.layers[0].block_sparse_moe.experts
    if moving:
        experts.quant_method._maybe_pad_weight = torch.clone
    loader._process_weights_after_loading(model, configuration.model_config, torch.device("cpu"))
    try:
        for part, shape in (("w1", (32, 64)), ("w2", (64, 32)), ("w3", (32, 64))):
            model.load_weights([(f"model.layers.0.block_sparse_moe.experts.1.{part}.weight", torch.full(shape, 3.0))])
    except AttributeError as error:
        return str(error)
    return [float(w[1].float().mean()) for w in (experts.w13_weight, experts.w2_weight)]

unpatched = synchronized()
status = vcompat.patch(only=["vllm_moe_weight_sync"], strict=True)["vllm_moe_weight_sync"].status
result = {"status": status, "unpatched": unpatched, "patched": synchronized(), "moving": synchronized(moving=True)}
vcompat.unpatch()
print()
print(json.dumps({**result, "after unpatch": synchronized()}))
"""
LOST = "'Parameter' object has no attribute 'weight_loader'"
LAYER = "vllm.model_executor.layers.fused_moe.layer"


def mixtral(folder: Path) -> Path:
    configuration = {
        "architectures": ["MixtralForCausalLM"],
        "model_type": "mixtral",
        "hidden_size": 64,
        "intermediate_size": 32,
        "num_local_experts": 4,
        "num_experts_per_tok": 2,
        "num_hidden_layers": 1,
        "num_attention_heads": 2,
        "num_key_value_heads": 2,
        "head_dim": 32,
        "max_position_embeddings": 512,
        "sliding_window": None,
        "vocab_size": 512,
        "torch_dtype": "float16",
    }
    folder.mkdir()
    (folder / "config.json").write_text(json.dumps(configuration))
    return folder


@pytest.mark.parametrize(
    "version", [pytest.param("0.8.2", marks=pytest.mark.slow), pytest.param("0.8.3", marks=pytest.mark.slow), "0.8.4"]
)
def test_experts_get_new_weights_only_with_the_patch(version: str, tmp_path: Path, nvml_stub: Path) -> None:
    model, meeting = mixtral(tmp_path / "model"), str(tmp_path / "meeting")
    result = run_program(version, SYNCHRONIZE, nvml_stub, "1xA100", str(model), meeting)
    assert result["status"] == "applied"
    assert result["unpatched"] == result["after unpatch"] == LOST
    assert result["patched"] == [3.0, 3.0]
    assert result["moving"] == LOST, "weights that are not where they were loaded must not be loaded again"


def test_a_release_that_keeps_the_parameters_is_not_patched(
    upstream_module: Callable[..., ModuleType], outcome: Any
) -> None:
    upstream_module(
        "vllm", "0.8.5", LAYER, ("UnquantizedFusedMoEMethod.process_weights_after_loading",), {"torch": None}
    )
    assert outcome(PATCH) == "not needed"
