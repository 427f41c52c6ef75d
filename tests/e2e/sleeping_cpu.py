"""A stand-in for a GPU's memory, so that vLLM's CPU build has sleep mode. A script imports it before it trains.

It stands for the driver, which unmaps memory and maps it again, and for the pool that allocates this memory. Memory
that is mapped again contains garbage, as on a GPU. Data written to unmapped memory is lost (a GPU faults). The engine,
`Worker.sleep`, `Worker.wake_up`, `CuMemBackend` and `CuMemAllocator` are vLLM's own. Memory in the pool is that of the
model's parameters and buffers, and of the cache. What the CPU's kernels keep outside of it stays.
"""

import ctypes
from types import SimpleNamespace

import torch
import vllm.device_allocator as allocators
from vllm.device_allocator import cumem
from vllm.platforms import current_platform
from vllm.v1.worker.cpu_worker import CPUWorker

GARBAGE = 0x42
#: The pool. It keeps what was allocated in it, also if the model does not use it any more.
_pool = []


def _fill(device, size, pointer, handle):
    ctypes.memset(pointer, GARBAGE, size)


def _allocate(tag, tensors):
    allocator = cumem.CuMemAllocator.get_instance()
    for tensor in tensors:
        storage = tensor.untyped_storage()
        if storage.nbytes() and storage.data_ptr() not in allocator.pointer_to_data:
            _pool.append(storage)
            allocator.current_tag = tag
            allocator.python_malloc_callback((0, storage.nbytes(), storage.data_ptr(), 0))


def _allocating(original, tag, tensors):
    def wrapper(self, *args, **kwargs):
        result = original(self, *args, **kwargs)
        if self.model_config.enable_sleep_mode:
            _allocate(tag, tensors(self.model_runner))
        return result

    return wrapper


cumem.cumem_available = True
cumem.python_create_and_map = cumem.python_unmap_and_release = _fill
cumem.libcudart = SimpleNamespace(cudaMemcpy=ctypes.memmove)
allocators.get_mem_allocator_instance = cumem.CuMemAllocator.get_instance
torch.accelerator.get_memory_info = lambda *device: (0, 1 << 30)
torch.cuda.empty_cache = lambda: None
type(current_platform).is_sleep_mode_available = lambda self: True
# Without its own, which ignore sleep mode, the worker inherits those of the GPU's.
del CPUWorker.sleep, CPUWorker.wake_up
CPUWorker.load_model = _allocating(
    CPUWorker.load_model, "weights", lambda runner: [*runner.model.parameters(), *runner.model.buffers()]
)
CPUWorker.initialize_from_config = _allocating(
    CPUWorker.initialize_from_config, "kv_cache", lambda runner: runner.kv_caches
)
