"""What vLLM's model must have again after it slept: its buffers, bit for bit, and parameters of a plausible size.

Level-2 sleep discards the memory. vLLM restores buffers; the trainer synchronizes parameters. What neither does
contains garbage. A parameter may have changed, since it is trained or was rounded; but not to another magnitude,
unless the trainer has it so.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from vcompat.rehearsal.inside.digests import Digests, is_equal, rows_of
from vcompat.rehearsal.inside.moving import size_of

if TYPE_CHECKING:
    from torch import Tensor

#: By this factor, a root of the mean square is of another magnitude. The canary changes it by less than 1.3, and fills
#: what is tiny, which is not judged.
_OTHER, _TINY = 16.0, 2e-3
#: By this factor, it is that of the trainer's tensor.
_SAME = 1.5
_TYPES = ("float64", "float32", "bfloat16", "float16")


class Kept(NamedTuple):
    """What is known of vLLM's model before it sleeps."""

    sizes: Mapping[str, tuple[int, float]]
    """Columns, and the root of the mean square, of each parameter of a common type."""
    buffers: Digests


def kept_of(model: Any) -> Kept:
    """Return what a model has now. Its memory must be mapped."""
    return Kept(sizes_of(model.named_parameters()), {name: rows_of(buffer) for name, buffer in model.named_buffers()})


def sizes_of(tensors: Iterable[tuple[str, Tensor]]) -> dict[str, tuple[int, float]]:
    """Return the columns and the root of the mean square of tensors that have a common type and are not empty."""
    return {
        name: (int(tensor.shape[-1]) if tensor.ndim else 1, size_of(tensor.detach()))
        for name, tensor in tensors
        if str(tensor.dtype).removeprefix("torch.") in _TYPES and tensor.numel()
    }


def lost_buffers(before: Digests, now: Digests) -> list[str]:
    """Return the buffers that have other bits, a shape of their own, or are missing."""
    return [name for name, digest in before.items() if name not in now or not is_equal(now[name], digest)]


def lost_parameters(start: Kept, now: Kept, model: Any) -> list[str]:
    """Return the parameters of another magnitude than at the start, which `model`, the trainer's, does not have so."""
    lost = [
        name
        for name, (columns, size) in start.sizes.items()
        if size >= _TINY and name in now.sizes and not _is_near(now.sizes[name][1], size, _OTHER)
    ]
    if not lost:
        return []
    trainers = sizes_of(model.named_parameters()).values()
    return [
        name
        for name in lost
        if not any(
            now.sizes[name][0] == columns and _is_near(now.sizes[name][1], size, _SAME) for columns, size in trainers
        )
    ]


def _is_near(one: float, other: float, factor: float) -> bool:
    # Also false for NaN.
    return one <= other * factor and other <= one * factor and math.isfinite(one)
