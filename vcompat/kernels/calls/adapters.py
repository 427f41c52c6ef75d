"""Calls of the two matrices of LoRA adapters, for a rank."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from vcompat.kernels.calls import Call, call, first_of

#: A batch in which all tokens have one adapter, of a layer with this width.
TOKENS, HIDDEN, ADAPTERS = 64, 1024, 4


def shrink(module: Any, dtype: Any, rank: int) -> None:
    """Multiply the input of a layer by an adapter's first matrix."""
    import torch

    wrapper = first_of(module, "_lora_shrink", "_sgmv_shrink")
    weights = torch.zeros(ADAPTERS, 1, rank, HIDDEN, dtype=dtype)
    call(
        wrapper,
        {
            **_batch(wrapper),
            "inputs": torch.zeros(TOKENS, HIDDEN, dtype=dtype),
            "lora_a_weights": _weights(wrapper, "lora_a_weights", weights),
            "output_tensor": torch.zeros(*_slices(wrapper), TOKENS, rank, dtype=torch.float32),
            "scaling": 1.0,
        },
    )


def expand(module: Any, dtype: Any, rank: int) -> None:
    """Multiply what is left by an adapter's second matrix, and add it to the output of the layer."""
    import torch

    wrapper = first_of(module, "_lora_expand", "_sgmv_expand")
    weights = torch.zeros(ADAPTERS, 1, HIDDEN, rank, dtype=dtype)
    call(
        wrapper,
        {
            **_batch(wrapper),
            "inputs": torch.zeros(*_slices(wrapper), TOKENS, rank, dtype=torch.float32),
            "lora_b_weights": _weights(wrapper, "lora_b_weights", weights),
            "output_tensor": torch.zeros(TOKENS, HIDDEN, dtype=dtype),
            "add_inputs": True,
        },
    )


def _weights(wrapper: Callable[..., Any], parameter: str, weights: Any) -> Any:
    """The weights of the layer's parts. Up to 0.6.6, a layer has one part."""
    annotation = str(inspect.signature(wrapper).parameters[parameter].annotation)
    return [weights] if "list[" in annotation.lower() else weights


def _slices(wrapper: Callable[..., Any]) -> tuple[int, ...]:
    """The first dimension of what is between the two matrices: the number of the layer's parts, from 0.7.0 on."""
    name = next(name for name in inspect.signature(wrapper).parameters if name.endswith("_weights"))
    return (1,) if isinstance(_weights(wrapper, name, None), list) else ()


def _batch(wrapper: Callable[..., Any]) -> dict[str, Any]:
    """Which tokens have which adapter. Up to 0.7.3, it is stated for each sequence."""
    import torch

    number = inspect.signature(wrapper).parameters.get("num_active_loras")
    active: Any = 1 if number is not None and number.annotation in (int, "int") else torch.ones(1, dtype=torch.int32)
    return {
        "token_lora_mapping": torch.zeros(TOKENS, dtype=torch.int32),
        "token_indices_sorted_by_lora_ids": torch.arange(TOKENS, dtype=torch.int32),
        "num_tokens_per_lora": torch.tensor([TOKENS, *[0] * ADAPTERS], dtype=torch.int32),
        "lora_token_start_loc": torch.tensor([0, *[TOKENS] * (ADAPTERS + 1)], dtype=torch.int32),
        "lora_ids": torch.tensor([0, *[-1] * ADAPTERS], dtype=torch.int32),
        "no_lora_flag_cpu": torch.tensor([False]),
        "num_active_loras": active,
        "b_seq_start_loc": torch.zeros(1, dtype=torch.int32),
        "seq_len_tensor": torch.full((1,), TOKENS, dtype=torch.int32),
        "lora_indices_tensor": torch.zeros(1, dtype=torch.int32),
        "batches": 1,
        "max_seq_length": TOKENS,
        "token_nums": TOKENS,
    }


CALLS: dict[str, Call] = {"adapter-shrink": shrink, "adapter-expand": expand}
