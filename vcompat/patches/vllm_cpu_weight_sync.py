"""Lets weights be synchronised into vLLM on the CPU, from vLLM 0.10.2 on.

Why: after loading, vLLM's CPU platform packs each linear layer's weight for its own kernels and puts an empty
parameter in its place, one without the `weight_loader` that `load_weights` needs. The trainer's first synchronisation
then dies with "'Parameter' object has no attribute 'weight_loader'". The output layer keeps its parameter, but goes
on computing with the copy that was packed from the first checkpoint, so it would take no new weight, without a word.
How: `dispatch_cpu_unquantized_gemm` leaves the weight of a linear layer where it is and lets torch's own linear use
it, as vLLM does itself where none of its kernels fits. Packing again after each synchronisation would keep vLLM's
kernels, but each of three kernels packs differently and in place of the other's parameter; torch's linear is right
with any of them. Convolution weights are left to upstream.
Process: every vLLM process.
Upstream: no thread is known; the code is in vllm/model_executor/layers/utils.py.
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


def _an_engine_is_built(module: ModuleType) -> str:
    """Weights that were packed stay packed."""
    parallel = sys.modules.get("vllm.distributed.parallel_state")
    built = parallel is not None and getattr(parallel, "_WORLD", None) is not None
    return "vLLM has built an engine in this process and packed its weights" if built else ""


PATCH = Patch(
    id="vllm_cpu_weight_sync",
    title="Synchronise weights into vLLM on the CPU",
    package="vllm",
    process="every vLLM process",
    changes=(
        Change(
            "vllm.model_executor.layers.utils",
            "dispatch_cpu_unquantized_gemm",
            Wrap("dispatch_cpu_unquantized_gemm", _keeping_the_weight),
            shape=("layer.cpu_linear = ", "torch.nn.functional.linear"),
            has=("remove_weight", "layer.weight = torch.nn.Parameter(torch.empty(0"),
            too_late=_an_engine_is_built,
        ),
    ),
)
