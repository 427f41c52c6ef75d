"""The GPU as vLLM's modules see it here: torch's CUDA build and vLLM's platform, over the stand-in for the driver.

It runs in the process of an attempt only. torch of this environment has no CUDA, so its memory pool is a stand-in, too:
like torch's, it gets each segment from the allocator that vLLM registers. Nothing here imports vLLM before `install` is called.
"""

from __future__ import annotations

import contextlib
import ctypes
import functools
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import torch

from tests.upstream import card
from tests.upstream.allocator import stubs

#: Bytes of a segment, the least that a driver allocates.
SEGMENT = 2 << 20


@functools.cache
def driver() -> Any:
    """Return the stand-in for the driver, as ctypes sees it."""
    folder = Path(os.environ["LD_LIBRARY_PATH"].partition(os.pathsep)[0])
    library = ctypes.CDLL(str(folder / stubs.DRIVER), mode=ctypes.RTLD_GLOBAL)
    library.stub_used.restype = ctypes.c_size_t
    library.stub_state.argtypes = [ctypes.c_size_t, ctypes.c_size_t]
    ctypes.CDLL(str(folder / stubs.RUNTIME))
    return library


class PluggableAllocator:
    """Stands for torch.cuda.memory.CUDAPluggableAllocator: the two functions that vLLM's extension exports."""

    def __init__(self, path: str, malloc: str, free: str) -> None:
        library = ctypes.CDLL(path)
        self.malloc, self.free = getattr(library, malloc), getattr(library, free)
        self.malloc.restype = ctypes.c_void_p
        self.malloc.argtypes = [ctypes.c_ssize_t, ctypes.c_int, ctypes.c_void_p]
        self.free.argtypes = [ctypes.c_void_p, ctypes.c_ssize_t, ctypes.c_int, ctypes.c_void_p]
        self._allocator = self


class Pool:
    """Stands for torch.cuda.memory.MemPool."""

    current: Pool | None = None

    def __init__(self, allocator: PluggableAllocator) -> None:
        self._allocator = allocator
        self._segments: dict[int, int] = {}
        self.id = (0, 1)

    def allocate(self, size: int) -> int:
        """Return the address of a new segment. Raises torch.OutOfMemoryError."""
        address = self._allocator.malloc(size, 0, None)
        if address is None:
            # torch releases what it keeps in its cache, and tries again.
            address = self._allocator.malloc(size, 0, None)
        if address is None:
            raise torch.OutOfMemoryError("CUDA out of memory")
        self._segments[address] = size
        return int(address)

    def snapshot(self) -> list[dict[str, int]]:
        """Return the segments as torch lists them."""
        return [{"address": address, "allocated_size": size} for address, size in self._segments.items()]


class Tensor:
    """Memory of the GPU. Filling and reading it are what a kernel does: an address that is not mapped ends the process."""

    def __init__(self, segments: int) -> None:
        assert Pool.current, "the test allocates inside a memory pool"
        self._pool, self.size = Pool.current, segments * SEGMENT
        self.address = self._pool.allocate(self.size)

    def fill(self, value: int) -> None:
        ctypes.memset(self.address, value, self.size)

    def holds(self, value: int) -> bool:
        """Whether each byte is `value`."""
        return ctypes.string_at(self.address, self.size) == bytes([value]) * self.size

    @property
    def mapped(self) -> bool:
        return bool(driver().stub_state(self.address, self.size) == 1)


@contextlib.contextmanager
def use_pool(pool: Pool) -> Iterator[None]:
    """Stand for torch.cuda.memory.use_mem_pool."""
    before, Pool.current = Pool.current, pool
    try:
        yield
    finally:
        Pool.current = before


def memory_info(*device: Any) -> tuple[int, int]:
    """Return the bytes that are free and the bytes of the GPU, as the driver states them."""
    free, total = ctypes.c_size_t(), ctypes.c_size_t()
    driver().cuMemGetInfo_v2(ctypes.byref(free), ctypes.byref(total))
    return free.value, total.value


class StandIn:
    """A GPU over the stand-in for the driver. It has 256 MiB unless a scenario limits it."""

    def tensor(self, segments: int) -> Tensor:
        return Tensor(segments)

    def leave(self, segments: int) -> None:
        size = driver().stub_used() + segments * SEGMENT
        os.environ["VCOMPAT_STUB_CUDA_MIB"] = str(size >> 20)

    def usage(self) -> tuple[int, ...]:
        """Segments, reserved addresses and mappings."""
        return driver().stub_used() // SEGMENT, driver().stub_reservations(), driver().stub_mappings()

    def take_driver(self, cuda: str) -> None:
        major, minor = map(int, cuda.split("."))
        os.environ["VCOMPAT_STUB_CUDA_DRIVER"] = str(1000 * major + 10 * minor)


def install() -> StandIn:
    """Put the stand-ins into torch and vLLM, whose modules must be importable, and return the GPU."""
    driver()
    memory: Any = torch.cuda.memory
    memory.CUDAPluggableAllocator, memory.MemPool, memory.use_mem_pool = PluggableAllocator, Pool, use_pool
    cuda: Any = torch.cuda
    cuda.mem_get_info, cuda.empty_cache, cuda.synchronize = memory_info, lambda: None, lambda *device: None
    accelerator: Any = torch.accelerator
    accelerator.get_memory_info, accelerator.empty_cache = memory_info, lambda: None
    accelerator.synchronize = lambda *device: None
    # The allocator does not ask for the compute capability.
    card.install((8, 0))
    return StandIn()
