"""Checksums of a model that, like vLLM's, fuses projections and may have a part of the rows."""

from __future__ import annotations

from typing import ClassVar

import pytest
import torch

from vcompat.rehearsal.inside.digests import Trained, digests_of, stale

SHAPES = {
    "embed.weight": (100, 64),
    "layers.0.attn.q_proj.weight": (64, 64),
    "layers.0.attn.k_proj.weight": (32, 64),
    "layers.0.attn.v_proj.weight": (32, 64),
    "layers.0.attn.o_proj.weight": (64, 64),
    "layers.0.norm.weight": (64,),
    "layers.0.scale": (4,),
    "elsewhere.weight": (64, 64),
}
PARTS = ["q_proj", "k_proj", "v_proj"]


class Served(torch.nn.Module):
    """What stands for a rank's part of vLLM's model."""

    packed_modules_mapping: ClassVar = {"qkv_proj": PARTS}

    def __init__(self, weights: dict[str, torch.Tensor], rank: int, parallel: int) -> None:
        super().__init__()
        embedding = torch.cat([weights["embed.weight"], torch.zeros(28, 64)])
        fused = [weights[f"layers.0.attn.{part}.weight"].chunk(parallel)[rank] for part in PARTS]
        self.values = {
            "embed.weight": embedding.chunk(parallel)[rank],
            "layers.0.attn.qkv_proj.weight": torch.cat(fused),
            "layers.0.attn.o_proj.weight": weights["layers.0.attn.o_proj.weight"].chunk(parallel, dim=1)[rank],
            "layers.0.norm.weight": weights["layers.0.norm.weight"],
            "layers.0.scale": weights["layers.0.scale"],
        }

    def named_parameters(self, *args: object, **kwargs: object):  # type: ignore[no-untyped-def, override]
        return iter((name, torch.nn.Parameter(value, requires_grad=False)) for name, value in self.values.items())


def weights(seed: int) -> dict[str, torch.Tensor]:
    torch.manual_seed(seed)
    return {name: torch.randn(shape) for name, shape in SHAPES.items()}


def compared(
    late: dict[str, slice], rank: int = 0, parallel: int = 1, adapted: tuple[str, ...] = ()
) -> tuple[list[str], int]:
    """Synchronize once, then again without the rows in `late`."""
    old, new = weights(1), weights(2)
    for name, rows in late.items():
        new[name][rows] = old[name][rows]
    first, second = Served(old, rank, parallel), Served(new, rank, parallel)
    return stale(digests_of(first), digests_of(second), Trained(SHAPES, list(SHAPES), adapted, parallel), second)


@pytest.mark.parametrize(("rank", "parallel"), [(0, 1), (0, 2), (1, 2)])
def test_nothing_is_stale_where_all_weights_arrive(rank: int, parallel: int) -> None:
    """The padding of the vocabulary never changes. A vector of four numbers and a parameter elsewhere are not judged."""
    assert compared({}, rank, parallel) == ([], 6)


@pytest.mark.parametrize(("rank", "parallel"), [(0, 1), (0, 2), (1, 2)])
@pytest.mark.parametrize("name", [name for name in SHAPES if name.startswith("layers") and "scale" not in name])
def test_a_parameter_that_does_not_arrive_is_named(name: str, rank: int, parallel: int) -> None:
    assert compared({name: slice(None)}, rank, parallel) == ([name], 6)


def test_rows_that_do_not_arrive_are_counted() -> None:
    name = "layers.0.attn.v_proj.weight"
    assert compared({name: slice(3, 8)}) == ([f"{name} (5 of 32 rows)"], 6)


def test_rows_of_zeros_are_not_judged() -> None:
    """A token that nobody uses may have zeros, which stay zeros in a type with a smaller range."""
    old, new = weights(1), weights(2)
    old["embed.weight"][5] = new["embed.weight"][5] = 0
    first, second = Served(old, 0, 1), Served(new, 0, 1)
    assert stale(digests_of(first), digests_of(second), Trained(SHAPES, list(SHAPES), (), 1), second) == ([], 6)


def test_an_adapter_may_leave_some_rows_as_they_are() -> None:
    name = "layers.0.attn.v_proj.weight"
    assert compared({name: slice(3, 8)}, adapted=(name,)) == ([], 6)
    assert compared({name: slice(None)}, adapted=(name,)) == ([name], 6)


def test_a_change_of_a_single_bit_is_a_change() -> None:
    model = Served(weights(1), 0, 1)
    before = digests_of(model)["embed.weight"]
    model.values["embed.weight"][7, 9] *= 1 + 2**-23
    assert [int(row) for row in (digests_of(model)["embed.weight"] != before).nonzero()] == [7]


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16, torch.int8, torch.float8_e4m3fn])
def test_a_checksum_takes_each_type(dtype: torch.dtype) -> None:
    model = Served(weights(1), 0, 1)
    model.values = {
        "x": torch.ones(4, 64).to(dtype),
        "empty": torch.zeros(0).to(dtype),
        "one": torch.tensor(1).to(dtype),
    }
    found = digests_of(model)
    assert {name: len(rows) for name, rows in found.items()} == {"x": 4, "empty": 0, "one": 1}
