"""The seed that real vLLM configures for a rank under ``external_launcher``, with the patch and without."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.upstream.real_vllm import INSTALLED, model_folder, run_program

#: Configures the engines of several ranks, one after the other: unpatched, patched, and after unpatching.
CONFIGURE = """
import json, logging, os, sys
import vcompat
from vllm.engine.arg_utils import EngineArgs

warnings = []
class Kept(logging.Handler):
    def emit(self, record):
        warnings.append(record.getMessage())

def seed(rank, **given):
    os.environ["RANK"] = str(rank)
    arguments = {"tensor_parallel_size": 2, "distributed_executor_backend": "external_launcher", **given}
    try:
        return EngineArgs(model=sys.argv[1], enforce_eager=True, **arguments).create_engine_config().model_config.seed
    except (AssertionError, ValueError) as error:  # from 0.10.0 on, pydantic converts one into the other
        return "Seed must be set" if "Seed must be set when using external launcher" in str(error) else str(error)

def seeds():
    return [seed(rank) for rank in (0, 1, 2, 3)]

unpatched = seeds()
status = vcompat.patch(only=["vllm_external_launcher_seed"], strict=True)["vllm_external_launcher_seed"].status
logging.getLogger("vcompat").addHandler(Kept())
result = {
    "unpatched": unpatched,
    "patched": seeds(),
    "given": [seed(3, seed=7), seed(3, distributed_executor_backend="mp", tensor_parallel_size=1)],
    "status": status,
    "warnings": warnings,
}
vcompat.unpatch()
result["after unpatch"] = seeds()
print()
print(json.dumps(result))
"""
REFUSED = "Seed must be set"


@pytest.fixture
def configure(tmp_path: Path, nvml_stub: Path) -> Any:
    def configured(version: str, **variables: str) -> Any:
        model = model_folder(tmp_path / "model", longest=2048)
        return run_program(version, CONFIGURE, nvml_stub, "2xA100", str(model), **variables)

    return configured


@pytest.mark.parametrize(
    ("version", "instead", "variables"),
    [
        pytest.param("0.8.0", None, {}, marks=pytest.mark.slow),
        ("0.8.5", REFUSED, {}),
        pytest.param("0.10.2", REFUSED, {"VLLM_USE_V1": "0"}, marks=pytest.mark.slow),
    ],
    ids=["0.8.0", "0.8.5", "0.10.2 V0"],
)
def test_ranks_of_a_group_get_one_seed_and_groups_get_different_ones_only_with_the_patch(
    version: str, instead: str | None, variables: dict[str, str], configure: Any
) -> None:
    result = configure(version, **variables)
    assert result["status"] == "applied"
    assert result["unpatched"] == result["after unpatch"] == [instead] * 4
    assert result["patched"] == [0, 0, 1, 1]
    assert result["given"][0] == 7, "a seed that the script gives stays"
    assert result["warnings"] == []


@pytest.mark.slow
@pytest.mark.parametrize("version", ["0.10.2", INSTALLED])
def test_it_only_warns_once_if_groups_share_seed_0(version: str, configure: Any) -> None:
    result = configure(version)
    assert result["unpatched"] == result["patched"] == [0, 0, 0, 0]
    assert len(result["warnings"]) == 1
    assert "seed=int(os.environ['RANK']) // 2" in result["warnings"][0]
