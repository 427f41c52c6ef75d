"""Queries NVML in a separate process, because a driver can block for minutes and ignore signals meanwhile.

`start` starts the process, whose code is in ``nvml_child``. `Asked.result` waits for its answer until the timeout and
then abandons the process. A thread cannot be used: a thread that blocks in the driver prevents the program from
exiting.
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

#: Timeout for NVML's answer, in seconds.
PATIENCE = 3.0
#: Time that the process has to exit after it answered or was killed, in seconds.
_GRACE = 0.1


class Asked:
    """A running query."""

    def __init__(self, pid: int, pipe: int, patience: float) -> None:
        self._pid = pid
        self._pipe = pipe
        self._patience = patience
        self._deadline = time.monotonic() + patience
        self._answer: dict[str, Any] | None = None

    def result(self) -> dict[str, Any]:
        """Wait for the answer until the timeout that was passed to `start`.

        Returns a dictionary of plain JSON values with these keys:

        - ``status``: "ok", a status in ``nvml_child.STATUSES``, "timeout", "failed" or "nvidia-ml-py-missing".
        - ``reason``: a sentence that explains the status; None if the status is "ok".
        - ``driver``: the driver version. ``cuda``: the newest CUDA version that the driver supports.
        - ``devices``: one dictionary per GPU in NVML's order.

        The keys of a GPU are ``uuid``, ``name``, ``compute_capability`` ("7.0"), ``memory_mib``, ``pci_bus_id``,
        ``mig`` (whether MIG mode is on; None if the GPU does not support it), ``mig_instances`` and ``peers``. Values
        that NVML does not provide are None. ``peers`` maps the index of another GPU to "nvlink", "pcie" or "none".
        Each of ``mig_instances`` has ``uuid``, ``name``, ``memory_mib``, ``gpu_instance`` and ``compute_instance``.

        If it was asked for, each GPU has ``health``, with ``ecc`` (whether it is on), ``uncorrected_errors`` since the
        driver was loaded, ``remapping_pending`` and ``remapping_failed`` (of rows of memory), ``slowed_by`` (of
        ``nvml_child.SLOWDOWNS``), ``used_mib`` and ``processes``, each with ``pid`` and ``used_mib``.
        """
        if self._answer is None:
            text = self._read()
            self._answer = self._late() if text is None else self._parse(text)
        return self._answer

    def _read(self) -> bytes | None:
        """Return the line that the process writes, incomplete if the process exits early; None on timeout."""
        # Not select.select, which fails for file descriptors above 1023.
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
            return _failure("failed", f"the process that queries NVML {_end(code)} without an answer")
        return answer

    def give_up(self) -> None:
        """Stop the query without an answer."""
        os.close(self._pipe)
        self._kill()
        self._collect()

    def _late(self) -> dict[str, Any]:
        self._kill()
        self._collect()
        return _failure(
            "timeout",
            f"NVML did not respond within {self._patience:g} s: the driver hangs, or takes long to initialize the GPUs "
            "(`nvidia-smi -pm 1` keeps them initialized)",
        )

    def _collect(self) -> int | None:
        """Return the exit code; None if the program reaps its children itself, or the process does not exit.

        A process that blocks in the driver ignores even SIGKILL until the driver returns, so it is abandoned.
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
    """The result if NVML cannot be queried."""

    def __init__(self, status: str, reason: str) -> None:
        self._answer = _failure(status, reason)

    def result(self) -> dict[str, Any]:
        """Return a failure in the format of `Asked.result`."""
        return self._answer


_early: Asked | NotAsked | None = None


def start_early(with_health: bool = False) -> None:
    """Start the query for the next call of `start`, so that it runs while the program imports its modules."""
    global _early  # noqa: PLW0603 - there is one query per program
    _early = start(with_health=with_health)


def drop_early() -> None:
    """Stop the query of `start_early` if `start` was not called."""
    global _early  # noqa: PLW0603
    if isinstance(_early, Asked):
        _early.give_up()
    _early = None


def start(patience: float = PATIENCE, with_health: bool = False) -> Asked | NotAsked:
    """Start the query, or take over the one that `start_early` started. Returns immediately.

    `patience` is the timeout in seconds, measured from the start of the query. `with_health` asks also for errors,
    slowdowns and processes.
    """
    global _early
    if _early is not None:
        taken, _early = _early, None
        return taken
    if sys.platform == "win32":
        return NotAsked("failed", "NVML is queried on Linux only")
    module = find_nvidia_ml_py()
    if module is None:
        return NotAsked("nvidia-ml-py-missing", "nvidia-ml-py is not installed, so NVML cannot be queried")
    reading, writing = os.pipe()
    try:
        pid = _spawn(module, writing, with_health)
    except OSError as error:
        os.close(reading)
        return NotAsked("failed", f"cannot start a process to query NVML: {error}")
    finally:
        os.close(writing)
    return Asked(pid, reading, patience)


def find_nvidia_ml_py() -> str | None:
    """Return the path of ``pynvml.py`` of the first nvidia-ml-py distribution on ``sys.path``.

    Importing ``pynvml`` is not an option, because the deprecated distribution of that name shadows it with a folder.
    """
    for directory in sys.path:
        try:
            entries = os.listdir(directory or ".")
        except OSError:
            continue
        if "pynvml.py" in entries and any(entry.startswith("nvidia_ml_py-") for entry in entries):
            return os.path.abspath(os.path.join(directory, "pynvml.py"))
    return None


def _spawn(module: str, writing: int, with_health: bool) -> int:
    """Start the process that queries NVML, with `writing` as its standard output. Returns its process ID."""
    child = os.path.join(os.path.dirname(os.path.abspath(__file__)), "nvml_child.py")
    # -I -S ignore the user's site-packages and PYTHON variables, and make the process start faster.
    flags = ["-I", "-S", "-B"] if sys.dont_write_bytecode else ["-I", "-S"]
    devnull = os.open(os.devnull, os.O_RDWR)
    try:
        return os.posix_spawn(
            sys.executable,
            [sys.executable, *flags, child, module, *["health"] * with_health],
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
