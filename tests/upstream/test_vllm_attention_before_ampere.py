"""How real vLLM configures its engine for a V100 and for an A100, with the patch and without."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.upstream.real_vllm import model_folder, run_program

#: Configures an engine unpatched, patched, and after unpatching.
CONFIGURE = """
import json, sys
from vllm.engine.arg_utils import EngineArgs
import vcompat

def configured():
    # TRL 0.15 enables caching; vLLM enables chunked prefill for a long model.
    config = EngineArgs(model=sys.argv[1], enable_prefix_caching=True).create_engine_config()
    return [
        bool(config.cache_config.enable_prefix_caching),
        bool(config.scheduler_config.chunked_prefill_enabled),
        str(config.model_config.dtype),
    ]

unpatched = configured()
status = vcompat.patch(only=["vllm_attention_before_ampere"], strict=True)["vllm_attention_before_ampere"].status
patched = configured()
vcompat.unpatch()
print()
print(json.dumps({"unpatched": unpatched, "patched": patched, "after unpatch": configured(), "status": status}))
"""


@pytest.fixture
def configure(tmp_path: Path, nvml_stub: Path) -> Any:
    def configured(version: str, machine: str, **variables: str) -> Any:
        model = model_folder(tmp_path / "model", longest=65536)
        return run_program(version, CONFIGURE, nvml_stub, machine, str(model), **variables)

    return configured


@pytest.mark.parametrize(
    ("version", "dtype", "variables"),
    [
        ("0.6.6.post1", "torch.bfloat16", {}),
        ("0.7.2", "torch.bfloat16", {}),
        ("0.8.5", "torch.bfloat16", {}),
        ("0.10.1.1", "torch.float16", {}),
        ("0.10.2", "torch.float16", {"VLLM_USE_V1": "0"}),
    ],
    ids=["0.6.6.post1", "0.7.2", "0.8.5", "0.10.1.1", "0.10.2 V0"],
)
def test_on_a_v100_both_features_are_on_without_the_patch_and_off_with_it(
    version: str, dtype: str, variables: dict[str, str], configure: Any
) -> None:
    result = configure(version, "1xV100", **variables)
    assert result["status"] == "applied"
    assert result["unpatched"] == [True, True, dtype]
    assert result["patched"] == [False, False, "torch.float16"]
    assert result["after unpatch"] == result["unpatched"]


@pytest.mark.parametrize("version", ["0.7.2", "0.8.5"])
def test_at_8_0_the_patch_leaves_both_features_on(version: str, configure: Any) -> None:
    result = configure(version, "1xA100")
    assert result["status"] == "applied"
    assert result["unpatched"] == result["patched"] == [True, True, "torch.bfloat16"]


def test_v1_on_a_v100_is_not_changed(configure: Any) -> None:
    result = configure("0.10.2", "1xV100", VLLM_USE_V1="1")
    assert result["unpatched"] == result["patched"] == [True, True, "torch.float16"]
