"""The sandbox, one per test process."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

import pytest

from tests.oracle.truth import Sandbox


@pytest.fixture(scope="session")
def sandbox() -> Iterator[Sandbox]:
    for package in ("torch", "transformers", "trl", "accelerate"):
        pytest.importorskip(package, reason="truth is had from the real parsers of these packages")
    with contextlib.closing(Sandbox()) as found:
        yield found
