"""Fixtures for tests that run real upstream code."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from types import ModuleType
from typing import Any

import pytest

from tests.upstream.releases import release
from tests.upstream.upstream_code import load
from vcompat.patching.engine import Engine
from vcompat.patching.patch import Patch


@pytest.fixture
def upstream_module() -> Iterator[Callable[..., ModuleType]]:
    """Load functions of a release (see `upstream_code.load`); their modules are removed after the test."""
    loaded: list[str] = []

    def loader(
        package: str,
        version: str,
        name: str,
        objects: tuple[str, ...],
        namespace: dict[str, Any],
        source_root: str = "",
    ) -> ModuleType:
        loaded.append(name)
        return load(release(package, version), name, objects, namespace, source_root)

    yield loader
    for name in loaded:
        sys.modules.pop(name, None)


@pytest.fixture
def engine_of(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[Patch], Engine]]:
    """Create an engine for one patch, without changes in modules that the test did not load."""
    monkeypatch.setenv("VCOMPAT_PATCH", "none")
    engines: list[Engine] = []

    def make(patch: Patch) -> Engine:
        loaded = tuple(change for change in patch.changes if change.module in sys.modules)
        assert loaded, f"first load a module that {patch.id} changes"
        engines.append(Engine([patch._replace(changes=loaded)], lambda line, warning: None))
        return engines[-1]

    yield make
    for engine in engines:
        engine.unpatch()


@pytest.fixture
def outcome(engine_of: Callable[[Patch], Engine]) -> Callable[[Patch], str]:
    """Apply a patch with ``strict=True`` and return its status."""
    return lambda patch: engine_of(patch).patch(None, (), strict=True)[patch.id].status
