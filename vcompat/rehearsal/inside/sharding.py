"""Weights that are sharded over the ranks: where this rank has its part, and what the ranks must do together.

FSDP2 keeps each parameter as a DTensor, DeepSpeed ZeRO stage 3 as its attribute `ds_tensor`. The local part has the
memory from which the parameter is gathered, for the trainer's forward as for the synchronization. So a part that is
moved in place is moved for both. A parameter that is still gathered would not be, so it is sharded again first, which
no other rank takes part in.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from torch import Tensor


def why_not_sharded(trainer: Any) -> str:
    """Return why the trainer's sharded weights cannot be moved in place; empty if they can, or are not sharded."""
    plugin, is_zero3 = _plugin(trainer), _is_zero3(trainer)
    if plugin is not None and getattr(plugin, "fsdp_version", 1) != 2:
        return "FSDP1 shards the weights, which the rehearsal does not move yet; FSDP2 can be rehearsed"
    if (plugin is not None or is_zero3) and getattr(trainer.model, "peft_config", None):
        return "the weights are sharded and an adapter is trained, which the rehearsal does not move yet"
    if is_zero3 and any(_is_elsewhere(one) for one in trainer.model.parameters()):
        return "DeepSpeed ZeRO stage 3 keeps copies of the weights, or keeps them in another form"
    return ""


def computes_in(trainer: Any) -> set[str]:
    """Return the names of the types with fewer bits in which the trainer computes, other than those of its weights."""
    names = {"bf16": "bfloat16", "fp16": "float16"}
    args, mixed = trainer.args, str(getattr(getattr(trainer, "accelerator", None), "mixed_precision", "no"))
    types = {name for short, name in names.items() if getattr(args, short, False) or mixed == short}
    policy = getattr(_plugin(trainer), "mixed_precision_policy", None)
    kind = str(getattr(policy, "param_dtype", None)).removeprefix("torch.")
    return types | ({kind} & set(names.values()))


def shard_again(model: Any) -> None:
    """Shard what a forward left gathered. Without FSDP2 or ZeRO stage 3, there is nothing to do."""
    kind = _fsdp2()
    for module in model.modules() if kind is not None else ():
        if isinstance(module, kind):
            module.reshard()
    for parameter in model.parameters():
        # Small parameters stay gathered from one forward to the next.
        if getattr(parameter, "ds_tensor", None) is not None and parameter.ds_status.name == "AVAILABLE":
            parameter.partition()


def local_of(tensor: Tensor) -> Tensor:
    """Return this rank's part of a parameter, in the same memory; the parameter itself if it is not sharded.

    FSDP2 can replace the part when the model is first called, so it is asked for each time.
    """
    import torch

    if (part := getattr(tensor, "ds_tensor", None)) is not None:
        return part.detach()  # type: ignore[no-any-return, unused-ignore]
    if not hasattr(tensor, "to_local"):
        return tensor.detach()
    with torch.no_grad():
        # With gradients enabled, it would be part of a graph.
        return tensor.to_local()  # type: ignore[no-any-return, unused-ignore]


def do_all(trainer: Any, answer: bool) -> bool:
    """Return whether each rank answers yes, where a forward needs all ranks; else this rank's own answer.

    Each rank must ask equally often. A rank that computed less than others would let them wait for ever.
    """
    if _plugin(trainer) is None and not _is_zero3(trainer):
        return answer
    import torch

    answers: list[Any] = [None] * torch.distributed.get_world_size()
    torch.distributed.all_gather_object(answers, answer)
    return all(answers)


def is_sharded(model: Any) -> bool:
    """Return whether a parameter is a DTensor, or one of ZeRO stage 3: its numbers are not all here."""
    return any(hasattr(one, "to_local") or hasattr(one, "ds_tensor") for one in model.parameters())


def shape_of(parameter: Tensor) -> tuple[int, ...]:
    """Return the shape of the whole parameter."""
    return tuple(getattr(parameter, "ds_shape", parameter.shape))


def _plugin(trainer: Any) -> Any:
    """The plug-in of FSDP; None without FSDP."""
    return _of_state(trainer, "fsdp_plugin")


def _of_state(trainer: Any, name: str) -> Any:
    return getattr(getattr(getattr(trainer, "accelerator", None), "state", None), name, None)


def _is_zero3(trainer: Any) -> bool:
    plugin = _of_state(trainer, "deepspeed_plugin")
    return plugin is not None and getattr(plugin, "zero_stage", 0) == 3


def _is_elsewhere(parameter: Any) -> bool:
    """Whether ZeRO gathers the parameter from something else than its part in memory."""
    part = getattr(parameter, "ds_tensor", None)
    if part is None:
        return False
    status = getattr(getattr(part, "status", None), "name", "AVAILABLE")
    has_copy = getattr(parameter, "ds_secondary_tensor", None) is not None
    return has_copy or part.dtype != parameter.dtype or status != "AVAILABLE"


def _fsdp2() -> Any:
    """The class of FSDP2's modules; None for a release of torch without it."""
    try:
        from torch.distributed.fsdp import FSDPModule
    except ImportError:
        return None
    return FSDPModule
