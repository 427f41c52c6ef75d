"""What is compiled: the kernels, and the capabilities, data types and head sizes of each attempt."""

from __future__ import annotations

from typing import NamedTuple

from vcompat.kernels.standin import SHARED_MEMORY

#: Compute capabilities as in `gpu.compute_capability`, oldest first.
CAPABILITIES = tuple(SHARED_MEMORY)
#: A model's 16-bit type as vLLM runs it: float16 below compute capability 8.0, bfloat16 from there on.
HALF, FULL = "16-bit", "float32"
_HEAD_SIZES = (64, 128, 256)
#: float32 takes up to a minute to compile for older cards, and few run it: a part of the grid.
_OLDER, _SMALLER = ("7.0", "7.5"), (64, 128)


class Kernel(NamedTuple):
    """A module of vLLM with Triton kernels and the wrapper that launches them."""

    name: str
    paths: tuple[str, ...]
    """Its files over time, relative to the source tree."""
    calls: tuple[str, ...]
    """The names of its calls in `calls.CALLS`."""
    since: str
    """The oldest release that is measured."""
    left_out: str
    """What the grid leaves out, for the reader of a record."""
    full: bool = False
    """Whether a part of the grid is compiled for float32, too."""
    below: str = ""
    """The first release that is not measured any more."""
    because: str = ""
    """Why releases from `below` on are not."""


class Attempt(NamedTuple):
    """One compilation."""

    call: str
    capability: str
    width: str
    """`HALF` or `FULL`."""
    head_size: int

    @property
    def dtype(self) -> str:
        """The name of torch's data type."""
        half = "float16" if float(self.capability) < 8 else "bfloat16"
        return half if self.width == HALF else FULL


KERNELS = (
    Kernel(
        "prefix-prefill",
        ("vllm/attention/ops/prefix_prefill.py",),
        ("prefix-prefill",),
        since="0.5.5",
        left_out="heads of 80, 96, 192 and 512; float32 for capabilities from 8.0 on and for heads of 256",
        full=True,
        below="0.11.0",
        because="vLLM 0.11.0 removed the V0 engine, and its V1 engine uses unified attention on NVIDIA GPUs",
    ),
    Kernel(
        "unified-attention",
        ("vllm/v1/attention/ops/triton_unified_attention.py", "vllm/attention/ops/triton_unified_attention.py"),
        ("unified-prefill", "unified-decode"),
        since="0.9.0",
        left_out="heads of 80, 96, 192 and 512; float32",
    ),
)


#: The number of passes that `rank` divides a survey into.
PASSES = 5


def rank(attempt: Attempt) -> int:
    """Return in which pass an attempt is made, from 0: where failures are known first, so that time runs out last."""
    if attempt.width == FULL or attempt.head_size > _SMALLER[-1]:
        return 3 if attempt.width == HALF else 4
    if attempt.capability in _OLDER:
        return 0 if attempt.head_size == _SMALLER[0] else 1
    return 1 if attempt.capability in ("8.0", "9.0") else 2


def attempts(kernel: Kernel) -> list[Attempt]:
    """Return the attempts for one variant of a kernel."""
    half = [Attempt(call, card, HALF, size) for call in kernel.calls for card in CAPABILITIES for size in _HEAD_SIZES]
    full = [Attempt(call, card, FULL, size) for call in kernel.calls for card in _OLDER for size in _SMALLER]
    return half + full * kernel.full
