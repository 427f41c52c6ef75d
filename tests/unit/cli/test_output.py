"""Files that a command writes: a pipe stays a pipe."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.unit.cli.command_line import SLEEPING, vcompat


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
