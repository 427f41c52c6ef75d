"""Real vLLM configures its engine with the limit of batched tokens that TRL passes, with the patch and without."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.upstream.real_vllm import model_folder, run_program

#: Configures an engine as TRL does, unpatched, patched, and after unpatching.
CONFIGURE = """
import json, sys
from vllm.engine.arg_utils import EngineArgs
import vcompat

def configured():
    arguments = EngineArgs(model=sys.argv[1], max_model_len=int(sys.argv[2]), max_num_batched_tokens=4096, seed=0,
                           distributed_executor_backend=sys.argv[3] or None)
    try:
        return arguments.create_engine_config().scheduler_config.max_num_batched_tokens
    except ValueError as error:
        return str(error)

unpatched = configured()
only = ["vllm_batched_tokens_below_length", *sys.argv[4:]]
status = vcompat.patch(only=only, strict=True)["vllm_batched_tokens_below_length"].status
patched = configured()
vcompat.unpatch()
print()
print(json.dumps({"unpatched": unpatched, "patched": patched, "after unpatch": configured(), "status": status}))
"""
FAILURE = "max_num_batched_tokens (4096) is smaller than max_model_len"


@pytest.fixture
def configure(tmp_path: Path, nvml_stub: Path) -> Any:
    def configured(
        version: str, machine: str, length: int, *also: str, backend: str = "external_launcher", **variables: str
    ) -> Any:
        model = model_folder(tmp_path / "model", longest=65536)
        return run_program(version, CONFIGURE, nvml_stub, machine, str(model), str(length), backend, *also, **variables)

    return configured


@pytest.mark.parametrize(
    ("version", "machine", "variables"),
    [
        pytest.param("0.8.5", "1xV100", {}, marks=pytest.mark.slow),
        pytest.param("0.10.1.1", "1xV100", {}, marks=pytest.mark.slow),
        ("0.10.2", "1xA100", {"VLLM_USE_V1": "0"}),
    ],
)
def test_v0_takes_sequences_of_more_than_4096_tokens_only_with_the_patch(
    version: str, machine: str, variables: dict[str, str], configure: Any
) -> None:
    result = configure(version, machine, 8192, **variables)
    assert result["status"] == "applied"
    assert FAILURE in result["unpatched"]
    assert result["patched"] == 8192
    assert result["after unpatch"] == result["unpatched"]


@pytest.mark.slow
def test_it_is_needed_where_the_patch_for_old_gpus_disables_chunks(configure: Any) -> None:
    result = configure("0.8.5", "1xV100", 65536, "vllm_attention_before_ampere")
    assert (result["unpatched"], result["patched"]) == (4096, 65536)


@pytest.mark.parametrize(
    ("length", "backend", "variables", "expected"),
    [
        (2048, "external_launcher", {"VLLM_USE_V1": "0"}, 4096),
        pytest.param(65536, "external_launcher", {"VLLM_USE_V1": "0"}, 4096, marks=pytest.mark.slow),
        pytest.param(8192, "external_launcher", {"VLLM_USE_V1": "1"}, 4096, marks=pytest.mark.slow),
        pytest.param(8192, "", {"VLLM_USE_V1": "0"}, FAILURE, marks=pytest.mark.slow),
    ],
    ids=["short", "in chunks", "V1", "not TRL's"],
)
def test_other_engines_keep_their_limit(
    length: int, backend: str, variables: dict[str, str], expected: object, configure: Any
) -> None:
    result = configure("0.10.2", "1xA100", length, backend=backend, **variables)
    assert str(expected) in str(result["unpatched"])
    assert result["patched"] == result["unpatched"]
