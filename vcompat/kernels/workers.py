"""Child processes of an interpreter that compile one call after the other, until a deadline.

Everything is read in one thread, so an interruption ends the children at once. A child ends by itself if this process
does not live to do that.
"""

from __future__ import annotations

import contextlib
import json
import os
import selectors
import subprocess
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from vcompat.foundation.errors import InputError
from vcompat.kernels.ending_children import end
from vcompat.kernels.installed_vllm import WHERE

#: Imports vcompat's modules from their folder, and nothing else from beside it: `python` can have other packages.
_START = """
import sys, types
sys.path[:] = [place for place in sys.path if place]
package = types.ModuleType("vcompat")
package.__path__ = [sys.argv[1]]
sys.modules["vcompat"] = package
from vcompat.kernels.child import main
main()
"""
_PACKAGE = Path(__file__).parents[1]
#: Variables that would change what is compiled, or how.
_OURS = ("TRITON_", "VLLM_")


class Job(NamedTuple):
    """What a child compiles."""

    number: int
    """Identifies the job in the results."""
    request: Mapping[str, Any]
    """As `child` reads it, with one attempt; without `seconds`."""


def run(python: str, jobs: Sequence[Job], most: int, until: float) -> Iterator[tuple[int, Mapping[str, Any]]]:
    """Yield the number and the result of each job that ends before `until`, a time of `time.monotonic`.

    At most `most` children run at a time. Raises InputError if a child cannot run at all.
    """
    waiting = list(reversed(jobs))
    children: list[_Child] = []
    with (
        tempfile.TemporaryDirectory(prefix="vcompat-compile-", ignore_cleanup_errors=True) as scratch,
        selectors.DefaultSelector() as ready,
    ):
        try:
            for _ in range(min(most, len(jobs))):
                children.append(_Child(python, scratch))
                children[-1].give(waiting.pop(), until)
                ready.register(children[-1].output, selectors.EVENT_READ, children[-1])
            while any(child.job for child in children) and (left := until - time.monotonic()) > 0:
                for key, _ in ready.select(left):
                    child: _Child = key.data
                    for result in child.read():
                        yield result
                        if waiting and time.monotonic() < until:
                            child.give(waiting.pop(), until)
                    if child.ended:
                        ready.unregister(child.output)
        finally:
            for child in children:
                child.close()


class _Child:
    """One process, and the job that it has."""

    def __init__(self, python: str, scratch: str) -> None:
        environment = {name: value for name, value in os.environ.items() if not name.startswith(_OURS)}
        # No GPU, even if there is one: the driver is not what answers. Files of a killed child go with `scratch`.
        environment |= {"CUDA_VISIBLE_DEVICES": "", "OMP_NUM_THREADS": "1", "TMPDIR": scratch}
        self._errors = tempfile.TemporaryFile(dir=scratch)  # noqa: SIM115 - closed with the child
        self._process = subprocess.Popen(
            [python, "-c", _START, str(_PACKAGE)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            env={**environment, "PYTHONDONTWRITEBYTECODE": "1"},
            # The terminal's interruption reaches this process alone, which ends the child.
            start_new_session=True,
        )
        assert self._process.stdin and self._process.stdout
        self._input, self.output = self._process.stdin, self._process.stdout
        self._python, self._begun = python, b""
        self.job: Job | None = None
        self.ended = False

    def give(self, job: Job, until: float) -> None:
        """Let the child run a job."""
        self.job = job
        request = {**job.request, "seconds": max(0.0, until - time.monotonic())}
        with contextlib.suppress(BrokenPipeError):
            self._input.write(json.dumps(request).encode() + b"\n")
            self._input.flush()

    def read(self) -> Iterator[tuple[int, Mapping[str, Any]]]:
        """Yield results that the child has written. Raises InputError if it ended with a job."""
        data = os.read(self.output.fileno(), 1 << 16)
        *lines, self._begun = (self._begun + data).split(b"\n")
        for line in lines:
            result = json.loads(line)
            if "attempt" in result and self.job:
                number, self.job = self.job.number, None
                yield number, result
        if not data:
            self.ended = True
            if self.job:
                raise InputError(WHERE, f"{self._python} cannot compile: {self._last_words()}", "torch and Triton")

    def _last_words(self) -> str:
        self._errors.seek(0)
        lines = self._errors.read().decode(errors="replace").strip().splitlines()
        return lines[-1][:300] if lines else "its process ended"

    def close(self) -> None:
        """End the process and what it started."""
        end(self._process)
        for file in (self._input, self.output, self._errors):
            with contextlib.suppress(OSError):
                file.close()
