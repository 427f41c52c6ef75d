"""The processes of a survey."""

from __future__ import annotations

import subprocess
import sys
import time

from vcompat.kernels.ending_children import end

#: As the child does: an attempt in a group of its own, which starts a program, as the compiler does.
FORKS = """
import os, subprocess, sys, time
attempt = os.fork()
if attempt == 0:
    os.setpgid(0, 0)
    program = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
    print(os.getpid(), program.pid, flush=True)
    time.sleep(600)
time.sleep(600)
"""


def runs(pid: int) -> bool:
    """Whether a process runs; one that ended and that nobody waited for does not."""
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8") as file:
            return file.read().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


def test_an_attempt_and_what_it_starts_end_with_the_child() -> None:
    child = subprocess.Popen([sys.executable, "-c", FORKS], stdout=subprocess.PIPE, text=True)
    assert child.stdout
    attempt, program = map(int, child.stdout.readline().split())
    assert runs(attempt) and runs(program)
    end(child)
    assert child.returncode is not None
    for _ in range(600):
        if not runs(attempt) and not runs(program):
            break
        time.sleep(0.1)
    assert not runs(attempt) and not runs(program)


def test_a_child_that_ended_is_no_trouble() -> None:
    child = subprocess.Popen([sys.executable, "-c", ""], text=True)
    child.wait()
    end(child)
    assert child.returncode == 0
