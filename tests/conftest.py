"""Fixtures that several kinds of test share."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.nvml import stub

ROOT = Path(__file__).resolve().parents[1]

# Programs that tests interrupt would inherit that a signal is ignored, from nohup or a shell's background job.
signal.signal(signal.SIGINT, signal.default_int_handler)
signal.signal(signal.SIGHUP, signal.SIG_DFL)

# Hundreds of processes that tests start import the same modules: the first one keeps them compiled.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)


@pytest.fixture(scope="session")
def nvml_stub(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder that holds the stand-in for the driver library."""
    return stub.build(tmp_path_factory.mktemp("nvml"))


@pytest.fixture(scope="session")
def tiny_model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("tiny-model")
    subprocess.run(
        [sys.executable, str(ROOT / "examples" / "make_tiny_model.py"), str(folder)], check=True, capture_output=True
    )
    return folder
