"""Calls that write keys and values to the cache, and that merge two parts of an attention; for a head size."""

from __future__ import annotations

from typing import Any

from vcompat.kernels.calls import Call, call

#: A small batch and its cache.
TOKENS, QUERY_HEADS, KEY_VALUE_HEADS, BLOCK, BLOCKS = 64, 8, 2, 16, 64


def write_to_cache(module: Any, dtype: Any, head_size: int) -> None:
    """Call ``triton_reshape_and_cache_flash``."""
    import torch

    one = torch.ones(1, dtype=torch.float32)
    call(
        module.triton_reshape_and_cache_flash,
        {
            "key": torch.zeros(TOKENS, KEY_VALUE_HEADS, head_size, dtype=dtype),
            "value": torch.zeros(TOKENS, KEY_VALUE_HEADS, head_size, dtype=dtype),
            "key_cache": torch.zeros(BLOCKS, BLOCK, KEY_VALUE_HEADS, head_size, dtype=dtype),
            "value_cache": torch.zeros(BLOCKS, BLOCK, KEY_VALUE_HEADS, head_size, dtype=dtype),
            "slot_mapping": torch.zeros(TOKENS, dtype=torch.int64),
            "kv_cache_dtype": "auto",
            "k_scale": one,
            "v_scale": one,
        },
    )


def merge_states(module: Any, dtype: Any, head_size: int) -> None:
    """Call ``merge_attn_states``."""
    import torch

    part = (TOKENS, QUERY_HEADS, head_size)
    sums = (QUERY_HEADS, TOKENS)
    call(
        module.merge_attn_states,
        {
            "output": torch.zeros(part, dtype=dtype),
            "prefix_output": torch.zeros(part, dtype=dtype),
            "prefix_lse": torch.zeros(sums, dtype=torch.float32),
            "suffix_output": torch.zeros(part, dtype=dtype),
            "suffix_lse": torch.zeros(sums, dtype=torch.float32),
        },
    )


CALLS: dict[str, Call] = {"write-to-cache": write_to_cache, "merge-states": merge_states}
