"""Ends child processes that compile, with what they have started."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
from pathlib import Path
from typing import Any


def end(child: subprocess.Popen[Any]) -> None:
    """End a child and the attempt that it may have forked, which is in a process group of its own."""
    forked = []
    with contextlib.suppress(OSError):
        forked = Path(f"/proc/{child.pid}/task/{child.pid}/children").read_text().split()
    child.kill()
    child.wait()
    for pid in map(int, forked):
        with contextlib.suppress(OSError):
            # The attempt leads a group, with the programs that the compiler starts, unless it was forked just now.
            os.killpg(pid, signal.SIGKILL)
        with contextlib.suppress(OSError):
            os.kill(pid, signal.SIGKILL)
