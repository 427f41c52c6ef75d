"""Starts the command of a rehearsal, waits until it ends or is stuck, and ends whatever is left of it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from types import FrameType
from typing import NamedTuple, NoReturn

from vcompat.rehearsal.protocol import FOLDER, last_progress
from vcompat.rehearsal.py_spy import find_py_spy, write_stacks

#: Signals that end vcompat besides SIGINT.
_ENDING = (signal.SIGTERM, signal.SIGHUP)
#: Seconds between two looks at the files.
_PAUSE = 0.2
#: Seconds that processes get to write their stacks, and to end after SIGTERM.
_GRACE = 5.0


class Ended(NamedTuple):
    """How the command ended."""

    code: int
    """Its exit code; negative if a signal ended it."""
    seconds: float
    stuck: bool
    """Whether it was ended because there was no progress."""
    left: tuple[int, ...]
    """Processes of the command that were still there when it had ended by itself."""
    waiting: tuple[int, ...] = ()
    """Processes of the command that were there when it was stuck."""


def carry_out(
    words: Sequence[str], environment: Mapping[str, str], log: str, stuck_after: float, show: Callable[[str], None]
) -> Ended:
    """Run a command with its output in the file `log`; return how it ended.

    It is stuck when no process reports anything for `stuck_after` seconds; then all its processes are ended. `show`
    gets a line about what goes on. Raises OSError if the command cannot be started.
    """
    folder = environment[FOLDER]
    began = time.time()
    with _ending_signals(), open(log, "ab") as output:
        # At a terminal, a process in a session of its own cannot read from it.
        no_input = subprocess.DEVNULL if sys.stdin is None or sys.stdin.isatty() else None
        process = subprocess.Popen(
            list(words), env=dict(environment), stdin=no_input, stdout=output, stderr=output, start_new_session=True
        )
        try:
            stuck = _wait(process, folder, log, stuck_after, show)
            there = tuple(_processes_of(folder))
            if stuck and (py_spy := find_py_spy(words, environment)):
                show("stacks")
                write_stacks(py_spy, folder, there)
        finally:
            # A second signal must not leave processes behind.
            for number in (*_ENDING, signal.SIGINT):
                signal.signal(number, signal.SIG_IGN)
            _end_all(process, folder)
    return Ended(process.returncode, time.time() - began, stuck, () if stuck else there, there if stuck else ())


@contextmanager
def _ending_signals() -> Iterator[None]:
    """Let signals that end vcompat end the command, too: of a scheduler, and of a terminal that is closed."""
    before = {number: signal.getsignal(number) for number in (*_ENDING, signal.SIGINT)}
    for number in _ENDING:
        if before[number] is not signal.SIG_IGN:
            signal.signal(number, _raise_exit)
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler if handler is not None else signal.SIG_DFL)


def _raise_exit(number: int, frame: FrameType | None) -> NoReturn:
    with suppress(OSError):
        sys.stderr.write(f"vcompat: ended by {signal.Signals(number).name}\n")
    raise SystemExit(128 + number)


def _wait(
    process: subprocess.Popen[bytes], folder: str, log: str, stuck_after: float, show: Callable[[str], None]
) -> bool:
    """Wait for the end of `process`; return whether it is stuck."""
    began = time.time()
    while True:
        with suppress(subprocess.TimeoutExpired):
            process.wait(_PAUSE)
            return False
        now = time.time()
        # Before a process reports anything, what it prints is all that is seen of it.
        progress = last_progress(folder) or os.path.getmtime(log)
        if now - max(began, progress) > stuck_after + _GRACE:
            return True
        show(f"{now - began:.0f} s")


def _end_all(process: subprocess.Popen[bytes], folder: str) -> None:
    """End the command and all processes that inherited its environment, first by SIGTERM.

    Python's resource trackers come last: they remove the shared memory of processes that were killed.
    """
    rounds = ((signal.SIGTERM, _GRACE, False), (signal.SIGKILL, 2.0, False), (signal.SIGKILL, 1.0, True))
    for kind, seconds, with_trackers in rounds:
        for pid in _left(process, folder):
            if with_trackers or not _is_tracker(pid):
                with suppress(OSError):
                    os.kill(pid, kind)
        until = time.time() + seconds
        while _left(process, folder):
            if time.time() > until:
                break
            time.sleep(_PAUSE / 2)
    with suppress(subprocess.TimeoutExpired):
        process.wait(1.0)


def _left(process: subprocess.Popen[bytes], folder: str) -> list[int]:
    is_running = process.poll() is None
    return [pid for pid in _processes_of(folder) if pid != process.pid or is_running]


def _is_tracker(pid: int) -> bool:
    try:
        with open(f"/proc/{pid}/cmdline", "rb") as file:
            return b"multiprocessing.resource_tracker" in file.read()
    except OSError:
        return False


def _processes_of(folder: str) -> Iterator[int]:
    """Yield the processes whose environment names the folder of the rehearsal. Launchers give sessions of their own."""
    mark = f"{FOLDER}={folder}".encode()
    for name in os.listdir("/proc"):
        if name.isdigit() and int(name) != os.getpid() and _is_marked(f"/proc/{name}", mark):
            yield int(name)


def _is_marked(process: str, mark: bytes) -> bool:
    try:
        with open(f"{process}/environ", "rb") as file:
            if mark not in file.read().split(b"\0"):
                return False
        with open(f"{process}/stat", "rb") as file:
            # After the name of the program, which is in parentheses, comes the state; Z has ended already.
            return file.read().rpartition(b")")[2].split()[0] not in (b"Z", b"X")
    except (OSError, IndexError):
        return False
