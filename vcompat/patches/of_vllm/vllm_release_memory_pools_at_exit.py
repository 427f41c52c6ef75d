"""Release sleep mode's memory pools in order before Python exits, in vLLM 0.7.0 - 0.24.0.

Why: sleep mode keeps pairs of a memory pool and its allocator. Nothing releases them before Python's shutdown, which
destroys the allocator of a pair before its pool. The pool's destructor then calls an allocator that no longer exists: a
segmentation fault, or "Trying to free a pointer not allocated here", after all work is done. Up to 0.10.1.1 the C
extension also borrows references to two callbacks that no Python object holds.
How: do at exit what vLLM does from 0.25.0 on: drop all pools while their allocators exist, then the allocators. Where
the callbacks are only borrowed, `CuMemAllocator` keeps references to them. 0.7.0 - 0.7.2 keep no pools, so the patch
only keeps the callbacks there.
Process: every vLLM process (the worker; in colocate mode that is the rank itself).
Upstream: https://github.com/vllm-project/vllm/issues/16993, https://github.com/vllm-project/vllm/pull/46050 (the
pools), https://github.com/vllm-project/vllm/pull/23477 (the callbacks, in 0.10.2).
Remove when: vLLM below 0.25.0 is no longer supported.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from vcompat.patching.patch import Change, Patch
from vcompat.patching.replace import Wrap


def _releasing_at_exit(get_instance: Callable[[], Any]) -> Callable[[], Any]:
    registered: list[int] = []

    def get_instance_and_register() -> Any:
        instance = get_instance()
        if id(instance) not in registered:
            import atexit

            registered.append(id(instance))
            atexit.register(_release, instance)
        return instance

    return get_instance_and_register


def _release(allocator: Any) -> None:
    import gc

    held = getattr(allocator, "allocator_and_pools", None) or {}
    pairs = list(held.values())
    held.clear()
    pools = [pair[0] for pair in pairs]
    allocators = [pair[1] for pair in pairs]
    pairs.clear()
    pools.clear()
    gc.collect()
    allocators.clear()


def _holding_the_callbacks(init: Callable[..., None]) -> Callable[..., None]:
    def init_with_callbacks(self: Any, *args: Any, **kwargs: Any) -> None:
        init(self, *args, **kwargs)
        # Each attribute access creates a new bound method; storing one keeps the object that C borrows alive.
        self.python_malloc_callback = self.python_malloc_callback
        self.python_free_callback = self.python_free_callback

    return init_with_callbacks


PATCH = Patch(
    id="vllm_release_memory_pools_at_exit",
    title="Release sleep mode's memory pools before Python exits",
    package="vllm",
    process="every vLLM process",
    changes=(
        Change(
            "vllm.device_allocator.cumem",
            "CuMemAllocator.get_instance",
            Wrap("CuMemAllocator.get_instance", _releasing_at_exit),
            shape=("CuMemAllocator.instance = CuMemAllocator()", "return CuMemAllocator.instance"),
            lacks=("atexit",),
        ),
        Change(
            "vllm.device_allocator.cumem",
            "CuMemAllocator.__init__",
            Wrap("CuMemAllocator.__init__", _holding_the_callbacks),
            shape=("self.pointer_to_data",),
            lacks=("self.python_malloc_callback = ",),
        ),
    ),
)
