"""A file is written completely, or the old file stays and no temporary file remains."""

from __future__ import annotations

import errno
import os
import stat
import threading
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


def test_a_new_file_is_written_and_an_old_one_replaced(tmp_path: Path) -> None:
    path = tmp_path / "report.txt"
    write_whole(path, "first\n", "a file")
    path.chmod(0o640)
    write_whole(path, "second\n", "a file")
    assert path.read_text() == "second\n"
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    assert list(tmp_path.iterdir()) == [path]


# A device such as /dev/null is not in these tests: one that fails would replace it.
def test_a_pipe_is_written_to_and_not_replaced(tmp_path: Path) -> None:
    path = tmp_path / "pipe"
    os.mkfifo(path)
    got: list[str] = []
    reader = threading.Thread(target=lambda: got.append(path.read_text()))
    reader.start()
    write_whole(path, "text\n", "a file")
    reader.join(timeout=300)
    assert got == ["text\n"]
    assert path.is_fifo()


@pytest.mark.parametrize("exists", [True, False])
def test_a_link_stays_a_link(tmp_path: Path, exists: bool) -> None:
    (tmp_path / "link").symlink_to("real")
    if exists:
        (tmp_path / "real").write_text("before")
    write_whole(tmp_path / "link", "after", "a file")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "real").read_text() == "after"


def test_text_that_utf_8_cannot_express_is_escaped(tmp_path: Path) -> None:
    write_whole(tmp_path / "a.txt", "caf\udce9.py", "a file")
    assert (tmp_path / "a.txt").read_text() == "caf\\udce9.py"


@pytest.mark.parametrize("name", ["folder", "nowhere/a.txt", "a" * 300])
def test_a_path_that_cannot_be_written_is_refused_in_one_line(tmp_path: Path, name: str) -> None:
    (tmp_path / "folder").mkdir()
    with pytest.raises(InputError, match="expected a file to write") as caught:
        write_whole(tmp_path / name, "text", "a file to write")
    assert "\n" not in str(caught.value)
    assert [path.name for path in tmp_path.iterdir()] == ["folder"]
