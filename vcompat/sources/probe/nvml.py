"""NVML, asked in a process of its own: a driver can block for minutes, in a way that not even a signal ends.

`start` starts that process, `Asked.result` waits for its answer until the time is over and then leaves it behind.
What the process does is in ``nvml_child``. A thread would not do: one that is stuck in the driver keeps the program
from ending.
"""

from __future__ import annotations

import json
import os
import select
import signal
import sys
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

#: How long NVML may take, in seconds.
PATIENCE = 3.0
#: How long a process that answered, or was killed, may take to be gone, in seconds.
_GRACE = 0.1


class Asked:
    """A question that is under way."""

    def __init__(self, pid: int, pipe: int, patience: float) -> None:
        self._pid = pid
        self._pipe = pipe
        self._patience = patience
        self._deadline = time.monotonic() + patience
        self._answer: dict[str, Any] | None = None

    def result(self) -> dict[str, Any]:
        """Wait for the answer, at most until the time given to `start` is over.

        Returns a dictionary of plain JSON values. Its keys are always ``status``, ``reason``, ``driver``, ``cuda`` (the
        newest CUDA that the driver runs) and ``devices``, one dictionary per GPU in NVML's order. The status is "ok" or
        a word for what went wrong: those of ``nvml_child.STATUSES``, "timeout", "failed" and "nvidia-ml-py-missing";
        then the reason is a sentence, else None. What NVML does not tell about a GPU is None: ``uuid``, ``name``,
        ``compute_capability`` ("7.0"), ``memory_mib``, ``pci_bus_id``, ``mig`` (whether MIG mode is on; None where the
        GPU has none), and in ``peers``, by the index of the other GPU, "nvlink", "pcie" or "none".
        ``mig_instances`` holds ``uuid``, ``name``, ``memory_mib``, ``gpu_instance`` and ``compute_instance`` of each.
        """
        if self._answer is None:
            text = self._read()
            self._answer = self._late() if text is None else self._parse(text)
        return self._answer

    def _read(self) -> bytes | None:
        """The line that the process writes, or what there is of it when the process ends; None if the time is over."""
        # Not select.select: it fails where the host program has a thousand files open.
        poll = select.poll()
        poll.register(self._pipe, select.POLLIN)
        text = b""
        try:
            while not text.endswith(b"\n"):
                left = self._deadline - time.monotonic()
                if not poll.poll(max(left, 0) * 1000):
                    return None
                piece = os.read(self._pipe, 65536)
                if not piece:
                    break
                text += piece
            return text
        finally:
            os.close(self._pipe)

    def _parse(self, text: bytes) -> dict[str, Any]:
        code = self._collect()
        try:
            answer: dict[str, Any] = json.loads(text)
        except ValueError:
            return _failure("failed", f"the process that asked NVML {_end(code)} and gave no answer")
        return answer

    def give_up(self) -> None:
        """End the question without an answer."""
        os.close(self._pipe)
        self._kill()
        self._collect()

    def _late(self) -> dict[str, Any]:
        self._kill()
        self._collect()
        return _failure(
            "timeout",
            f"NVML did not answer within {self._patience:g} s: the driver hangs, or takes long to wake the GPUs "
            "(`nvidia-smi -pm 1` keeps them awake)",
        )

    def _collect(self) -> int | None:
        """The exit code; None where the host program collects its children itself, or the process does not end.

        One that is stuck in the driver does not even die of SIGKILL until the driver lets it, so it is left behind.
        """
        until = time.monotonic() + _GRACE
        while True:
            try:
                pid, status = os.waitpid(self._pid, os.WNOHANG)
            except ChildProcessError:
                return None
            if pid:
                return os.waitstatus_to_exitcode(status)
            if time.monotonic() > until:
                self._kill()
                return None
            time.sleep(0.001)

    def _kill(self) -> None:
        try:
            os.kill(self._pid, signal.SIGKILL)
        except ProcessLookupError:
            return


class NotAsked:
    """NVML could not be asked at all."""

    def __init__(self, status: str, reason: str) -> None:
        self._answer = _failure(status, reason)

    def result(self) -> dict[str, Any]:
        """What `Asked.result` returns."""
        return self._answer


_early: Asked | NotAsked | None = None


def start_early() -> None:
    """Start to ask NVML now, for whoever calls `start` next: a program does so before it imports what it needs."""
    global _early  # noqa: PLW0603 - one program, one question
    _early = start()


def drop_early() -> None:
    """Forget an early question that nobody took up."""
    global _early  # noqa: PLW0603
    if isinstance(_early, Asked):
        _early.give_up()
    _early = None


def start(patience: float = PATIENCE) -> Asked | NotAsked:
    """Start to ask NVML, or take over what `start_early` started; return at once.

    The answer has to come within `patience` seconds from the start.
    """
    global _early
    if _early is not None:
        taken, _early = _early, None
        return taken
    if sys.platform == "win32":
        return NotAsked("failed", "NVML is asked on Linux only")
    module = find_nvidia_ml_py()
    if module is None:
        return NotAsked("nvidia-ml-py-missing", "nvidia-ml-py is not installed, so NVML cannot be asked")
    reading, writing = os.pipe()
    try:
        pid = _spawn(module, writing)
    except OSError as error:
        os.close(reading)
        return NotAsked("failed", f"no process could be started to ask NVML: {error}")
    finally:
        os.close(writing)
    return Asked(pid, reading, patience)


def find_nvidia_ml_py() -> str | None:
    """The path of ``pynvml.py`` of the first distribution nvidia-ml-py on ``sys.path``.

    The name ``pynvml`` alone would not do: the deprecated distribution of that name puts a folder in its way.
    """
    for directory in sys.path:
        try:
            entries = os.listdir(directory or ".")
        except OSError:
            continue
        if "pynvml.py" in entries and any(entry.startswith("nvidia_ml_py-") for entry in entries):
            return os.path.abspath(os.path.join(directory, "pynvml.py"))
    return None


def _spawn(module: str, writing: int) -> int:
    """Start the process that asks, with `writing` as its standard output; return its id."""
    child = os.path.join(os.path.dirname(os.path.abspath(__file__)), "nvml_child.py")
    # -I -S: nothing of the user's site or of their PYTHON variables runs in it, and it starts faster.
    flags = ["-I", "-S", "-B"] if sys.dont_write_bytecode else ["-I", "-S"]
    devnull = os.open(os.devnull, os.O_RDWR)
    try:
        return os.posix_spawn(
            sys.executable,
            [sys.executable, *flags, child, module],
            os.environ,
            file_actions=[
                (os.POSIX_SPAWN_DUP2, devnull, 0),
                (os.POSIX_SPAWN_DUP2, writing, 1),
                (os.POSIX_SPAWN_DUP2, devnull, 2),
            ],
        )
    finally:
        os.close(devnull)


def _end(code: int | None) -> str:
    if code is None:
        return "ended"
    return f"ended with code {code}" if code >= 0 else f"was killed by signal {-code}"


def _failure(status: str, reason: str) -> dict[str, Any]:
    return {"status": status, "reason": reason, "driver": None, "cuda": None, "devices": []}
