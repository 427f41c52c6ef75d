"""What a scenario needs of a GPU. `gpu.StandIn` and tests/gpu implement it."""

from __future__ import annotations

from typing import Protocol


class Tensor(Protocol):
    """Memory of the GPU, allocated as torch does inside a pool."""

    def fill(self, value: int) -> None:
        """Write `value` to each byte."""

    def holds(self, value: int) -> bool:
        """Whether each byte is `value`."""

    @property
    def mapped(self) -> bool:
        """Whether the memory can be touched."""


class Machine(Protocol):
    """A GPU. Sizes are in segments, of which each machine states the bytes."""

    def tensor(self, segments: int) -> Tensor:
        """Allocate in the current memory pool. Raises torch.OutOfMemoryError."""

    def leave(self, segments: int) -> None:
        """Leave so much memory free."""

    def usage(self) -> tuple[int, ...]:
        """Return the segments that the process uses now, and what else must not grow."""

    def take_driver(self, cuda: str) -> None:
        """Have the driver of a CUDA version, such as 12.2."""
