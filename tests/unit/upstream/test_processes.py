"""Work that is distributed over processes."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

PROGRAM = """
import sys, time
from pathlib import Path
from vcompat.upstream.processes import spread

def work(folder):
    import os
    Path(folder, str(os.getpid())).touch()
    time.sleep(600)

if __name__ == "__main__":
    list(spread(work, [sys.argv[1]]))
"""


def test_the_processes_of_a_killed_one_end(tmp_path: Path) -> None:
    (tmp_path / "program.py").write_text(PROGRAM)
    (folder := tmp_path / "begun").mkdir()
    parent = subprocess.Popen([sys.executable, str(tmp_path / "program.py"), str(folder)])
    try:
        while not (begun := [int(path.name) for path in folder.iterdir()]):
            assert parent.poll() is None
            time.sleep(0.05)
    finally:
        parent.kill()
        parent.wait()
    # They end at once; the bound is for a test that fails.
    for _ in range(2400):
        if not any(map(is_running, begun)):
            return
        time.sleep(0.05)
    raise AssertionError(f"still running: {begun}")


def is_running(pid: int) -> bool:
    """Whether a process is there and no zombie."""
    try:
        os.kill(pid, signal.SIG_DFL)
        return "State:\tZ" not in Path(f"/proc/{pid}/status").read_text()
    except (ProcessLookupError, FileNotFoundError):
        return False
