"""Keep the weight loaders of mixture-of-experts layers, in vLLM 0.8.2 - 0.8.4.

Why: after loading a model, `UnquantizedFusedMoEMethod.process_weights_after_loading` pads the weights of the experts,
which changes nothing on NVIDIA GPUs, and makes new parameters of the result. The new parameters lack the attributes of
the old ones, one of which is the `weight_loader` that `load_weights` needs. The first weight synchronization fails with
"'Parameter' object has no attribute 'weight_loader'".
How: wrap the method. If a new parameter has the same memory as the old one, it gets the attributes of the old one back.
Where the method rearranges the weights (padding and AITER's layout on AMD GPUs, the kernels for CPUs), the parameter
stays without a loader, because loading into it would silently give wrong weights.
Process: every vLLM process.
Upstream: fixed in 0.8.5, which keeps the parameters; no known issue.
Remove when: vLLM below 0.8.5 is no longer supported.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from vcompat.patching.patch import Change, Patch
from vcompat.patching.replace import Wrap

#: The parameters of a layer that the method replaces.
_WEIGHTS = ("w13_weight", "w2_weight")


def _keeping_attributes(process: Callable[..., Any]) -> Callable[..., Any]:
    def process_and_keep_attributes(self: Any, layer: Any, *args: Any, **kwargs: Any) -> Any:
        before = {name: getattr(layer, name, None) for name in _WEIGHTS}
        result = process(self, layer, *args, **kwargs)
        # Present only on CPUs, where a kernel computes with a copy of the weights.
        if not hasattr(layer, "ipex_fusion"):
            for name, old in before.items():
                _restore_attributes(old, getattr(layer, name, None))
        return result

    return process_and_keep_attributes


def _restore_attributes(old: Any, new: Any) -> None:
    """Give `new` the attributes of `old` if both are the same weights, in the same place and layout."""
    if old is None or new is None or new is old:
        return
    if new.data_ptr() == old.data_ptr() and new.shape == old.shape and new.stride() == old.stride():
        for key, value in vars(old).items():
            if not hasattr(new, key):
                setattr(new, key, value)


PATCH = Patch(
    id="vllm_moe_weight_sync",
    title="Synchronize the weights of mixture-of-experts layers",
    package="vllm",
    process="every vLLM process",
    changes=(
        Change(
            "vllm.model_executor.layers.fused_moe.layer",
            "UnquantizedFusedMoEMethod.process_weights_after_loading",
            Wrap("UnquantizedFusedMoEMethod.process_weights_after_loading", _keeping_attributes),
            shape=("layer.w2_weight = torch.nn.Parameter", "self._maybe_pad_weight(layer.w13_weight.data)"),
            has=("layer.w13_weight = torch.nn.Parameter",),
        ),
    ),
)
