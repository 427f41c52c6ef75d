"""Attention over a cache, computed by torch in float32, and the random tensors that it and a kernel get.

The calls of `vcompat.kernels.calls.attention` allocate zeros. `Filling` takes the place of the module that they call: it
fills their arguments, calls the real wrapper, and keeps the arguments for `expected`.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import torch

from vcompat.kernels.calls.attention import BLOCK, BLOCKS, CONTEXT

#: The largest difference to float32 that the rounding of a data type explains, for values of a normal distribution. On
#: GPUs, float32 is multiplied as TF32, with 10 bits as float16 has.
TOLERANCES = {"float16": 5e-3, "bfloat16": 3e-2, "float32": 5e-3}
_VALUES, _TABLES, _RESULTS = ("q", "k", "v", "k_cache", "v_cache"), ("b_loc", "block_table"), ("o", "out")


class Filling(SimpleNamespace):
    """A module with one function: the wrapper, with random arguments that are the same for the same seed."""

    def __init__(self, wrapper: Callable[..., Any], seed: int) -> None:
        self.arguments: dict[str, Any] = {}

        @functools.wraps(wrapper)
        def filled(**arguments: Any) -> Any:
            self.arguments = arguments
            fill(arguments, seed)
            return wrapper(**arguments)

        super().__init__(**{wrapper.__name__: filled})

    @property
    def result(self) -> torch.Tensor:
        """What the wrapper computed."""
        found: torch.Tensor = next(self.arguments[name] for name in _RESULTS if name in self.arguments)
        return found


def fill(arguments: dict[str, Any], seed: int) -> None:
    """Fill the tensors of a call in place: values, tables of blocks that no sequences share, results without numbers."""
    chance = torch.Generator().manual_seed(seed)
    for name, tensor in arguments.items():
        if name in _VALUES:
            tensor.copy_(torch.randn(tensor.shape, generator=chance))
        elif name in _TABLES:
            blocks = torch.randperm(BLOCKS, generator=chance)
            for number, row in enumerate(tensor):
                row.copy_(blocks.roll(number * BLOCKS // len(tensor)))
        elif name in _RESULTS:
            tensor.fill_(float("nan"))


def expected(arguments: dict[str, Any]) -> torch.Tensor:
    """Return what the call must compute, in float32."""
    prefix = "b_loc" in arguments
    starts = (arguments["b_start_loc"] if prefix else arguments["cu_seqlens_q"]).tolist()
    tables = arguments["b_loc" if prefix else "block_table"]
    query = arguments["q"].float()
    ends = [*starts[1:], len(query)][: len(tables)]
    results = []
    for table, start, end in zip(tables, starts, ends, strict=False):
        key, value = (_prefix if prefix else _cached)(arguments, table, start, end)
        results.append(attention(query[start:end], key, value))
    return torch.cat(results)


def _cached(arguments: dict[str, Any], table: torch.Tensor, start: int, end: int) -> tuple[torch.Tensor, torch.Tensor]:
    """Keys and values of a sequence, all in a cache of tokens in blocks."""
    length = CONTEXT + end - start
    key, value = (arguments[name][table].flatten(0, 1)[:length].float() for name in ("k", "v"))
    return key, value


def _prefix(arguments: dict[str, Any], table: torch.Tensor, start: int, end: int) -> tuple[torch.Tensor, torch.Tensor]:
    """Keys and values of a sequence whose prefix is in a cache with the tokens of a block in the last dimension."""
    table = table[: CONTEXT // BLOCK]
    key = arguments["k_cache"][table].permute(0, 3, 1, 2, 4).flatten(3).flatten(0, 1)
    value = arguments["v_cache"][table].permute(0, 3, 1, 2).flatten(0, 1)
    new_key, new_value = (arguments[name][start:end] for name in ("k", "v"))
    return torch.cat([key, new_key]).float(), torch.cat([value, new_value]).float()


def attention(query: torch.Tensor, key: torch.Tensor, value: torch.Tensor) -> torch.Tensor:
    """Causal attention of the last tokens of a sequence; all (tokens, heads, size), several query heads per key head."""
    shared = query.shape[1] // key.shape[1]
    key, value = key.repeat_interleave(shared, 1), value.repeat_interleave(shared, 1)
    scores = torch.einsum("qhd,khd->hqk", query, key) * query.shape[2] ** -0.5
    later = torch.ones(scores.shape[1:], dtype=torch.bool, device=query.device).triu(1 + len(key) - len(query))
    return torch.einsum("hqk,khd->qhd", scores.masked_fill(later, float("-inf")).softmax(-1), value)
