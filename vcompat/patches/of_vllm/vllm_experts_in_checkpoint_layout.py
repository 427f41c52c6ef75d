"""Compute unquantized experts with Triton's kernel, whose weights can be synchronized, in vLLM 0.20.0 and later.

Why: after loading, FlashInfer's kernels get the experts in an order of their own: CUTLASS with gate and up projections
swapped, TRT-LLM in blocks. The parameters keep the loader of the checkpoint, so `load_weights` writes the trainer's
weights in the order of the checkpoint. All completions after the first synchronization are gibberish, or it raises a
ValueError.
How: wrap `_get_priority_backends` and move FlashInfer's kernels to the end. vLLM then takes Triton's, which computes
with the order of the checkpoint, unless it does not support the model. An engine with a configured weight transfer
keeps vLLM's order: there, vLLM itself restores the order of the checkpoint and converts the weights again.
Process: every vLLM process.
Upstream: https://github.com/vllm-project/vllm/issues/42821, not fixed in 0.33.0.
Remove when: `load_weights` of an initialized engine converts the experts.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

from vcompat.patching.patch import Change, Patch
from vcompat.patching.replace import Wrap

_MODULE = "vllm.model_executor.layers.fused_moe.oracle.unquantized"
_OF_FLASHINFER = "FLASHINFER_"


def _converts_itself() -> bool:
    """Whether the engine that is being built has a weight transfer, which converts the experts each time."""
    config = sys.modules["vllm.config.vllm"].get_current_vllm_config_or_none()
    return config is not None and config.weight_transfer_config is not None


def _flashinfer_last(order: Callable[..., Any]) -> Callable[..., Any]:
    def order_with_flashinfer_last(*args: Any, **kwargs: Any) -> Any:
        backends = order(*args, **kwargs)
        if _converts_itself():
            return backends
        return sorted(backends, key=lambda backend: str(backend.name).startswith(_OF_FLASHINFER))

    return order_with_flashinfer_last


PATCH = Patch(
    id="vllm_experts_in_checkpoint_layout",
    title="Compute unquantized experts with a kernel whose weights can be synchronized",
    package="vllm",
    process="every vLLM process",
    changes=(
        Change(
            _MODULE,
            "_get_priority_backends",
            Wrap("_get_priority_backends", _flashinfer_last),
            shape=("current_platform.is_cuda()", "UnquantizedMoeBackend.TRITON", "return _AVAILABLE_BACKENDS"),
            has=("UnquantizedMoeBackend.FLASHINFER_CUTLASS, UnquantizedMoeBackend.TRITON",),
        ),
    ),
)
