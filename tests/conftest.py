"""Fixtures that several kinds of test share."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.nvml import stub


@pytest.fixture(scope="session")
def nvml_stub(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder that holds the stand-in for the driver library."""
    return stub.build(tmp_path_factory.mktemp("nvml"))
