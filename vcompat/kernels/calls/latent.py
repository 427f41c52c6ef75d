"""The call of multi-head latent attention for one new token per sequence."""

from __future__ import annotations

from typing import Any

from vcompat.kernels.calls import Call, call

#: A small batch. What the cache has of a token: the latent part, and with it the rotary one.
SEQUENCES, HEADS, LATENT, BLOCK, BLOCKS, SPLITS = 2, 16, 512, 16, 64, 4


def decode(module: Any, dtype: Any, size: int) -> None:
    """Call ``decode_attention_fwd`` with a cache that has `size` values for each token."""
    import torch

    cache = torch.zeros(BLOCKS, BLOCK, 1, size, dtype=dtype)
    one = torch.ones(1, dtype=torch.float32)
    call(
        module.decode_attention_fwd,
        {
            "q": torch.zeros(SEQUENCES, HEADS, size, dtype=dtype),
            "k_buffer": cache,
            "v_buffer": cache[..., :LATENT],
            "o": torch.zeros(SEQUENCES, HEADS, LATENT, dtype=dtype),
            "lse": torch.zeros(SEQUENCES, HEADS, dtype=dtype),
            "req_to_token": torch.zeros(SEQUENCES, BLOCKS, dtype=torch.int32),
            "b_seq_len": torch.full((SEQUENCES,), 128, dtype=torch.int32),
            "attn_logits": torch.zeros(SEQUENCES, HEADS, SPLITS, LATENT + 1, dtype=torch.float32),
            "num_kv_splits": SPLITS,
            "sm_scale": size**-0.5,
            "page_size": BLOCK,
            "k_scale": one,
            "v_scale": one,
            "is_mla": True,
        },
    )


CALLS: dict[str, Call] = {"latent-decode": decode}
