"""Tests that need an NVIDIA GPU and a torch built for it. Without one, all of them are skipped.

No continuous integration has such a machine: run ``pytest tests/gpu`` on one before a release.
"""

from __future__ import annotations

from typing import Any

import pytest


@pytest.fixture(scope="session")
def cuda() -> Any:
    """torch, if it can use a GPU."""
    torch = pytest.importorskip("torch")
    if not torch.cuda.is_available():
        pytest.skip("needs an NVIDIA GPU and a torch that can use it")
    return torch
