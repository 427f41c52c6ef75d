"""Load experts that transformers 5 holds in one parameter into vLLM's Qwen MoE models, in vLLM 0.8.4 - 0.24.0.

Why: transformers 5 holds the experts of a layer in two parameters, `experts.gate_up_proj` and `experts.down_proj`, and
trainers send them under these names. The models of vLLM know the experts only one by one, as in the checkpoint. Qwen3
MoE and Qwen3 Next of 0.18.0 - 0.24.0 skip unknown names silently and go on generating with the experts of the initial
checkpoint. Qwen2 MoE raises a KeyError.
How: wrap `load_weights` of these models. A fused parameter becomes the weights of each expert, which are views of it:
its first half is the gate projection, its second half the up projection. All other weights pass unchanged. The result
is that of loading a checkpoint.
Process: every vLLM process.
Upstream: no known issue; 0.25.0 loads the fused parameters.
Remove when: vLLM below 0.25.0 is no longer supported.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from vcompat.patching.patch import Change, Patch
from vcompat.patching.replace import Wrap

_GATE_UP, _DOWN = ".experts.gate_up_proj", ".experts.down_proj"
#: Dimensions of a fused parameter: experts, outputs, inputs.
_FUSED = 3


def _one_by_one(weights: Iterable[tuple[str, Any]]) -> Iterator[tuple[str, Any]]:
    for name, weight in weights:
        if name.endswith(_GATE_UP) and weight.ndim == _FUSED:
            experts = name.removesuffix("gate_up_proj")
            for number, both in enumerate(weight):
                gate, up = both.chunk(2, dim=0)
                yield f"{experts}{number}.gate_proj.weight", gate
                yield f"{experts}{number}.up_proj.weight", up
        elif name.endswith(_DOWN) and weight.ndim == _FUSED:
            experts = name.removesuffix("down_proj")
            for number, down in enumerate(weight):
                yield f"{experts}{number}.down_proj.weight", down
        else:
            yield name, weight


def _unfusing(load_weights: Callable[..., Any]) -> Callable[..., Any]:
    def load_weights_one_by_one(self: Any, weights: Iterable[tuple[str, Any]], *args: Any, **kwargs: Any) -> Any:
        return load_weights(self, _one_by_one(weights), *args, **kwargs)

    return load_weights_one_by_one


def _change(file: str, model: str) -> Change:
    return Change(
        f"vllm.model_executor.models.{file}",
        f"{model}.load_weights",
        Wrap(f"{model}.load_weights", _unfusing),
        shape=("def load_weights(self, weights: Iterable[", "if 'mlp.experts' in name:"),
        has=("('gate_up_proj', 'gate_proj', 0)", "for mapping in expert_params_mapping"),
        lacks=("is_fused_expert",),
    )


PATCH = Patch(
    id="vllm_fused_experts",
    title="Load fused experts of transformers 5 into Qwen MoE models",
    package="vllm",
    process="every vLLM process",
    changes=(
        _change("qwen3_moe", "Qwen3MoeModel"),
        _change("qwen3_next", "Qwen3NextModel"),
        _change("qwen2_moe", "Qwen2MoeModel"),
    ),
)
