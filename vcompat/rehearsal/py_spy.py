"""The stacks of processes that are stuck, by py-spy where it is installed."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress

from vcompat.rehearsal.protocol import EVENTS, PY_SPY, file_suffix

#: Seconds that all of py-spy's processes get, and processes that are looked at.
_PATIENCE, _MOST = 15.0, 64
_THREAD = re.compile(r'^Thread \S+ \([^)]*\)(?:: "(.*)")?$')
_FRAME = re.compile(r"^ {4}(\S.*?) \((.*):(\d+)\)$")
_MAIN = "MainThread"


def find_py_spy(words: Sequence[str], environment: Mapping[str, str]) -> str | None:
    """Return the path of py-spy: in PATH, beside the command's program, or beside this interpreter."""
    path = environment.get("PATH", os.defpath)
    program = shutil.which(words[0], path=path) or words[0]
    beside = [os.path.dirname(os.path.abspath(program)), os.path.dirname(sys.executable)]
    return shutil.which("py-spy", path=os.pathsep.join([path, *beside]))


def write_stacks(py_spy: str, folder: str, pids: Sequence[int]) -> None:
    """Have py-spy write the stacks of those processes `pids` that report to `folder`; a failure leaves no file."""
    host = os.uname().nodename
    started: list[tuple[str, subprocess.Popen[bytes]]] = []
    for pid in pids:
        suffix = file_suffix(host, pid)
        if os.path.exists(os.path.join(folder, EVENTS + suffix)) and len(started) < _MOST:
            with suppress(OSError):
                started.append((os.path.join(folder, PY_SPY + suffix), _start(py_spy, pid)))
    until = time.monotonic() + _PATIENCE
    for path, process in started:
        try:
            text, _ = process.communicate(timeout=max(0.1, until - time.monotonic()))
        except subprocess.TimeoutExpired:
            # It waits for a process that the kernel does not let go.
            process.kill()
            continue
        if process.returncode == 0 and text:
            with suppress(OSError), open(path, "xb") as file:
                file.write(text)


def _start(py_spy: str, pid: int) -> subprocess.Popen[bytes]:
    # What is stuck does not change. Without --nonblocking, py-spy waits for a process that cannot be stopped.
    command = [py_spy, "dump", "--nonblocking", "--full-filenames", "--pid", str(pid)]
    return subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)


def main_thread(dump: str) -> list[tuple[str, str, str]]:
    """Return the calls of the main thread in py-spy's text, the innermost first: file, line and function."""
    frames: list[tuple[str, str, str]] = []
    is_main = False
    for line in dump.splitlines():
        thread, frame = _THREAD.match(line), _FRAME.match(line)
        if thread:
            is_main = thread[1] == _MAIN
        elif frame and is_main:
            frames.append((frame[2], frame[3], frame[1].rpartition(".<locals>.")[2]))
    return frames
