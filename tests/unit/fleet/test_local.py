from __future__ import annotations

import os
from pathlib import Path

import pytest

pytest.importorskip("torch")

from vcompat.fleet.local import shared_memory


def test_memory_that_can_be_written_and_read_is_no_finding_and_leaves_nothing(tmp_path: Path) -> None:
    assert shared_memory(str(tmp_path)) == []
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_does_not_exist_is_stated(tmp_path: Path) -> None:
    assert shared_memory(str(tmp_path / "none")) == [["/dev/shm", "does not exist"]]


def test_a_full_file_system_is_stated(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    import resource

    # A limit of the size of files fails like a full file system: the write ends with an error.
    import signal

    old = resource.getrlimit(resource.RLIMIT_FSIZE)
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 20, old[1]))
    try:
        ((subject, text),) = shared_memory(str(tmp_path))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, old)
        signal.signal(signal.SIGXFSZ, handler)
    assert (subject, text) == ("/dev/shm", f"16 MiB cannot be written: {os.strerror(27)}")
