"""Moves weights by an amount that is large enough to see, and moves them back to the same bits.

Half of the numbers of a tensor, chosen by a seed, get the second highest bit of their mantissa inverted. That changes
such a number by 13 to 25 percent, never its sign or exponent, so nothing becomes infinite. Inverting them again
restores the tensor, without a copy of it. Moving a tensor of tiny numbers would hardly change what the model computes:
it is copied and filled instead. So is the second matrix of an adapter, which is zero at first and small for long.

To see what the rounding of a type with fewer bits does, the last bit that this type has is inverted in the same way.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple

from vcompat.rehearsal.inside.sharding import local_of

if TYPE_CHECKING:
    from torch import Tensor

#: Numbers that the pattern of a tensor has before it repeats. It bounds the memory that is needed.
_PATTERN = 1 << 20
#: What numbers become that are tiny on average, and what tiny means: trained models have weights of about this size.
_SIZE, _TINY = 0.02, 1e-3
#: In the names of the matrices that PEFT initializes with zeros.
_FILLED = ".lora_B."


class _Moved(NamedTuple):
    tensor: Tensor
    """The whole parameter. Of a sharded one, this rank's part is moved."""
    seed: int
    copy: Tensor | None
    """If the tensor was filled: what it was."""
    sum_before: int


class Moved:
    """Tensors that were moved."""

    def __init__(self, tensors: Mapping[str, Tensor], seed: int, rounding: str = "") -> None:
        """Move the floating-point tensors among `tensors`, by `seed` and their order.

        With `rounding`, the name of a type, only the last bit of this type is inverted, and nothing is filled.
        """
        self._rounding = rounding
        self._moved: list[_Moved] = []
        for number, (name, tensor) in enumerate(tensors.items()):
            if _layout(tensor, rounding) is not None and local_of(tensor).numel():
                self._move(tensor, seed * 1_000_003 + number, _FILLED in name)

    def __len__(self) -> int:
        return len(self._moved)

    def _move(self, parameter: Tensor, seed: int, is_filled: bool) -> None:
        # Ranks with the same part have the same seed and numbers, so they move it alike.
        tensor = local_of(parameter)
        is_filled = not self._rounding and (is_filled or size_of(tensor) < _TINY)
        copy = tensor.clone() if is_filled else None
        self._moved.append(_Moved(parameter, seed, copy, _sum(tensor)))
        if copy is None:
            _invert(tensor, seed, self._rounding)
        else:
            _fill(tensor, seed)

    def restore(self) -> bool:
        """Move the tensors back; return whether each has the sum of bits that it had before."""
        exact = True
        while self._moved:
            parameter, seed, copy, before = self._moved.pop()
            tensor = local_of(parameter)
            if copy is None:
                _invert(tensor, seed, self._rounding)
            else:
                tensor.copy_(copy)
            exact = exact and _sum(tensor) == before
        return exact


def _layout(tensor: Tensor, rounding: str = "") -> tuple[object, int] | None:
    """The integer type of the same size, and the bit that is inverted; None for other types."""
    import torch

    moved, bfloat16, float16 = 0, 1, 2
    types = {
        torch.bfloat16: (torch.int16, (5, 0, 0)),
        torch.float16: (torch.int16, (8, 3, 0)),
        torch.float32: (torch.int32, (21, 16, 13)),
        torch.float64: (torch.int64, (50, 45, 42)),
    }
    if tensor.dtype not in types:
        return None
    kind, bits = types[tensor.dtype]
    return kind, 1 << bits[{"bfloat16": bfloat16, "float16": float16}.get(rounding, moved)]


def _bits(tensor: Tensor) -> Tensor:
    layout = _layout(tensor)
    assert layout is not None
    return tensor.view(layout[0])  # type: ignore[no-any-return, call-overload, unused-ignore]


def size_of(tensor: Tensor) -> float:
    """Return the root of the mean of the squares."""
    import torch

    kind = torch.float64 if tensor.dtype == torch.float64 else torch.float32
    return float(torch.linalg.vector_norm(tensor, dtype=kind)) / math.sqrt(tensor.numel())


def _sum(tensor: Tensor) -> int:
    import torch

    return int(_bits(tensor).sum(dtype=torch.int64))


def _coins(count: int, seed: int, device: object) -> Tensor:
    """`count` numbers, each 0 or 1. The CPU draws them, so that each rank and device has the same."""
    import torch

    generator = torch.Generator("cpu").manual_seed(seed)
    return torch.randint(0, 2, (count,), generator=generator, dtype=torch.int8).to(device)  # type: ignore[call-overload, no-any-return, unused-ignore]


def _invert(tensor: Tensor, seed: int, rounding: str) -> None:
    layout = _layout(tensor, rounding)
    assert layout is not None
    kind, bit = layout
    bits = _bits(tensor)
    if not bits.is_contiguous():
        bits.bitwise_xor_(_coins(bits.numel(), seed, bits.device).to(kind).mul_(bit).view(bits.shape))  # type: ignore[call-overload, unused-ignore]
        return
    flat = bits.view(-1)
    pattern = _coins(min(flat.numel(), _PATTERN), seed, flat.device).to(kind).mul_(bit)  # type: ignore[call-overload, unused-ignore]
    for start in range(0, flat.numel(), _PATTERN):
        part = flat[start : start + _PATTERN]
        part.bitwise_xor_(pattern[: part.numel()])


def _fill(tensor: Tensor, seed: int) -> None:
    signs = _coins(tensor.numel(), seed, tensor.device).to(tensor.dtype).mul_(2).sub_(1)
    tensor.copy_(signs.mul_(_SIZE).view(tensor.shape))
