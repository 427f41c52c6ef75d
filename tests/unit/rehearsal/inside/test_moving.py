from __future__ import annotations

import pytest
import torch

from vcompat.rehearsal.inside.moving import Moved

TYPES = [torch.float64, torch.float32, torch.bfloat16, torch.float16]


def bits_of(tensor: torch.Tensor) -> torch.Tensor:
    return tensor.contiguous().view(torch.uint8).clone()


@pytest.mark.parametrize("dtype", TYPES)
def test_moved_tensors_come_back_to_the_same_bits(dtype: torch.dtype) -> None:
    torch.manual_seed(0)
    base = torch.randn(64, 48)
    special = torch.tensor([0.0, -0.0, float("inf"), float("nan"), 1e-40, -3.0])
    tensors = [
        base.to(dtype),
        base.t().to(dtype),
        torch.zeros(8, 8, dtype=dtype),
        special.to(dtype),
        torch.randn(3).to(dtype),
    ]
    before = [bits_of(tensor) for tensor in tensors]
    moved = Moved({str(number): tensor for number, tensor in enumerate(tensors)}, seed=5)
    assert not torch.equal(bits_of(tensors[0]), before[0])
    assert moved.restore()
    assert all(torch.equal(bits_of(tensor), one) for tensor, one in zip(tensors, before, strict=True))


@pytest.mark.parametrize("dtype", TYPES)
def test_half_of_the_numbers_change_by_an_eighth_to_a_quarter(dtype: torch.dtype) -> None:
    torch.manual_seed(0)
    tensor = (torch.rand(512, 512) * 3 + 0.01).to(dtype)
    before = tensor.double().clone()
    Moved({"a": tensor}, seed=1)
    change = ((tensor.double() - before) / before).abs()
    assert 0.45 < float((change > 0).double().mean()) < 0.55
    assert float(change[change > 0].min()) > 0.124 and float(change.max()) < 0.251


def test_a_tensor_longer_than_the_pattern_is_moved_to_its_end() -> None:
    tensor = torch.ones(3 * (1 << 20) + 7)
    moved = Moved({"a": tensor}, seed=2)
    assert bool((tensor[-1000:] != 1).any())
    assert moved.restore() and bool((tensor == 1).all())


@pytest.mark.parametrize("size", [0.0, 1e-6])
def test_tiny_numbers_are_filled_since_a_quarter_of_them_is_almost_nothing(size: float) -> None:
    tensor = torch.randn(100, 16) * size
    before = tensor.clone()
    moved = Moved({"a": tensor}, seed=3)
    assert float(tensor.abs().min()) == pytest.approx(0.02)
    assert bool((tensor > 0).any()) and bool((tensor < 0).any())
    assert moved.restore() and torch.equal(bits_of(tensor), bits_of(before))


def test_two_processes_move_by_the_same_amount_and_two_steps_do_not() -> None:
    first, second, other = (torch.ones(1000) for _ in range(3))
    Moved({"a": first}, seed=1)
    Moved({"a": second}, seed=1)
    Moved({"a": other}, seed=2)
    assert torch.equal(first, second) and not torch.equal(first, other)


def test_a_change_in_between_is_noticed() -> None:
    tensor = torch.randn(1000)
    moved = Moved({"a": tensor}, seed=1)
    tensor[3] += 1
    assert not moved.restore()


def test_integers_are_left_alone() -> None:
    tensor = torch.arange(10)
    assert len(Moved({"a": tensor}, seed=1)) == 0 and torch.equal(tensor, torch.arange(10))


def test_the_second_matrix_of_an_adapter_is_always_filled() -> None:
    tensor = torch.full((8, 8), 5.0)
    moved = Moved({"layers.0.q_proj.lora_B.default.weight": tensor}, seed=1)
    assert float(tensor.abs().max()) == pytest.approx(0.02)
    assert moved.restore() and bool((tensor == 5).all())


@pytest.mark.parametrize(
    ("dtype", "rounding", "bits"),
    [
        (torch.float32, "bfloat16", 7),
        (torch.float32, "float16", 10),
        (torch.float64, "bfloat16", 7),
        (torch.bfloat16, "bfloat16", 7),
        (torch.float16, "bfloat16", 7),
        (torch.float16, "float16", 10),
    ],
)
def test_with_rounding_half_of_the_numbers_change_by_the_last_bit_of_the_type(
    dtype: torch.dtype, rounding: str, bits: int
) -> None:
    tensor = (1 + 0.9 * torch.rand(256, 256)).to(dtype)
    before = tensor.clone()
    moved = Moved({"lora_B.": tensor}, seed=1, rounding=rounding)
    change = (tensor.double() - before.double()).abs()
    assert 0.45 < float((change > 0).double().mean()) < 0.55
    assert set(change.flatten().tolist()) == {0.0, 2.0**-bits}
    assert moved.restore() and torch.equal(bits_of(tensor), bits_of(before))
