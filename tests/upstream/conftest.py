"""Fixtures for tests that run real upstream code."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from types import ModuleType
from typing import Any

import pytest

from tests.upstream.releases import release
from tests.upstream.upstream_code import load


@pytest.fixture
def upstream_module() -> Iterator[Callable[..., ModuleType]]:
    """Loads functions of a release (see `upstream_code.load`); their modules are gone when the test ends."""
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
