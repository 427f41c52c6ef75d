"""How real vLLM configures its engine for a V100, a T4 and an A100, with the patch and without."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from packaging.version import Version

from tests.upstream.real_vllm import model_folder, run_program
from vcompat.kernels.variants import triton_pins

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


def with_triton(folder: Path, version: str) -> Path:
    """Write the metadata of a Triton release, which is all that the patch reads of it; return the folder."""
    metadata = folder / f"triton-{version}.dist-info" / "METADATA"
    metadata.parent.mkdir(parents=True)
    metadata.write_text(f"Metadata-Version: 2.1\nName: triton\nVersion: {version}\n")
    return folder


@pytest.fixture
def configure(tmp_path: Path, nvml_stub: Path) -> Any:
    def configured(version: str, machine: str, head_size: int = 32, triton: str = "", **variables: str) -> Any:
        model = model_folder(tmp_path / "model", longest=65536)
        file = model / "config.json"
        file.write_text(json.dumps({**json.loads(file.read_text()), "head_dim": head_size}))
        # The environment of these tests has another Triton than the one that the release's torch requires.
        first = with_triton(tmp_path / "packages", triton or triton_pins()[Version(version)])
        return run_program(version, CONFIGURE, nvml_stub, machine, str(model), first=[first], **variables)

    return configured


@pytest.mark.parametrize(
    ("version", "dtype", "variables"),
    [
        pytest.param("0.6.6.post1", "torch.bfloat16", {}, marks=pytest.mark.slow),
        pytest.param("0.7.2", "torch.bfloat16", {}, marks=pytest.mark.slow),
        ("0.8.5", "torch.bfloat16", {}),
        pytest.param("0.10.1.1", "torch.float16", {}, marks=pytest.mark.slow),
    ],
    ids=["0.6.6.post1", "0.7.2", "0.8.5", "0.10.1.1"],
)
def test_on_a_v100_both_features_are_on_without_the_patch_and_off_with_it(
    version: str, dtype: str, variables: dict[str, str], configure: Any
) -> None:
    result = configure(version, "1xV100", **variables)
    assert result["status"] == "applied"
    assert result["unpatched"] == [True, True, dtype]
    assert result["patched"] == [False, False, "torch.float16"]
    assert result["after unpatch"] == result["unpatched"]


@pytest.mark.slow
def test_on_a_v100_the_v0_engine_of_0_10_2_keeps_both_features_since_its_kernel_compiles(configure: Any) -> None:
    result = configure("0.10.2", "1xV100", VLLM_USE_V1="0")
    assert result["status"] == "applied"
    assert result["unpatched"] == result["patched"] == [True, True, "torch.float16"]


@pytest.mark.parametrize(
    ("version", "head_size", "kept", "variables"),
    [
        ("0.8.5", 128, True, {}),
        ("0.8.5", 256, False, {}),
        pytest.param("0.10.1.1", 64, False, {}, marks=pytest.mark.slow),
        pytest.param("0.10.2", 64, True, {"VLLM_USE_V1": "0"}, marks=pytest.mark.slow),
        pytest.param("0.10.2", 128, False, {"VLLM_USE_V1": "0"}, marks=pytest.mark.slow),
    ],
    ids=[
        "0.8.5 with heads of 128",
        "0.8.5 with heads of 256",
        "0.10.1.1",
        "0.10.2 V0 with heads of 64",
        "0.10.2 V0 with heads of 128",
    ],
)
def test_on_a_t4_both_features_are_off_where_the_kernel_fails_and_on_elsewhere(
    version: str, head_size: int, kept: bool, variables: dict[str, str], configure: Any
) -> None:
    result = configure(version, "2xT4", head_size, **variables)
    assert result["status"] == "applied"
    assert result["unpatched"][:2] == [True, True]
    assert result["patched"] == [kept, kept, "torch.float16"]


@pytest.mark.slow
def test_on_a_t4_both_features_are_off_with_a_triton_that_fails_beside_an_older_release(configure: Any) -> None:
    result = configure("0.8.5", "2xT4", triton="3.3.1")
    assert result["unpatched"][:2] == [True, True]
    assert result["patched"][:2] == [False, False]


@pytest.mark.parametrize("version", [pytest.param("0.7.2", marks=pytest.mark.slow), "0.8.5"])
@pytest.mark.slow
def test_at_8_0_the_patch_leaves_both_features_on(version: str, configure: Any) -> None:
    result = configure(version, "1xA100")
    assert result["status"] == "applied"
    assert result["unpatched"] == result["patched"] == [True, True, "torch.bfloat16"]


@pytest.mark.slow
def test_v1_on_a_v100_is_not_changed(configure: Any) -> None:
    result = configure("0.10.2", "1xV100", VLLM_USE_V1="1")
    assert result["unpatched"] == result["patched"] == [True, True, "torch.float16"]
