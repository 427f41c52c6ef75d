"""Real vLLM, the real old ``pynvml`` beside the real ``nvidia-ml-py``, on a machine with one GPU."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.upstream.installed import installed
from tests.upstream.real_vllm import model_folder, run_program

CONFIGURE = """
import json, sys
import vcompat
if sys.argv[2] == "patched":
    vcompat.patch(only=["vllm_real_pynvml"], strict=True)
import torch.cuda  # imports pynvml
import pynvml
which = pynvml.__file__.rsplit("/")[-1]
from vllm.engine.arg_utils import EngineArgs
from vllm.platforms import current_platform
try:
    EngineArgs(model=sys.argv[1], device="cuda:0").create_engine_config()  # as TRL 0.14 - 0.15 do
    error = None
except NotImplementedError as exception:
    error = type(exception).__name__
status = vcompat.status().get("vllm_real_pynvml")
print()
print(json.dumps({
    "pynvml": which, "platform": type(current_platform).__name__, "error": error, "status": status and status.status,
}))
"""


@pytest.fixture
def configure(tmp_path: Path, nvml_stub: Path) -> Any:
    def configured(version: str, patched: bool, *pins: str) -> Any:
        model = model_folder(tmp_path / "model", longest=2048)
        word = "patched" if patched else "unpatched"
        return run_program(version, CONFIGURE, nvml_stub, "1xV100", str(model), word, first=installed(*pins))

    return configured


@pytest.mark.slow
def test_0_7_2_with_the_old_pynvml_finds_no_gpu_without_the_patch(configure: Any) -> None:
    assert configure("0.7.2", False, "pynvml==11.5.3") == {
        "pynvml": "__init__.py",
        "platform": "UnspecifiedPlatform",
        "error": "NotImplementedError",
        "status": None,
    }


def test_0_7_2_with_the_old_pynvml_finds_its_gpu_with_the_patch(configure: Any) -> None:
    result = configure("0.7.2", True, "pynvml==11.5.3")
    assert result["platform"] in ("CudaPlatform", "NvmlCudaPlatform")
    assert (result["error"], result["status"]) == (None, "applied")


def test_0_7_2_without_the_old_pynvml_finds_its_gpu(configure: Any) -> None:
    result = configure("0.7.2", False)
    assert result["platform"] in ("CudaPlatform", "NvmlCudaPlatform")
    assert result["error"] is None


DETECT = """
import json
import vcompat
vcompat.patch(only=["vllm_real_pynvml"], strict=True)
import torch.cuda
import vllm.utils
from vllm.platforms import current_platform
status = vcompat.status()["vllm_real_pynvml"].status
print(json.dumps({"platform": type(current_platform).__name__, "status": status}))
"""


@pytest.mark.parametrize("version", ["0.7.1", "0.7.3"])
@pytest.mark.slow
def test_neighboring_releases_work_with_the_old_pynvml(version: str, nvml_stub: Path) -> None:
    result = run_program(version, DETECT, nvml_stub, "1xV100", first=installed("pynvml==11.5.3"))
    assert result["platform"] in ("CudaPlatform", "NvmlCudaPlatform")
    assert result["status"] == "not needed"
