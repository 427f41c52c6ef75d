"""Fixtures that several kinds of test share."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests import tables
from tests.nvml import stub

ROOT = Path(__file__).resolve().parents[1]

# Programs that tests interrupt would inherit that a signal is ignored, from nohup or a shell's background job.
signal.signal(signal.SIGINT, signal.default_int_handler)
signal.signal(signal.SIGHUP, signal.SIG_DFL)

# Hundreds of processes that tests start import the same modules: the first one keeps them compiled.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update", action="store_true", help="write new expectations to the tables of cases")


def pytest_configure(config: pytest.Config) -> None:
    if config.getoption("update"):
        if config.getoption("numprocesses", None):
            raise pytest.UsageError("--update writes files: run it in one process, with -n 0")
        tables.begin_update()


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    for path in tables.write_updates():
        terminalreporter.write_line(f"updated: {path.relative_to(ROOT)}")


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
