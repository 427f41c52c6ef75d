"""The call of the matrix product of models in FP8 with scales for blocks, for a number of tokens."""

from __future__ import annotations

from typing import Any

from vcompat.kernels.calls import Call, call, first_of

#: The layer, and its blocks that have a scale.
INNER, HIDDEN, BLOCK = 512, 1024, 128


def multiply(module: Any, dtype: Any, tokens: int) -> None:
    """Call ``w8a8_triton_block_scaled_mm`` or what it was called before 0.11.1."""
    import torch

    call(
        first_of(module, "w8a8_triton_block_scaled_mm", "w8a8_block_fp8_matmul"),
        {
            "A": torch.zeros(tokens, HIDDEN, dtype=torch.float8_e4m3fn),
            "B": torch.zeros(INNER, HIDDEN, dtype=torch.float8_e4m3fn),
            "As": torch.zeros(tokens, HIDDEN // BLOCK, dtype=torch.float32),
            "Bs": torch.zeros(INNER // BLOCK, HIDDEN // BLOCK, dtype=torch.float32),
            "block_size": [BLOCK, BLOCK],
            "output_dtype": dtype,
        },
    )


CALLS: dict[str, Call] = {"fp8-multiply": multiply}
