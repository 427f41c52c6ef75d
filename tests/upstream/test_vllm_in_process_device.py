"""Real TRL 0.14 - 0.15 and real vLLM on a machine with two GPUs: which device the engine makes the current device.

The processes have no GPU. The test tracks torch.cuda's current device, the attention kernels are left out, and the
engine stops where it would connect the GPUs, which this build of torch does not support.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.upstream.installed import installed
from tests.upstream.real_vllm import model_folder, run_program
from tests.upstream.releases import release

BUILD = """
import json, sys
import torch, vcompat
from sitecustomize import put

class Cuda:
    current = 0
    set_by_vllm = []

    @classmethod
    def set_device(cls, device):
        cls.current = device if isinstance(device, int) else torch.device(device).index
        cls.set_by_vllm.append(cls.current)

torch.cuda.set_device = Cuda.set_device
torch.cuda.current_device = lambda: Cuda.current
torch.cuda.mem_get_info = lambda *device: (2**30, 2**30)
torch.cuda.reset_peak_memory_stats = lambda *device: None

class XFormersBackend:
    get_name = staticmethod(lambda: "XFORMERS")
    get_state_cls = get_builder_cls = staticmethod(lambda: lambda runner: None)

put("vllm.attention.backends.xformers", XFormersBackend=XFormersBackend)

def build():
    Cuda.current, Cuda.set_by_vllm = 0, []
    try:
        LLM(model=sys.argv[1], device="cuda:1", dtype="float16", max_model_len=64, skip_tokenizer_init=True,
            enforce_eager=True)
    except RuntimeError as error:
        assert "NCCL" in str(error), error
    return {"vllm": Cuda.set_by_vllm[0], "afterwards": Cuda.current}

vcompat.patch(only=["vllm_in_process_device"], strict=True)
from trl.trainer.grpo_trainer import LLM
patched = build()
status = vcompat.status()["vllm_in_process_device"]
vcompat.unpatch()
print()
print(json.dumps({"patched": patched, "after unpatch": build(), "status": status.reason}))
"""


@pytest.fixture
def build(tmp_path: Path, nvml_stub: Path) -> Any:
    def built(vllm: str, trl: str) -> Any:
        model = model_folder(tmp_path / "model", longest=2048)
        folders = [release("trl", trl), *installed("datasets==3.6.0")]
        return run_program(vllm, BUILD, nvml_stub, "8xV100", str(model), first=folders)

    return built


@pytest.mark.parametrize(
    ("vllm", "trl"), [pytest.param("0.6.6.post1", "0.14.0", marks=pytest.mark.slow), ("0.7.2", "0.15.2")]
)
def test_vllm_uses_its_assigned_device_only_with_the_patch(vllm: str, trl: str, build: Any) -> None:
    result = build(vllm, trl)
    assert result["after unpatch"]["vllm"] == 0
    assert result["patched"] == {"vllm": 1, "afterwards": 0}


@pytest.mark.slow
def test_0_7_3_leaves_the_trainer_on_vllms_device_only_without_the_patch(build: Any) -> None:
    result = build("0.7.3", "0.15.2")
    assert result["after unpatch"] == {"vllm": 1, "afterwards": 1}
    assert result["patched"] == {"vllm": 1, "afterwards": 0}
