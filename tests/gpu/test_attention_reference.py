"""What kernels on a GPU are compared with: compared with torch's own attention. These tests need no GPU."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

torch = pytest.importorskip("torch")

from tests.gpu.kernels.attention import TOLERANCES, Filling, attention, expected  # noqa: E402
from vcompat.kernels.calls.attention import BLOCKS, CALLS, CONTEXT  # noqa: E402


def context_attention_fwd(  # type: ignore[no-untyped-def]
    q, k, v, o, k_cache, v_cache, b_loc, b_start_loc, b_seq_len, max_input_len, k_scale, sm_scale
) -> None:
    """Stands for a wrapper that computes nothing."""


def unified_attention(q, k, v, out, cu_seqlens_q, seqused_k, block_table, softmax_scale) -> None:  # type: ignore[no-untyped-def]
    """Stands for a wrapper that computes nothing."""


WRAPPERS: dict[str, Callable[..., Any]] = {
    "prefix-prefill": context_attention_fwd,
    "unified-prefill": unified_attention,
    "unified-decode": unified_attention,
}


def filled(call: str, dtype: str = "float32", seed: int = 1) -> Filling:
    filling = Filling(WRAPPERS[call], seed)
    CALLS[call](filling, getattr(torch, dtype), 64)
    return filling


@pytest.mark.parametrize("queries", [1, 64])
def test_the_reference_is_torch_s_attention(queries: int) -> None:
    chance = torch.Generator().manual_seed(2)
    query, key, value = (
        torch.randn(tokens, heads, 64, generator=chance) for tokens, heads in ((queries, 8), (96, 2), (96, 2))
    )
    seen = torch.ones(queries, 96, dtype=torch.bool).tril(96 - queries)
    theirs = torch.nn.functional.scaled_dot_product_attention(
        *(tensor.transpose(0, 1) for tensor in (query, key, value)), attn_mask=seen, enable_gqa=True
    )
    torch.testing.assert_close(attention(query, key, value), theirs.transpose(0, 1))


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("dtype", TOLERANCES)
def test_the_inputs_are_numbers_and_the_result_is_not_yet(call: str, dtype: str) -> None:
    filling = filled(call, dtype)
    inputs = {name: tensor for name, tensor in filling.arguments.items() if name not in ("o", "out")}
    assert all(torch.isfinite(tensor).all() for tensor in inputs.values() if isinstance(tensor, torch.Tensor))
    assert filling.result.isnan().all()
    assert torch.isfinite(expected(filling.arguments)).all()
    assert inputs["q"].float().std().item() == pytest.approx(1, abs=0.1)


@pytest.mark.parametrize("call", CALLS)
def test_two_sequences_share_no_block(call: str) -> None:
    arguments = filled(call).arguments
    tables = arguments["b_loc" if "b_loc" in arguments else "block_table"]
    first, second = (set(row[: BLOCKS // 2].tolist()) for row in tables)
    assert (len(first), len(second), first & second) == (BLOCKS // 2, BLOCKS // 2, set())


@pytest.mark.parametrize("call", CALLS)
def test_a_wrong_block_differs_by_more_than_the_tolerances(call: str) -> None:
    arguments: dict[str, Any] = filled(call).arguments
    right = expected(arguments)
    table = arguments["b_loc" if "b_loc" in arguments else "block_table"][0]
    last = CONTEXT // 16 - 1
    table[last] = table[last + BLOCKS // 2]
    assert (expected(arguments) - right).abs().max() > max(TOLERANCES.values())
