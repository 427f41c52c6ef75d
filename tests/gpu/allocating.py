"""A real GPU for the scenarios of tests/upstream/allocator: torch's own memory pool, the driver, and nothing replaced.

It runs in the process of a scenario. CUDA is initialized there and not before, since a fork cannot use it again.
"""

from __future__ import annotations

import ctypes
import functools
from typing import Any

import torch

from tests.upstream import card

#: Bytes of a segment. torch's allocator takes whole multiples of 2 MiB for tensors of more than 10 MiB.
SEGMENT = 32 << 20


class Tensor:
    """A tensor of bytes."""

    def __init__(self, segments: int) -> None:
        self._bytes = torch.empty(segments * SEGMENT, dtype=torch.uint8, device="cuda")

    def fill(self, value: int) -> None:
        self._bytes.fill_(value)

    def holds(self, value: int) -> bool:
        return bool((self._bytes == value).all().item())

    @property
    def mapped(self) -> bool:
        """Whether the driver has memory at the address; touching it would end the context if not."""
        driver, handle = ctypes.CDLL("libcuda.so.1"), ctypes.c_ulonglong()
        if driver.cuMemRetainAllocationHandle(ctypes.byref(handle), ctypes.c_void_p(self._bytes.data_ptr())):
            return False
        driver.cuMemRelease(handle)
        return True


class Gpu:
    """The first GPU. Another tensor takes the memory that a scenario must not have."""

    def __init__(self) -> None:
        self._taken: torch.Tensor | None = None

    @functools.cached_property
    def _before(self) -> int:
        """Bytes in use before the first tensor."""
        torch.cuda.synchronize()
        return self._in_use()

    def _in_use(self) -> int:
        free, total = torch.cuda.mem_get_info()
        return total - free

    def tensor(self, segments: int) -> Tensor:
        assert self._before >= 0
        return Tensor(segments)

    def leave(self, segments: int) -> None:
        self._taken = None
        torch.cuda.empty_cache()
        free, _ = torch.cuda.mem_get_info()
        self._taken = torch.empty(free - segments * SEGMENT - SEGMENT // 2, dtype=torch.uint8, device="cuda")

    def usage(self) -> tuple[int, ...]:
        torch.cuda.synchronize()
        return (round((self._in_use() - self._before) / SEGMENT),)

    def take_driver(self, cuda: str) -> None:
        raise NotImplementedError("a machine has the driver that it has")


def install() -> Any:
    """Give vLLM a platform, and return the GPU."""
    # The allocator does not ask for the compute capability.
    card.install((8, 0), pins_memory=True)
    return Gpu()
