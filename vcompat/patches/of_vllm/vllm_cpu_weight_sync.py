"""Synchronize weights into vLLM on the CPU, in vLLM 0.10.2 and later.

Why: after loading, vLLM's CPU platform packs the weight of each linear layer for its own kernels. It replaces the
parameter with an empty one that lacks the `weight_loader` that `load_weights` needs. The first weight synchronization
fails with "'Parameter' object has no attribute 'weight_loader'". The output layer keeps its parameter but computes with
the copy packed from the initial checkpoint, so it would silently ignore new weights.
How: replace `dispatch_cpu_unquantized_gemm`. The weight of a linear layer stays in place and torch's linear uses it, as
vLLM does itself where none of its kernels fits. Packing again after each synchronization would keep vLLM's kernels, but
the three kernels pack differently and replace each other's parameter. torch's linear is correct with any of them.
Convolution weights are not changed.
Process: every vLLM process.
Upstream: no known issue; the code is in vllm/model_executor/layers/utils.py.
Remove when: vLLM's CPU platform keeps `weight_loader` and packs again after `load_weights`.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import ModuleType
from typing import Any

from vcompat.patching.patch import Change, Patch
from vcompat.patching.replace import Wrap


def _keeping_the_weight(dispatch: Callable[..., None]) -> Callable[..., None]:
    def dispatch_without_packing(layer: Any, *args: Any, **kwargs: Any) -> None:
        import torch

        if layer.weight.is_meta or layer.weight.ndim != 2:
            dispatch(layer, *args, **kwargs)
        else:
            layer.cpu_linear = torch.nn.functional.linear

    return dispatch_without_packing


def _weights_are_packed(module: ModuleType) -> str:
    """Why the patch comes too late: weights that are already packed stay packed."""
    parallel = sys.modules.get("vllm.distributed.parallel_state")
    built = parallel is not None and getattr(parallel, "_WORLD", None) is not None
    return "vLLM already built an engine in this process and packed its weights" if built else ""


PATCH = Patch(
    id="vllm_cpu_weight_sync",
    title="Synchronize weights into vLLM on the CPU",
    package="vllm",
    process="every vLLM process",
    changes=(
        Change(
            "vllm.model_executor.layers.utils",
            "dispatch_cpu_unquantized_gemm",
            Wrap("dispatch_cpu_unquantized_gemm", _keeping_the_weight),
            shape=("layer.cpu_linear = ", "torch.nn.functional.linear"),
            has=("remove_weight", "layer.weight = torch.nn.Parameter(torch.empty(0"),
            too_late=_weights_are_packed,
        ),
    ),
)
