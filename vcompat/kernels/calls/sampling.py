"""Calls of the sampler and of the penalties of the second model runner, for a size of the vocabulary."""

from __future__ import annotations

from typing import Any

from vcompat.kernels.calls import Call, call

#: Sequences of a batch.
SEQUENCES = 4


def sample(module: Any, dtype: Any, vocabulary: int) -> None:
    """Call ``gumbel_sample``. vLLM's logits are of `dtype` or float32; these are float32."""
    import torch

    rows = torch.arange(SEQUENCES, dtype=torch.int32)
    call(
        module.gumbel_sample,
        {
            "logits": torch.zeros(SEQUENCES, vocabulary, dtype=torch.float32),
            "idx_mapping": rows,
            "expanded_idx_mapping": rows,
            "temperature": torch.ones(SEQUENCES, dtype=torch.float32),
            "seed": torch.zeros(SEQUENCES, dtype=torch.int64),
            "pos": torch.zeros(SEQUENCES, dtype=torch.int64),
            "apply_temperature": True,
            "is_drafting": False,
        },
    )


def penalize(module: Any, dtype: Any, vocabulary: int) -> None:
    """Call ``apply_penalties``."""
    import torch

    rows = torch.arange(SEQUENCES, dtype=torch.int32)
    penalty = torch.ones(SEQUENCES, dtype=torch.float32)
    call(
        module.apply_penalties,
        {
            "logits": torch.zeros(SEQUENCES, vocabulary, dtype=torch.float32),
            "idx_mapping": rows,
            "expanded_idx_mapping": rows,
            "token_ids": torch.zeros(SEQUENCES, dtype=torch.int32),
            "expanded_local_pos": torch.zeros(SEQUENCES, dtype=torch.int32),
            "repetition_penalty": penalty,
            "frequency_penalty": penalty,
            "presence_penalty": penalty,
            "prompt_bin_mask": torch.zeros(SEQUENCES, vocabulary // 32, dtype=torch.int32),
            "output_bin_counts": torch.zeros(SEQUENCES, vocabulary, dtype=torch.int32),
            "num_speculative_tokens": 0,
        },
    )


CALLS: dict[str, Call] = {"sample": sample, "penalize": penalize}
