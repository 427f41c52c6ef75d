"""Files that a command writes: whole, through links, and never in place of a device."""

from __future__ import annotations

import os
import stat
import threading
from pathlib import Path

import pytest

from tests.unit.cli.command_line import SLEEPING, vcompat
from vcompat.cli.output import write_output
from vcompat.foundation.errors import InputError


def test_a_new_file_is_written_and_an_old_one_replaced(tmp_path: Path) -> None:
    path = tmp_path / "report.txt"
    write_output(str(path), "first\n", "a file")
    path.chmod(0o640)
    write_output(str(path), "second\n", "a file")
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
    write_output(str(path), "text\n", "a file")
    reader.join(timeout=30)
    assert got == ["text\n"]
    assert path.is_fifo()


@pytest.mark.parametrize("exists", [True, False])
def test_a_link_stays_a_link(tmp_path: Path, exists: bool) -> None:
    (tmp_path / "link").symlink_to("real")
    if exists:
        (tmp_path / "real").write_text("before")
    write_output(str(tmp_path / "link"), "after", "a file")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "real").read_text() == "after"


def test_text_that_utf_8_cannot_express_is_escaped(tmp_path: Path) -> None:
    write_output(str(tmp_path / "a.txt"), "caf\udce9.py", "a file")
    assert (tmp_path / "a.txt").read_text() == "caf\\udce9.py"


@pytest.mark.parametrize("name", ["folder", "nowhere/a.txt", "a" * 300])
def test_a_path_that_cannot_be_written_is_refused_in_one_line(tmp_path: Path, name: str) -> None:
    (tmp_path / "folder").mkdir()
    with pytest.raises(InputError, match="expected a file to write") as caught:
        write_output(f"{tmp_path}/{name}", "text", "a file to write")
    assert "\n" not in str(caught.value)
    assert [path.name for path in tmp_path.iterdir()] == ["folder"]


@pytest.mark.parametrize(
    "command",
    [
        ["check", "--no-probe", *SLEEPING, "--format", "text", "-o"],
        ["check", "--no-probe", *SLEEPING, "--write-baseline"],
        ["resolve", "--gpu", "8.0", "-o"],
    ],
)
def test_a_command_leaves_a_pipe_where_it_is(tmp_path: Path, command: list[str]) -> None:
    path = tmp_path / "pipe"
    os.mkfifo(path)
    # A reader that reads nothing: what is written stays in the pipe.
    reader = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    done = vcompat(*command, str(path))
    os.close(reader)
    assert path.is_fifo()
    assert done.code == (2 if "--write-baseline" in command else 1 if "check" in command else 0)
