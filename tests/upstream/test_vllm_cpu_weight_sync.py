"""vLLM's real selection of a CPU kernel for a linear layer, in several releases, with real kernels of the installed build.

The linear layer has only what the function uses: a weight with a `weight_loader`, and a bias.
"""

from __future__ import annotations

import logging
import os
import subprocess
import sys
from collections.abc import Callable
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest
import torch

from vcompat.patches.of_vllm.vllm_cpu_weight_sync import PATCH
from vcompat.sources.probe.host import probe_host

UTILS = "vllm.model_executor.layers.utils"
AFFECTED = ["0.10.2", "0.13.0", "0.20.0", "0.27.1", "0.31.0", "0.33.0"]


@pytest.fixture(scope="module")
def kernels() -> Any:
    """vLLM's own oneDNN kernels, from the installed CPU build."""
    from vllm import _custom_ops
    from vllm.platforms import current_platform

    current_platform.import_kernels()
    assert hasattr(torch.ops._C, "create_onednn_mm_handler")
    return _custom_ops


@pytest.fixture
def dispatch(upstream_module: Callable[..., ModuleType], kernels: Any) -> Callable[[str], ModuleType]:
    logger = logging.getLogger("vllm")
    log = SimpleNamespace(debug_once=logger.debug, warning_once=logger.warning, info_once=logger.info)
    namespace = {
        "CpuArchEnum": SimpleNamespace(POWERPC=object()),
        # The kernels for particular processors are not selected.
        "check_cpu_sgl_kernel": lambda n, k, dtype: False,
        "current_platform": SimpleNamespace(is_zen_cpu=lambda: False, get_cpu_architecture=lambda: "x86"),
        "envs": SimpleNamespace(VLLM_CPU_SGL_KERNEL=False),
        "logger": log,
        "ops": SimpleNamespace(
            _supports_onednn=True, create_onednn_mm=kernels.create_onednn_mm, onednn_mm=kernels.onednn_mm
        ),
        "torch": torch,
    }
    return lambda version: upstream_module("vllm", version, UTILS, ("dispatch_cpu_unquantized_gemm",), namespace)


class Linear(torch.nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.weight = torch.nn.Parameter(torch.zeros(32, 64), requires_grad=False)
        self.weight.weight_loader = lambda parameter, loaded: parameter.data.copy_(loaded)  # type: ignore[attr-defined]
        self.bias = None

    def load(self, weight: torch.Tensor) -> None:
        """Load a weight as `load_weights` does."""
        self.weight.weight_loader(self.weight, weight)  # type: ignore[attr-defined]

    def forward(self, inputs: torch.Tensor) -> torch.Tensor:
        outputs: torch.Tensor = self.cpu_linear(inputs, self.weight, self.bias)
        return outputs


def outcome_of_a_synchronization(module: ModuleType, remove_weight: bool) -> str:
    """Dispatch as vLLM does after loading a checkpoint, then load other weights, as the trainer does."""
    layer, inputs, trained = Linear(), torch.ones(3, 64), torch.ones(32, 64)
    module.dispatch_cpu_unquantized_gemm(layer, remove_weight)
    try:
        layer.load(trained)
    except AttributeError as error:
        return str(error)
    fresh = torch.allclose(layer(inputs), inputs @ trained.T)
    return "computes with the new weight" if fresh else "computes with the old weight"


@pytest.mark.parametrize("version", AFFECTED)
@pytest.mark.parametrize(
    ("remove_weight", "instead"),
    [(True, "'Parameter' object has no attribute 'weight_loader'"), (False, "computes with the old weight")],
    ids=["linear layer", "output layer"],
)
def test_new_weights_are_used_only_with_the_patch(
    version: str, remove_weight: bool, instead: str, dispatch: Any, engine_of: Any
) -> None:
    module = dispatch(version)
    assert outcome_of_a_synchronization(module, remove_weight) == instead
    engine = engine_of(PATCH)
    assert engine.patch(None, (), strict=True)[PATCH.id].status == "applied"
    assert outcome_of_a_synchronization(module, remove_weight) == "computes with the new weight"
    engine.unpatch()
    assert outcome_of_a_synchronization(module, remove_weight) == instead


def test_a_convolution_is_not_changed(dispatch: Any, outcome: Any) -> None:
    module = dispatch("0.31.0")
    assert outcome(PATCH) == "applied"
    layer = SimpleNamespace(weight=torch.nn.Parameter(torch.zeros(4, 1, 3)))
    module.dispatch_cpu_unquantized_gemm(layer, True)
    assert not hasattr(layer, "cpu_linear")


def test_a_release_without_the_function_is_not_patched(
    upstream_module: Callable[..., ModuleType], outcome: Any
) -> None:
    upstream_module("vllm", "0.10.1.1", UTILS, ("rocm_unquantized_gemm",), {"torch": torch})
    assert outcome(PATCH) == "not needed"


ISA = """
import torch
from vllm import _custom_ops
from vllm.platforms import current_platform

current_platform.import_kernels()
for dtype in (torch.float32, torch.bfloat16, torch.float16):
    try:
        _custom_ops.create_onednn_mm(torch.ones(32, 64, dtype=dtype).t(), 32)
        print("PACKED", dtype)
    except RuntimeError:
        pass
"""


@pytest.mark.skipif(probe_host().value("host.avx512") is not True, reason="a processor without AVX-512")
@pytest.mark.parametrize(
    ("limit", "packed"),
    [
        pytest.param("AVX2", ["torch.float32"], marks=pytest.mark.slow),
        ("AVX512_CORE", ["torch.float32", "torch.bfloat16"]),
    ],
)
def test_which_data_types_are_packed_depends_on_avx512(limit: str, packed: list[str]) -> None:
    environment = {**os.environ, "ONEDNN_MAX_CPU_ISA": limit}
    done = subprocess.run([sys.executable, "-c", ISA], env=environment, capture_output=True, text=True, check=True)
    assert [line.split()[1] for line in done.stdout.splitlines() if line.startswith("PACKED")] == packed
