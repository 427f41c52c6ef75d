"""The exit of a process that used sleep mode: real `CuMemAllocator`, real interpreter exit, a stand-in for torch's pool.

Like torch's pool, the stand-in calls its allocator in its destructor. It prints whether the allocator still existed.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any, ClassVar

import pytest

from tests.upstream.sleeping_gpu import allocator_module
from vcompat.patches.of_vllm.vllm_release_memory_pools_at_exit import PATCH

ROOT = Path(__file__).resolve().parents[2]
AFFECTED = [
    *(pytest.param(version, marks=pytest.mark.slow) for version in ("0.7.3", "0.10.1.1", "0.10.2", "0.14.0", "0.20.0")),
    "0.8.4",
    "0.24.0",
]


class Allocator:
    """Stands in for torch.cuda.memory.CUDAPluggableAllocator."""

    alive = True

    def __init__(self) -> None:
        self._allocator = self

    def __del__(self) -> None:
        self.gone.append(True)

    gone: ClassVar[list[bool]] = []


class Pool:
    """Stands in for torch.cuda.memory.MemPool, which has no reference to its allocator's Python object either."""

    def __init__(self, allocator: Allocator) -> None:
        self.gone = allocator.gone

    def __del__(self) -> None:
        print("pool destroyed after its allocator" if self.gone else "pool destroyed before its allocator", flush=True)

    def snapshot(self) -> list[Any]:
        return []


def module_with_pools(upstream_module: Callable[..., ModuleType], version: str) -> ModuleType:
    module = allocator_module(upstream_module, version, "use_memory_pool_with_allocator")
    memory = SimpleNamespace(MemPool=Pool, use_mem_pool=lambda pool: __import__("contextlib").nullcontext())
    module.torch = SimpleNamespace(cuda=SimpleNamespace(memory=memory))  # type: ignore[attr-defined]
    module.get_pluggable_allocator = lambda malloc, free: Allocator()  # type: ignore[attr-defined]
    return module


def use_sleep_mode_and_exit(version: str, patched: bool) -> None:
    """The program of the process under test."""
    from tests.upstream.releases import release
    from tests.upstream.upstream_code import load
    from vcompat.patching.engine import Engine

    def upstream(
        package: str, version: str, name: str, objects: tuple[str, ...], namespace: dict[str, Any]
    ) -> ModuleType:
        return load(release(package, version), name, objects, namespace)

    module = module_with_pools(upstream, version)
    if patched:
        Engine([PATCH], lambda line, warning: None).patch(None, (), strict=True)
    with module.CuMemAllocator.get_instance().use_memory_pool("weights"):
        pass


@pytest.mark.parametrize("version", AFFECTED)
@pytest.mark.parametrize("patched", [False, True], ids=["unpatched", "patched"])
def test_pools_are_destroyed_before_their_allocators_only_with_the_patch(version: str, patched: bool) -> None:
    program = f"from {__name__} import use_sleep_mode_and_exit as run; run({version!r}, {patched})"
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, timeout=120, check=True
    )
    assert done.stdout.strip() == f"pool destroyed {'before' if patched else 'after'} its allocator", done.stderr


@pytest.mark.parametrize(
    ("version", "held"), [("0.7.0", False), ("0.8.4", False), ("0.10.1.1", False), ("0.10.2", True)]
)
def test_borrowed_callbacks_are_kept_alive(
    version: str, held: bool, upstream_module: Callable[..., ModuleType], outcome: Any
) -> None:
    def holds(module: ModuleType) -> bool:
        allocator = module.CuMemAllocator()
        return allocator.python_malloc_callback is allocator.python_malloc_callback

    module = allocator_module(upstream_module, version)
    assert holds(module) is held
    assert outcome(PATCH) == "applied"
    assert holds(module)


def test_unpatch_restores_the_original_behavior(upstream_module: Callable[..., ModuleType], engine_of: Any) -> None:
    module = allocator_module(upstream_module, "0.10.0")
    before = vars(module.CuMemAllocator)["get_instance"], vars(module.CuMemAllocator)["__init__"]
    engine = engine_of(PATCH)
    engine.patch(None, (), strict=True)
    engine.unpatch()
    assert (vars(module.CuMemAllocator)["get_instance"], vars(module.CuMemAllocator)["__init__"]) == before


@pytest.mark.parametrize("version", ["0.25.0", "0.33.0"])
def test_fixed_releases_are_not_patched(version: str, upstream_module: Callable[..., ModuleType], outcome: Any) -> None:
    allocator_module(upstream_module, version)
    assert outcome(PATCH) == "not needed"
