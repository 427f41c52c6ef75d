"""The names under which vLLM gets the trainer's parameters, as TRL's `VLLMGeneration` makes them, also of adapters."""

from __future__ import annotations

from typing import Any

from vcompat.rehearsal.inside.digests import Trained
from vcompat.rehearsal.inside.sharding import shape_of

_ADAPTER, _MATRICES = ".lora_", (".lora_A.", ".lora_B.")


def what_is_trained(trainer: Any) -> Trained:
    """Return the parameters of the trainer's model, and which of them its training changes in vLLM."""
    shapes: dict[str, tuple[int, ...]] = {}
    names: dict[str, None] = {}
    adapted: set[str] = set()
    for name, parameter in trainer.model.named_parameters():
        if _ADAPTER in name:
            if parameter.requires_grad and any(matrix in name for matrix in _MATRICES):
                adapted.add(_plain(name.split(_ADAPTER)[0] + ".weight"))
        elif "original_module" not in name and parameter.is_floating_point():
            shapes[_plain(name)] = shape_of(parameter)
            if parameter.requires_grad:
                names[_plain(name)] = None
    # A quantized weight has no shape here, and vLLM may have it in another form.
    known = dict.fromkeys(name for name in shapes if name in adapted)
    return Trained(shapes, (*names, *known), adapted, int(getattr(trainer, "vllm_tensor_parallel_size", 1) or 1))


def _plain(name: str) -> str:
    name = name.removeprefix("base_model.model.").replace(".base_layer", "")
    return name.replace("modules_to_save.default.", "").replace("_checkpoint_wrapped_module.", "")
