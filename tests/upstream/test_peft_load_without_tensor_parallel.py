"""Real PEFT loads a LoRA adapter where torch.distributed is initialized, under the transformers of this environment."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.upstream.installed import installed, run_python

PROGRAM = """
import json, tempfile
import vcompat
vcompat.patch(only=["peft_load_without_tensor_parallel"], strict=True)
import torch
from peft import LoraConfig, PeftModel, get_peft_model, load_peft_weights, set_peft_model_state_dict
from transformers import AutoModelForCausalLM

folder = {model!r}
torch.distributed.init_process_group("gloo", init_method="file://" + tempfile.mktemp(), rank=0, world_size=1)

def base():
    return AutoModelForCausalLM.from_pretrained(folder)

trained = get_peft_model(base(), LoraConfig(target_modules=["q_proj", "embed_tokens"], init_lora_weights=False))
saved = tempfile.mkdtemp()
trained.save_pretrained(saved)

def loaded():
    # How far the weights are from the saved ones, or the error.
    try:
        state = PeftModel.from_pretrained(base(), saved).state_dict()
    except Exception as error:
        return f"{{type(error).__name__}}: {{error}}"
    return max(float((state[name] - value).abs().max()) for name, value in trained.state_dict().items())

def sharded():
    # As above, into a model whose layers have a tensor-parallel plan.
    for module in trained.modules():
        if hasattr(module, "get_base_layer"):
            module.get_base_layer()._hf_tp_plan = module.get_base_layer()._hf_device_mesh = "of transformers"
    try:
        set_peft_model_state_dict(trained, load_peft_weights(saved))
    except Exception as error:
        return f"{{type(error).__name__}}: {{error}}"

patched = [loaded(), sharded()]
status = vcompat.status()["peft_load_without_tensor_parallel"].status
vcompat.unpatch()
print(json.dumps([status, patched, loaded()]))
"""


@pytest.mark.parametrize("peft", [pytest.param("0.19.0", marks=pytest.mark.slow), "0.19.1"])
def test_an_adapter_loads_only_with_the_patch(peft: str, tiny_model: Path) -> None:
    done = run_python(PROGRAM.format(model=str(tiny_model)), *installed(f"peft=={peft}"))
    assert done.stdout, done.stderr
    status, (patched, sharded), unpatched = json.loads(done.stdout.splitlines()[-1])
    assert status == "applied"
    assert patched == 0.0
    assert "cannot import name 'EmbeddingParallel'" in unpatched
    assert sharded == unpatched, "PEFT's own function runs for a sharded model"


@pytest.mark.slow
def test_peft_0_20_loads_an_adapter_without_the_patch(tiny_model: Path) -> None:
    done = run_python(PROGRAM.format(model=str(tiny_model)), *installed("peft==0.20.0"))
    assert done.stdout, done.stderr
    status, (patched, _), unpatched = json.loads(done.stdout.splitlines()[-1])
    assert (status, patched, unpatched) == ("not needed", 0.0, 0.0)
