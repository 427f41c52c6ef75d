"""Real processes, which report as the processes of a rehearsal do."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from vcompat.rehearsal.command import Ended, carry_out
from vcompat.rehearsal.judge import judge
from vcompat.rehearsal.protocol import FOLDER, last_progress, read_folder

ROOT = Path(__file__).resolve().parents[3]
REPORTING = """
import os, sys, time
from vcompat.rehearsal.inside.events import Events
events = Events(os.environ["VCOMPAT_REHEARSAL_DIR"], 0.5)
def waits(): time.sleep(1000)
"""


def rehearsed(folder: Path, code: str, stuck_after: float = 60) -> Ended:
    environment = {**os.environ, FOLDER: str(folder), "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-c", REPORTING + code]
    return carry_out(command, environment, str(folder / "output.log"), stuck_after, lambda text: None)


def alive(pid: int) -> bool:
    return (
        Path(f"/proc/{pid}").exists() and "Z" not in Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    )


def test_what_a_process_reports_is_read_with_its_order_and_depth(tmp_path: Path) -> None:
    code = "with events.phase('outer'):\n  with events.phase('inner', step=3): print('said')\nevents.finish('end')"
    ended = rehearsed(tmp_path, code)
    (told,) = read_folder(str(tmp_path))
    assert (ended.code, ended.stuck, ended.left) == (0, False, ())
    assert [(event.kind, event.values.get("name"), event.values.get("depth")) for event in told.events] == [
        ("enter", "outer", None), ("enter", "inner", None), ("phase", "inner", 1), ("phase", "outer", 0),
        ("end", None, None),
    ]  # fmt: skip
    assert told.events[1].values["step"] == 3 and told.stacks == ""
    assert (tmp_path / "output.log").read_text() == "said\n"


def test_a_process_that_waits_writes_its_stack_and_is_ended_with_all_it_started(tmp_path: Path) -> None:
    child = "import subprocess\nchild = subprocess.Popen(['sleep', '1000'], start_new_session=True)\nprint(child.pid, flush=True)\n"
    ended = rehearsed(tmp_path, child + "events.add('enter', name='trainer')\nwaits()", stuck_after=1)
    (told,) = read_folder(str(tmp_path))
    assert ended.stuck and "in waits" in told.stacks
    assert not alive(int((tmp_path / "output.log").read_text()))
    (*_, last_step) = judge([told], ended)
    assert last_step.status == "failed" and any("waits (" in line for line in last_step.details)


def test_processes_that_stay_are_named_and_ended(tmp_path: Path) -> None:
    code = "import subprocess\nprint(subprocess.Popen(['sleep', '1000'], start_new_session=True).pid)"
    ended = rehearsed(tmp_path, code)
    pid = int((tmp_path / "output.log").read_text())
    assert (ended.code, ended.left) == (0, (pid,)) and not alive(pid)


def test_a_process_that_ignores_sigterm_is_killed(tmp_path: Path) -> None:
    code = "import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN)\nprint(os.getpid(), flush=True)\nevents.add('begin', variables={})\nwaits()"
    assert rehearsed(tmp_path, code, stuck_after=1).code == -signal.SIGKILL


def test_shared_memory_of_a_killed_process_is_removed(tmp_path: Path) -> None:
    code = (
        "import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN)\n"
        "from multiprocessing.shared_memory import SharedMemory\n"
        "memory = SharedMemory(create=True, size=10)\nprint(memory.name, flush=True)\n"
        "events.add('begin', variables={})\nwaits()"
    )
    assert rehearsed(tmp_path, code, stuck_after=1).code == -signal.SIGKILL
    assert not (Path("/dev/shm") / (tmp_path / "output.log").read_text().strip()).exists()


def test_the_line_of_a_killed_process_may_be_cut_off(tmp_path: Path) -> None:
    (tmp_path / "events-host-1").write_bytes(b'{"kind":"begin","time":1.5,"variables":{}}\n{"kind":"tra')
    (told,) = read_folder(str(tmp_path))
    assert [event.kind for event in told.events] == ["begin"]


@pytest.mark.parametrize("line", [b"[]", b"7", b'{"kind":"x"}', b'{"kind":"x","time":"late"}', b"\xff", b"[" * 100_000])
def test_a_line_of_another_form_is_left_out(tmp_path: Path, line: bytes) -> None:
    (tmp_path / "events-host-1").write_bytes(line + b'\n{"kind":"end","time":2}\n')
    (told,) = read_folder(str(tmp_path))
    assert [event.kind for event in told.events] == ["end"]


def test_without_any_report_there_is_no_progress(tmp_path: Path) -> None:
    assert last_progress(str(tmp_path)) == 0
    (tmp_path / "events-host-1").touch()
    assert time.time() - last_progress(str(tmp_path)) < 60


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_a_signal_to_vcompat_ends_the_command_and_leaves_nothing(tmp_path: Path, number: signal.Signals) -> None:
    code = """
import os, subprocess, sys, time
own = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(1000)"], start_new_session=True)
print(os.getpid(), own.pid, flush=True)
time.sleep(1000)
"""
    environment = {**os.environ, "TMPDIR": str(tmp_path), "PYTHONPATH": str(ROOT)}
    started = subprocess.Popen(
        [sys.executable, "-m", "vcompat", "rehearse", "--no-check", "--", sys.executable, "-c", code],
        env=environment, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    log = None
    while log is None or not log.read_text():
        log = next(tmp_path.glob("vcompat-rehearsal-*/output.log"), None)
        time.sleep(0.05)
    pids = [int(pid) for pid in log.read_text().split()]
    started.send_signal(number)
    _, said = started.communicate(timeout=300)
    assert started.returncode == 128 + number
    assert ("interrupted" if number == signal.SIGINT else f"ended by {number.name}") in said
    assert "Traceback" not in said and not any(map(alive, pids)) and list(tmp_path.iterdir()) == []
