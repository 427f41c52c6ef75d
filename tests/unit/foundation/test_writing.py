"""A file is written whole, or what was there stays and nothing is left beside it."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest

from vcompat.foundation.errors import InputError
from vcompat.foundation.writing import write_whole


def test_what_was_there_is_replaced(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("before")
    write_whole(tmp_path / "a.txt", "after")
    assert {path.name: path.read_text() for path in tmp_path.iterdir()} == {"a.txt": "after"}


def test_on_a_full_disk_what_was_there_stays_and_nothing_else_does(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(source: str, target: Path) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    (tmp_path / "a.txt").write_text("before")
    # It stands for a disk that is full: the last step fails as it would there.
    monkeypatch.setattr("vcompat.foundation.writing.os.replace", full)
    with pytest.raises(InputError, match=r"a\.txt: cannot be written: No space left on device"):
        write_whole(tmp_path / "a.txt", "after")
    assert {path.name: path.read_text() for path in tmp_path.iterdir()} == {"a.txt": "before"}
