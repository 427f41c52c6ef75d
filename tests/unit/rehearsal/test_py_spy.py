"""py-spy's text, kept from version 0.4.3, and a real process that is stuck, with py-spy if it is installed."""

from __future__ import annotations

import os
import stat
import sys
from pathlib import Path

import pytest

from tests.unit.rehearsal.test_command import rehearsed
from tests.unit.rehearsal.told import healthy
from vcompat.rehearsal.command import Ended
from vcompat.rehearsal.judge import judge
from vcompat.rehearsal.protocol import read_folder
from vcompat.rehearsal.py_spy import find_py_spy, main_thread

DUMP = """Process 11297: /work/.venv/bin/python w.py
Python v3.11.7 (/usr/lib/python3.11/bin/python3.11)

Thread 11299 (idle): "a: (b)"
    <lambda> (/work/w.py:5)
    Thread.run (/usr/lib/python3.11/threading.py:982)
Thread 11297 (active+gil): "MainThread"
    waits (/work/w (1).py:2)
    _phase.<locals>.step (/work/vcompat/rehearsal/inside/events.py:4)
    Trainer.run (/work/w.py:6)
Thread 11300 (idle)
    run (/work/other.py:1)
"""
#: A rank that has trained and does not exit, since a handler of its exit waits.
EXITING = """
import atexit
from vcompat.rehearsal.protocol import TRAINED
events.add("begin", variables={})
with events.phase("trainer"): pass
events.add("trainer", rank=0, world=1, settings={"max_steps": 2}, changed=[], cannot_move="off", dtypes=[], mixed=False)
events.add(TRAINED, steps=2)
"""


def test_the_calls_of_the_main_thread_are_read() -> None:
    assert main_thread(DUMP) == [
        ("/work/w (1).py", "2", "waits"),
        ("/work/vcompat/rehearsal/inside/events.py", "4", "step"),
        ("/work/w.py", "6", "Trainer.run"),
    ]
    assert main_thread("") == main_thread("Error: Permission denied") == []


def program(folder: Path, code: str) -> dict[str, str]:
    """An environment in which py-spy is a shell script."""
    folder.mkdir()
    path = folder / "py-spy"
    path.write_text(f"#!/bin/sh\n{code}\n")
    path.chmod(stat.S_IRWXU)
    return {"PATH": f"{folder}{os.pathsep}{os.environ['PATH']}"}


def test_py_spy_is_found_in_the_path_of_the_command_and_beside_its_program(tmp_path: Path) -> None:
    environment = program(tmp_path / "bin", "")
    found = str(tmp_path / "bin" / "py-spy")
    assert find_py_spy(["python"], environment) == found
    (tmp_path / "bin" / "python").write_text("")
    assert find_py_spy([str(tmp_path / "bin" / "python")], {"PATH": "/nowhere"}) == found


def test_if_py_spy_may_not_look_the_stacks_of_faulthandler_are_shown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    code = "echo 'Error: Permission Denied (os error 13)' >&2; exit 1"
    monkeypatch.setenv("PATH", program(tmp_path / "bin", code)["PATH"])
    folder = tmp_path / "run"
    folder.mkdir()
    ended = rehearsed(folder, "events.add('enter', name='trainer')\nwaits()", stuck_after=1)
    (told,) = read_folder(str(folder))
    last = judge([told], ended)[-1]
    assert any("waits (<string>:" in line for line in last.details)


def test_a_rank_that_does_not_exit_after_its_last_step_is_a_failure_with_its_stack(tmp_path: Path) -> None:
    ended = rehearsed(tmp_path, EXITING + "atexit.register(waits)", stuck_after=1)
    (told,) = read_folder(str(tmp_path))
    found = {check.name: check for check in judge([told], ended)}
    assert found["last step"].status == "passed"
    assert (found["clean exit"].status, "rank 0 did not exit" in found["clean exit"].text) == ("failed", True)
    assert any("waits (<string>:" in line for line in found["clean exit"].details)


def test_a_command_that_goes_on_after_its_ranks_have_ended_is_not_judged() -> None:
    found = {check.name: check for check in judge([healthy()], Ended(-15, 300.0, True, (), waiting=(1,)))}
    assert (found["last step"].status, found["clean exit"].status) == ("passed", "not exercised")


@pytest.mark.skipif(find_py_spy([sys.executable], os.environ) is None, reason="py-spy is not installed")
def test_the_stack_of_py_spy_is_that_of_a_process_in_which_faulthandler_is_off(tmp_path: Path) -> None:
    code = (
        "events.add('enter', name='trainer')\nimport faulthandler; faulthandler.cancel_dump_traceback_later()\nwaits()"
    )
    ended = rehearsed(tmp_path, code, stuck_after=1)
    (told,) = read_folder(str(tmp_path))
    if not told.py_spy:
        pytest.skip("this system lets no process look into another")
    assert told.stacks == ""
    assert any("waits (<string>:" in line for line in judge([told], ended)[-1].details)
