"""NVML, asked in a process of its own: a driver can block for minutes, in a way that not even a signal ends.

`start` starts that process, `Asked.result` waits for its answer until the time is over and then leaves it behind.
The process costs less than a thread would: it starts in isolation from the site, and imports while the caller works.
"""

from __future__ import annotations

import json
import os
import select
import signal
import sys
import time
from typing import Any

#: How long NVML may take, in seconds.
PATIENCE = 3.0


class Asked:
    """A question that is under way."""

    def __init__(self, pid: int, pipe: int, deadline: float) -> None:
        self._pid = pid
        self._pipe = pipe
        self._deadline = deadline

    def result(self) -> dict[str, Any]:
        """Wait for the answer, at most until `PATIENCE` seconds after the start.

        Returns a dictionary with the keys status, reason, driver, cuda and devices. The status is "ok" or a word for
        what went wrong (see ``nvml_child.STATUSES``, "timeout" and "failed" among them); the reason is a sentence.
        """
        text = self._read()
        if text is None:
            self._leave_behind()
            return _failure("timeout", f"NVML did not answer within {PATIENCE:g} s: the driver hangs")
        code = self._exit_code()
        try:
            answer: dict[str, Any] = json.loads(text)
        except ValueError:
            return _failure("failed", f"the process that asked NVML ended with code {code} and no answer")
        return answer

    def _exit_code(self) -> int | None:
        try:
            return os.waitstatus_to_exitcode(os.waitpid(self._pid, 0)[1])
        except ChildProcessError:
            # The host program collects its children itself.
            return None

    def _read(self) -> bytes | None:
        """All that the process writes; None if the time is over before it ends."""
        pieces = []
        try:
            while True:
                left = self._deadline - time.monotonic()
                if left <= 0 or not select.select([self._pipe], [], [], left)[0]:
                    return None
                piece = os.read(self._pipe, 65536)
                if not piece:
                    return b"".join(pieces)
                pieces.append(piece)
        finally:
            os.close(self._pipe)

    def _leave_behind(self) -> None:
        """Kill the process, but do not wait for it: one that is stuck in the driver does not die until the driver lets it."""
        try:
            os.kill(self._pid, signal.SIGKILL)
            os.waitpid(self._pid, os.WNOHANG)
        except (ProcessLookupError, ChildProcessError):
            return


class NotAsked(Asked):
    """NVML could not be asked at all."""

    def __init__(self, status: str, reason: str) -> None:
        self._answer = _failure(status, reason)

    def result(self) -> dict[str, Any]:
        return self._answer


def start() -> Asked:
    """Start to ask NVML; return at once."""
    module = find_nvidia_ml_py()
    if module is None:
        return NotAsked("nvidia-ml-py-missing", "nvidia-ml-py is not installed, so NVML cannot be asked")
    child = os.path.join(os.path.dirname(os.path.abspath(__file__)), "nvml_child.py")
    reading, writing = os.pipe()
    try:
        devnull = os.open(os.devnull, os.O_RDWR)
        try:
            # -I -S: nothing of the user's site or of their PYTHON variables runs in it.
            pid = os.posix_spawn(
                sys.executable,
                [sys.executable, "-I", "-S", child, module],
                os.environ,
                file_actions=[
                    (os.POSIX_SPAWN_DUP2, devnull, 0),
                    (os.POSIX_SPAWN_DUP2, writing, 1),
                    (os.POSIX_SPAWN_DUP2, devnull, 2),
                ],
            )
        finally:
            os.close(devnull)
    except OSError as error:
        os.close(reading)
        return NotAsked("failed", f"no process could be started to ask NVML: {error}")
    finally:
        os.close(writing)
    return Asked(pid, reading, time.monotonic() + PATIENCE)


def find_nvidia_ml_py() -> str | None:
    """The path of ``pynvml.py`` of the first distribution nvidia-ml-py on ``sys.path``.

    The name ``pynvml`` alone would not do: the deprecated distribution of that name puts a folder in its way.
    """
    for directory in sys.path:
        try:
            entries = os.listdir(directory or ".")
        except OSError:
            continue
        if "pynvml.py" in entries and any(e.startswith("nvidia_ml_py-") for e in entries):
            return os.path.abspath(os.path.join(directory, "pynvml.py"))
    return None


def _failure(status: str, reason: str) -> dict[str, Any]:
    return {"status": status, "reason": reason, "driver": None, "cuda": None, "devices": []}
