"""The real `Worker.wake_up` of vLLM loses the buffers if the cache wakes up first, and keeps them with the patch."""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType
from typing import Any

import pytest
import torch

from tests.upstream.sleeping_gpu import worker
from vcompat.patches.of_vllm.vllm_keep_buffers_on_partial_wake import PATCH

V1 = "vllm.v1.worker.gpu_worker"
V0 = "vllm.worker.worker"
AFFECTED = [
    ("0.8.5", V0),
    ("0.26.0", V1),
    *(
        pytest.param(version, engine, marks=pytest.mark.slow)
        for version, engine in [
            ("0.8.5", V1),
            ("0.10.2", V0),
            ("0.10.2", V1),
            ("0.14.0", V1),
            ("0.20.0", V1),
            ("0.24.0", V1),
        ]
    ),
]


def asleep(upstream_module: Callable[..., ModuleType], version: str, name: str) -> tuple[Any, torch.nn.Module]:
    model = torch.nn.Linear(2, 2)
    model.register_buffer("rotary", torch.arange(4.0))
    _, sleeper = worker(upstream_module, version, name, model, torch.zeros(4))
    return sleeper, model


@pytest.mark.parametrize(("version", "name"), AFFECTED)
@pytest.mark.parametrize("patched", [False, True], ids=["unpatched", "patched"])
def test_buffers_survive_waking_the_cache_first_only_with_the_patch(
    version: str, name: str, patched: bool, upstream_module: Callable[..., ModuleType], outcome: Any
) -> None:
    sleeper, model = asleep(upstream_module, version, name)
    if patched:
        assert outcome(PATCH) == "applied"
    sleeper.sleep(level=2)
    sleeper.wake_up(tags=["kv_cache"])
    sleeper.wake_up(tags=["weights"])
    assert torch.equal(model.rotary, torch.arange(4.0)) is patched


@pytest.mark.parametrize("tags", [None, ["weights"], ["weights", "kv_cache"]])
def test_other_wake_ups_still_restore_the_buffers(
    tags: list[str] | None, upstream_module: Callable[..., ModuleType], outcome: Any
) -> None:
    sleeper, model = asleep(upstream_module, "0.20.0", V1)
    assert outcome(PATCH) == "applied"
    sleeper.sleep(level=2)
    sleeper.wake_up(tags)
    assert torch.equal(model.rotary, torch.arange(4.0))


def test_unpatch_restores_the_original_behavior(upstream_module: Callable[..., ModuleType], engine_of: Any) -> None:
    sleeper, model = asleep(upstream_module, "0.26.0", V1)
    engine = engine_of(PATCH)
    engine.patch(None, (), strict=True)
    engine.unpatch()
    sleeper.sleep(level=2)
    sleeper.wake_up(tags=["kv_cache"])
    sleeper.wake_up(tags=["weights"])
    assert not torch.equal(model.rotary, torch.arange(4.0))


@pytest.mark.parametrize(("version", "name"), [("0.8.4", V1), ("0.8.4", V0), ("0.27.0", V1), ("0.33.0", V1)])
def test_other_releases_are_not_patched(
    version: str, name: str, upstream_module: Callable[..., ModuleType], outcome: Any
) -> None:
    asleep(upstream_module, version, name)
    assert outcome(PATCH) == "not needed"
