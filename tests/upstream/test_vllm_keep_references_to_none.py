"""None's reference count in sleep mode: real `create_and_map` and `unmap_and_release`, a stand-in for the extension.

Like the extension, the stand-in takes a reference from None in each call. tests/upstream/test_allocator.py applies the patch
to the extension itself.
"""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Callable
from types import ModuleType
from typing import Any

import pytest

from tests.upstream.sleeping_gpu import allocator_module
from vcompat.patches.of_vllm.vllm_keep_references_to_none import PATCH

AFFECTED = ["0.7.0", "0.9.2", "0.14.0", "0.24.0", "0.33.0"]
CALLS = 500
counted = pytest.mark.skipif(sys.version_info >= (3, 12), reason="None has no reference count in this Python")


def taking(*handle: int) -> None:
    """Stands in for vLLM's compiled functions."""
    ctypes.pythonapi.Py_DecRef(ctypes.py_object(None))


def module_of(upstream_module: Callable[..., ModuleType], version: str) -> ModuleType:
    module = allocator_module(upstream_module, version, "create_and_map", "unmap_and_release")
    module.python_create_and_map = module.python_unmap_and_release = taking  # type: ignore[attr-defined]
    return module


def taken(module: ModuleType) -> int:
    """Return how many references some calls take from None."""
    before = sys.getrefcount(None)
    for _ in range(CALLS):
        module.unmap_and_release((0, 0, 0, 0))
        module.create_and_map((0, 0, 0, 0))
    return before - sys.getrefcount(None)


def give_back(number: int) -> None:
    for _ in range(number):
        ctypes.pythonapi.Py_IncRef(ctypes.py_object(None))


@counted
@pytest.mark.parametrize("version", AFFECTED)
def test_none_keeps_its_references_only_with_the_patch(
    version: str, upstream_module: Callable[..., ModuleType], engine_of: Any
) -> None:
    module = module_of(upstream_module, version)
    lost = taken(module)
    give_back(lost)
    # Other code of the test adds and removes some references.
    assert lost == pytest.approx(2 * CALLS, abs=50)
    engine = engine_of(PATCH)
    engine.patch(None, (), strict=True)
    assert taken(module) == pytest.approx(0, abs=50)
    engine.unpatch()
    lost = taken(module)
    give_back(lost)
    assert lost == pytest.approx(2 * CALLS, abs=50)


@counted
def test_a_call_that_fails_takes_nothing_and_gets_nothing(
    upstream_module: Callable[..., ModuleType], outcome: Any
) -> None:
    def failing(*handle: int) -> None:
        raise RuntimeError("CUDA Error: out of memory")

    module = module_of(upstream_module, "0.20.0")
    module.python_create_and_map = failing  # type: ignore[attr-defined]
    assert outcome(PATCH) == "applied"
    before = sys.getrefcount(None)
    for _ in range(CALLS):
        with pytest.raises(RuntimeError, match="out of memory"):
            module.create_and_map((0, 0, 0, 0))
    assert sys.getrefcount(None) - before == pytest.approx(0, abs=50)


def test_the_patch_is_not_needed_where_none_is_immortal(
    upstream_module: Callable[..., ModuleType], outcome: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    module_of(upstream_module, "0.20.0")
    monkeypatch.setattr(sys, "version_info", (3, 12, 0, "final", 0))
    assert outcome(PATCH) == "not needed"
