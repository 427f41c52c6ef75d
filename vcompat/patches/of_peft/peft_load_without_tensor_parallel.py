"""Load a LoRA adapter with PEFT 0.19 under a transformers that has no `EmbeddingParallel`.

Why: where torch.distributed is initialized, PEFT 0.19.0 and 0.19.1 prepare to shard the adapter for a model that
transformers loaded with tensor parallelism. They first import `EmbeddingParallel`, which transformers has from 5.1.0 to
5.15.1 only. So resume_from_checkpoint, load_best_model_at_end and PeftModel.from_pretrained raise ImportError.
Colocated vLLM initializes torch.distributed, also with one process.
How: wrap `_maybe_shard_state_dict_for_tp`. If no layer of the model has a tensor-parallel plan, there is nothing to
shard, and the function is not called. PEFT 0.20.0 checks the same before its import.
Process: every rank.
Upstream: fixed in PEFT 0.20.0.
Remove when: PEFT 0.19.1 is no longer supported.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from vcompat.patching.patch import Change, Patch
from vcompat.patching.replace import Wrap


def _is_sharded(module: Any) -> bool:
    """Whether transformers sharded the layer. The adapter's own layer stands for the layer in it."""
    layer = module.get_base_layer() if hasattr(module, "get_base_layer") else module
    return getattr(layer, "_hf_tp_plan", None) is not None


def _if_sharded(shard: Callable[..., None]) -> Callable[..., None]:
    def shard_if_sharded(model: Any, *args: Any, **kwargs: Any) -> None:
        if any(_is_sharded(module) for module in model.modules()):
            shard(model, *args, **kwargs)

    return shard_if_sharded


PATCH = Patch(
    id="peft_load_without_tensor_parallel",
    title="Load a LoRA adapter without what transformers has for tensor parallelism",
    package="peft",
    process="every rank",
    changes=(
        Change(
            "peft.utils.save_and_load",
            "_maybe_shard_state_dict_for_tp",
            Wrap("_maybe_shard_state_dict_for_tp", _if_sharded),
            shape=("getattr(base_layer, '_hf_tp_plan', None)", "EmbeddingParallel"),
            lacks=("if not tp_lora_modules:",),
        ),
    ),
)
