"""The real `Worker.sleep` and `Worker.wake_up` of vLLM lose buffers at level 2, and keep them with the patch."""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType
from typing import Any

import pytest
import torch

from tests.upstream.sleeping_gpu import worker
from vcompat.patches.of_vllm.vllm_restore_sleep_buffers import PATCH

V1 = "vllm.v1.worker.gpu_worker"
V0 = "vllm.worker.worker"
AFFECTED = [(version, name) for version in ("0.7.0", "0.7.3", "0.8.2", "0.8.3", "0.8.4") for name in (V1, V0)]


def model_with_a_buffer() -> torch.nn.Module:
    model = torch.nn.Linear(2, 2)
    model.register_buffer("rotary", torch.arange(4.0))
    return model


@pytest.mark.parametrize(("version", "name"), AFFECTED)
@pytest.mark.parametrize("patched", [False, True], ids=["unpatched", "patched"])
def test_buffers_survive_level_2_sleep_only_with_the_patch(
    version: str, name: str, patched: bool, upstream_module: Callable[..., ModuleType], outcome: Any
) -> None:
    model = model_with_a_buffer()
    _, sleeper = worker(upstream_module, version, name, model, torch.zeros(4))
    if patched:
        assert outcome(PATCH) == "applied"
    sleeper.sleep(level=2)
    sleeper.wake_up()
    assert torch.equal(model.rotary, torch.arange(4.0)) is patched


@pytest.mark.parametrize("name", [V1, V0])
def test_waking_only_the_cache_keeps_the_saved_buffers(
    name: str, upstream_module: Callable[..., ModuleType], engine_of: Any
) -> None:
    model = model_with_a_buffer()
    _, sleeper = worker(upstream_module, "0.8.4", name, model, torch.zeros(4))
    engine_of(PATCH).patch(None, (), strict=True)
    sleeper.sleep(2)
    sleeper.wake_up(["kv_cache"])
    sleeper.wake_up(tags=["weights"])
    assert torch.equal(model.rotary, torch.arange(4.0))


def test_level_1_sleep_is_not_changed(upstream_module: Callable[..., ModuleType], engine_of: Any) -> None:
    model = model_with_a_buffer()
    before = {name: value.clone() for name, value in model.state_dict().items()}
    _, sleeper = worker(upstream_module, "0.8.4", V1, model, torch.zeros(4))
    engine_of(PATCH).patch(None, (), strict=True)
    sleeper.sleep(level=1)
    sleeper.wake_up()
    assert all(torch.equal(value, before[name]) for name, value in model.state_dict().items())


@pytest.mark.parametrize("name", [V1, V0])
def test_unpatch_restores_the_original_behavior(
    name: str, upstream_module: Callable[..., ModuleType], engine_of: Any
) -> None:
    model = model_with_a_buffer()
    module, sleeper = worker(upstream_module, "0.8.4", name, model, torch.zeros(4))
    originals = module.Worker.sleep, module.Worker.wake_up
    engine = engine_of(PATCH)
    engine.patch(None, (), strict=True)
    engine.unpatch()
    assert (module.Worker.sleep, module.Worker.wake_up) == originals
    sleeper.sleep(level=2)
    sleeper.wake_up()
    assert not torch.equal(model.rotary, torch.arange(4.0))


@pytest.mark.parametrize("version", ["0.8.5", "0.20.0", "0.33.0"])
def test_fixed_releases_are_not_patched(version: str, upstream_module: Callable[..., ModuleType], outcome: Any) -> None:
    worker(upstream_module, version, V1, model_with_a_buffer(), torch.zeros(4))
    assert outcome(PATCH) == "not needed"
