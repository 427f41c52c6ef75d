"""A stand-in for the GPU memory of sleep mode, which the driver unmaps and maps again.

Everything above the driver is vLLM's own code of the release: `CuMemAllocator`, `Worker.sleep`, `Worker.wake_up`. The
stand-in implements three calls of the driver. Memory that is mapped again contains garbage, as on a GPU. Data written
to unmapped memory is lost (a GPU faults).
"""

from __future__ import annotations

import atexit
import ctypes
import gc
import logging
import os
import time
from collections.abc import Callable
from contextlib import contextmanager
from dataclasses import dataclass
from types import ModuleType, SimpleNamespace
from typing import Any

import torch

GARBAGE = 0xC5
UpstreamModule = Callable[..., ModuleType]


class Driver:
    """The calls that vLLM's allocator makes, on host memory."""

    def create_and_map(self, device: int, size: int, pointer: int, handle: int) -> None:
        ctypes.memset(pointer, GARBAGE, size)

    def unmap_and_release(self, device: int, size: int, pointer: int, handle: int) -> None:
        ctypes.memset(pointer, GARBAGE, size)

    def copy(self, destination: int, source: int, size: int) -> None:
        ctypes.memmove(destination, source, size)


class TorchWithAGpu:
    """torch, except for the size of the GPU's memory, which does not matter here."""

    cuda = SimpleNamespace(mem_get_info=lambda: (0, 2**30), empty_cache=lambda: None, memory=torch.cuda.memory)
    accelerator = SimpleNamespace(
        get_memory_info=lambda: (0, 2**30), synchronize=lambda: None, empty_cache=lambda: None
    )

    def __getattr__(self, name: str) -> Any:
        return getattr(torch, name)


@dataclass
class AllocationData:
    """vLLM's record of one allocation; its own class is in another file from 0.23.0 on."""

    handle: tuple[int, int, int, int]
    tag: str
    cpu_backup_tensor: torch.Tensor | None = None
    is_asleep: bool = False


def allocator_module(upstream_module: UpstreamModule, version: str, *functions: str) -> ModuleType:
    """The real ``vllm.device_allocator.cumem`` of a release, with the stand-in driver."""
    driver = Driver()
    namespace = {
        "AllocationData": AllocationData,
        "HandleType": tuple,
        "PIN_MEMORY": False,
        "atexit": atexit,
        "contextmanager": contextmanager,
        "cumem_available": True,
        "gc": gc,
        "is_pin_memory_available": lambda: False,
        "libcudart": SimpleNamespace(cudaMemcpy=driver.copy),
        "logger": logging.getLogger("vllm"),
        "os": os,
        "python_create_and_map": driver.create_and_map,
        "python_unmap_and_release": driver.unmap_and_release,
        "torch": TorchWithAGpu(),
    }
    names = ("CuMemAllocator", "create_and_map", "unmap_and_release", *functions)
    return upstream_module("vllm", version, "vllm.device_allocator.cumem", names, namespace)


def worker(
    upstream_module: UpstreamModule, version: str, name: str, model: torch.nn.Module, cache: torch.Tensor
) -> tuple[ModuleType, Any]:
    """The real worker module of a release and a worker around `model`, whose tensors the allocator knows."""
    cumem = allocator_module(upstream_module, version)
    namespace = {
        "CuMemAllocator": cumem.CuMemAllocator,
        "GiB_bytes": 2**30,
        "current_platform": SimpleNamespace(is_rocm=lambda: False),
        "format_gib": str,
        "get_mem_allocator_instance": cumem.CuMemAllocator.get_instance,
        "is_quantized_kv_cache": lambda dtype: False,
        "logger": logging.getLogger("vllm"),
        "time": time,
        "torch": TorchWithAGpu(),
    }
    module = upstream_module("vllm", version, name, ("Worker.sleep", "Worker.wake_up"), namespace)
    made = module.Worker()
    made.model_runner = SimpleNamespace(model=model, post_kv_cache_wake_up=lambda: None)
    made.kv_cache = cache  # keeps the memory
    made.cache_config = SimpleNamespace(cache_dtype="auto")
    made.get_draft_model = lambda: None
    made._sleep_saved_buffers = {}
    made._sleep_saved_draft_buffers = {}
    made._sleep_rebuild_draft_metadata_buffers = False
    made._get_sleep_mode_backend = lambda: CuMemBackend(cumem.CuMemAllocator.get_instance())
    _allocate(cumem.CuMemAllocator.get_instance(), model, cache)
    return module, made


class CuMemBackend:
    """What ``vllm.device_allocator.sleep_mode_backend.CuMemBackend`` (0.25.0 on) does: it calls the allocator."""

    def __init__(self, allocator: Any) -> None:
        self.allocator = allocator

    def suspend(self, level: int) -> None:
        self.allocator.sleep(offload_tags=("weights",) if level == 1 else ())

    def resume(self, tags: list[str] | None) -> None:
        self.allocator.wake_up(tags)


def _allocate(allocator: Any, model: torch.nn.Module, cache: torch.Tensor) -> None:
    tagged = [("weights", t) for t in [*model.parameters(), *model.buffers()]] + [("kv_cache", cache)]
    for tag, tensor in tagged:
        allocator.current_tag = tag
        allocator.python_malloc_callback((0, tensor.nbytes, tensor.data_ptr(), 0))
