"""A file is written completely, or the old file stays and no temporary file remains."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest

from vcompat.foundation.errors import InputError
from vcompat.foundation.writing import write_whole


def test_an_existing_file_is_replaced(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("before")
    write_whole(tmp_path / "a.txt", "after")
    assert {path.name: path.read_text() for path in tmp_path.iterdir()} == {"a.txt": "after"}


def test_on_a_full_disk_only_the_old_file_remains(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(source: str, target: Path) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    (tmp_path / "a.txt").write_text("before")
    # Stands in for a full disk: the last step fails as it would there.
    monkeypatch.setattr("vcompat.foundation.writing.os.replace", full)
    with pytest.raises(InputError, match=r"a\.txt: cannot be written: No space left on device"):
        write_whole(tmp_path / "a.txt", "after")
    assert {path.name: path.read_text() for path in tmp_path.iterdir()} == {"a.txt": "before"}
