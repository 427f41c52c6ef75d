"""The folder in which every test of a report runs."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.unit.report.outcomes import PATCHED, SCRIPT


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working directory with a training script, and the same script with vcompat's patches."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "train it.py").write_text(SCRIPT)
    (tmp_path / "patched.py").write_text(PATCHED)
    return tmp_path
