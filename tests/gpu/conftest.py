"""Tests that need an NVIDIA GPU and a torch built for it. Without one, those with the fixture `cuda` are skipped.

No continuous integration has such a machine: run ``pytest tests/gpu`` on one before a release. With VCOMPAT_GPU_EVIDENCE
set to a folder, what was seen is written there.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from tests.gpu import seen


@pytest.fixture(scope="session")
def cuda() -> Any:
    """torch, if it can use a GPU."""
    torch = pytest.importorskip("torch")
    if not torch.cuda.is_available():
        pytest.skip("needs an NVIDIA GPU and a torch that can use it")
    return torch


_REPORTS: list[pytest.TestReport] = []


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """Keep what became of a test of this folder; a skipped one was not seen."""
    if "tests/gpu/" in report.nodeid and report.when == "call" and not report.skipped:
        _REPORTS.append(report)


def pytest_sessionfinish() -> None:
    """Write what was seen, if asked to and if there is a GPU."""
    folder = os.environ.get("VCOMPAT_GPU_EVIDENCE")
    machine = seen.machine() if folder else {}
    if folder and machine:
        seen.write(Path(folder), machine, _REPORTS)
