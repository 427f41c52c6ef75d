"""Calls of attention over the cache: prefix prefill and unified attention, for a head size."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from vcompat.kernels.calls import Call, call

#: A small batch: two sequences with cached prefixes, grouped-query attention as most models have it.
QUERY_HEADS, KEY_VALUE_HEADS, BLOCK, BLOCKS = 8, 2, 16, 64
QUERIES, CONTEXT = 64, 128
#: Parts that vLLM splits a long context into when it decodes.
SEGMENTS = 16


def prefix_prefill(module: Any, dtype: Any, head_size: int) -> None:
    """Call ``context_attention_fwd``: prompts of which a part is in the cache."""
    import torch

    tokens, packed = 2 * QUERIES, 16 // dtype.itemsize
    one = torch.ones(1, dtype=torch.float32)
    wrapper = module.context_attention_fwd
    # Up to 0.6.6, the scales are numbers.
    scale = 1.0 if inspect.signature(wrapper).parameters["k_scale"].annotation in (float, "float") else one
    arguments = {
        "q": torch.zeros(tokens, QUERY_HEADS, head_size, dtype=dtype),
        "k": torch.zeros(tokens, KEY_VALUE_HEADS, head_size, dtype=dtype),
        "v": torch.zeros(tokens, KEY_VALUE_HEADS, head_size, dtype=dtype),
        "o": torch.zeros(tokens, QUERY_HEADS, head_size, dtype=dtype),
        "kv_cache_dtype": "auto",
        "k_cache": torch.zeros(BLOCKS, KEY_VALUE_HEADS, head_size // packed, BLOCK, packed, dtype=dtype),
        "v_cache": torch.zeros(BLOCKS, KEY_VALUE_HEADS, head_size, BLOCK, dtype=dtype),
        "b_loc": torch.zeros(2, BLOCKS, dtype=torch.int32),
        "b_start_loc": torch.tensor([0, QUERIES, tokens], dtype=torch.int32),
        "b_seq_len": torch.full((2,), QUERIES + CONTEXT, dtype=torch.int32),
        "b_ctx_len": torch.full((2,), CONTEXT, dtype=torch.int32),
        "max_seq_len": QUERIES + CONTEXT,
        "max_input_len": QUERIES,
        "k_scale": scale,
        "v_scale": scale,
        "sm_scale": head_size**-0.5,
    }
    _without_unknown_batch(arguments, wrapper)
    call(wrapper, arguments)


def _without_unknown_batch(arguments: dict[str, Any], wrapper: Callable[..., Any]) -> None:
    """Up to 0.7.3, the starts of the sequences have no end."""
    if "b_ctx_len" in inspect.signature(wrapper).parameters:
        arguments["b_start_loc"] = arguments["b_start_loc"][:-1]


def unified_prefill(module: Any, dtype: Any, head_size: int) -> None:
    """Call ``unified_attention`` with prompts."""
    _unified(module, dtype, head_size, QUERIES)


def unified_decode(module: Any, dtype: Any, head_size: int) -> None:
    """Call ``unified_attention`` with one new token per sequence."""
    _unified(module, dtype, head_size, 1)


def _unified(module: Any, dtype: Any, head_size: int, queries: int) -> None:
    import torch

    tokens, length = 2 * queries, queries + CONTEXT
    cache = (BLOCKS, BLOCK, KEY_VALUE_HEADS, head_size)
    padded = 1 << (head_size - 1).bit_length()
    segments = (128, QUERY_HEADS, SEGMENTS)
    scale = torch.ones(2, KEY_VALUE_HEADS, dtype=torch.float32)
    call(
        module.unified_attention,
        {
            "q": torch.zeros(tokens, QUERY_HEADS, head_size, dtype=dtype),
            "k": torch.zeros(cache, dtype=dtype),
            "v": torch.zeros(cache, dtype=dtype),
            "out": torch.zeros(tokens, QUERY_HEADS, head_size, dtype=dtype),
            "cu_seqlens_q": torch.tensor([0, queries, tokens], dtype=torch.int32),
            "max_seqlen_q": queries,
            "seqused_k": torch.full((2,), length, dtype=torch.int32),
            "max_seqlen_k": length,
            "softmax_scale": head_size**-0.5,
            "causal": True,
            "window_size": (-1, -1),
            "block_table": torch.zeros(2, BLOCKS, dtype=torch.int32),
            "softcap": 0.0,
            "q_descale": None,
            "k_descale": scale,
            "v_descale": scale,
            "seq_threshold_3D": 64,
            "num_par_softmax_segments": SEGMENTS,
            "softmax_segm_output": torch.zeros(*segments, padded, dtype=torch.float32),
            "softmax_segm_max": torch.zeros(segments, dtype=torch.float32),
            "softmax_segm_expsum": torch.zeros(segments, dtype=torch.float32),
        },
    )


#: The calls by name.
CALLS: dict[str, Call] = {
    "prefix-prefill": prefix_prefill,
    "unified-prefill": unified_prefill,
    "unified-decode": unified_decode,
}
