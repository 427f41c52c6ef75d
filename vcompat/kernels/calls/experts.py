"""Calls of the experts of a mixture of experts, for a number of tokens."""

from __future__ import annotations

from typing import Any

from vcompat.kernels.calls import Call, call, first_of

#: A layer: the experts, those that a token goes to, and the sizes of their matrices.
EXPERTS, CHOSEN, INNER, HIDDEN = 8, 2, 512, 1024


def fused_experts(module: Any, dtype: Any, tokens: int) -> None:
    """Launch the kernel of the experts' first matrix, with the block sizes that the release takes by default.

    Tuned block sizes exist for some shapes on cards from compute capability 8.0 on.
    """
    import torch
    import triton.language as tl  # type: ignore[import-untyped,import-not-found,unused-ignore]

    sizes = {"M": tokens, "E": EXPERTS, "N": INNER, "K": HIDDEN, "topk": CHOSEN}
    config = call(module.get_default_config, {**sizes, "dtype": None, "is_marlin": False, "block_shape": None})
    block = config["BLOCK_SIZE_M"]
    padded = tokens * CHOSEN + EXPERTS * (block - 1)
    padded += -padded % block
    call(
        first_of(module, "invoke_fused_moe_triton_kernel", "invoke_fused_moe_kernel"),
        {
            "A": torch.zeros(tokens, HIDDEN, dtype=dtype),
            "B": torch.zeros(EXPERTS, INNER, HIDDEN, dtype=dtype),
            "C": torch.zeros(tokens, CHOSEN, INNER, dtype=dtype),
            "A_scale": None,
            "B_scale": None,
            "B_zp": None,
            "topk_weights": torch.zeros(tokens, CHOSEN, dtype=torch.float32),
            "topk_ids": torch.zeros(tokens, CHOSEN, dtype=torch.int32),
            "sorted_token_ids": torch.zeros(padded, dtype=torch.int32),
            "expert_ids": torch.zeros(padded // block, dtype=torch.int32),
            "num_tokens_post_padded": torch.full((1,), padded, dtype=torch.int32),
            "mul_routed_weight": False,
            "top_k": CHOSEN,
            "config": config,
            "compute_type": getattr(tl, str(dtype).rpartition(".")[2]),
            "use_fp8_w8a8": False,
            "use_int8_w8a8": False,
            "use_int8_w8a16": False,
            "use_int4_w4a16": False,
            "per_channel_quant": False,
        },
    )


CALLS: dict[str, Call] = {"experts": fused_experts}
