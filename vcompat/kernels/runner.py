"""Run attempts: a child process per variant, which forks for each attempt; results are kept by what they depend on."""

from __future__ import annotations

import contextlib
import hashlib
import json
import math
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from vcompat.foundation.writing import write_whole
from vcompat.kernels import environments
from vcompat.kernels.child import TIME
from vcompat.kernels.ending_children import end
from vcompat.kernels.grid import Attempt, Kernel
from vcompat.kernels.variants import Variant
from vcompat.rules.fingerprint import normalized
from vcompat.upstream.store import Store, default_folder

#: Seconds that one attempt may take; the slowest that ended took two minutes.
PATIENCE = 150
#: Begins the message of an attempt in which the wrapper or the stand-in failed, not the compiler.
NOT_COMPILED = "not compiled:"
_REPOSITORY = Path(__file__).parents[2]
#: What an outcome depends on besides the variant and the call.
_METHOD = ("standin.py", "vllm_source.py", "child.py", "calls/__init__.py")


class Outcome(NamedTuple):
    """What became of an attempt."""

    word: str
    """One of the words in `child`: compiles, aborts, raises, shared-memory, ended."""
    message: str = ""
    """What the compiler states, if it aborts or raises; for shared memory, the bytes wanted."""
    seconds: float = 0.0
    mib: int = 0


class NotRun(Exception):
    """The child could not run; the message states why."""


def run(
    jobs: Sequence[tuple[Variant, Sequence[Attempt]]],
    workers: int,
    each: Callable[[Variant, Attempt, Outcome], None] = lambda *_: None,
    use_kept: bool = True,
    until: float = math.inf,
) -> Iterator[tuple[Variant, dict[Attempt, Outcome]]]:
    """Run the attempts of each variant, `workers` variants at a time. Yields results in the order of `jobs`.

    Nothing is started after `until`, a time of `time.monotonic`. Raises NotRun or NotInstalled.
    """

    def one(job: tuple[Variant, Sequence[Attempt]]) -> dict[Attempt, Outcome]:
        variant, wanted = job
        kept = Kept(variant) if use_kept else None
        outcomes = kept.read() if kept else {}
        missing = [attempt for attempt in wanted if attempt not in outcomes]
        if time.monotonic() < until:
            for attempt, outcome in _ran(variant, missing):
                outcomes[attempt] = outcome
                each(variant, attempt, outcome)
                if kept:
                    kept.write(outcomes)
                if time.monotonic() > until:
                    break
        return {attempt: outcomes[attempt] for attempt in wanted if attempt in outcomes}

    with ThreadPoolExecutor(workers) as pool:
        for job, found in zip(jobs, pool.map(one, jobs), strict=True):
            yield job[0], found


def _ran(variant: Variant, wanted: Sequence[Attempt]) -> Iterator[tuple[Attempt, Outcome]]:
    """Run attempts in one child process, which forks for each."""
    if not wanted:
        return
    version = variant.releases[0]
    job = {
        "triton": str(environments.triton(variant.triton)),
        "archive": str(Store().folder / f"vllm-{version}.zip"),
        "version": str(version),
        "module": variant.module,
        "texts": variant.texts,
        "calls": variant.kernel.called_in,
        "seconds": PATIENCE,
        "attempts": [{**attempt._asdict(), "dtype": attempt.dtype} for attempt in wanted],
    }
    path = os.pathsep.join(filter(None, [str(_REPOSITORY), os.environ.get("PYTHONPATH")]))
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("TRITON_", "VLLM_"))}
    child = subprocess.Popen(
        [sys.executable, "-m", "vcompat.kernels.child"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**environment, "PYTHONPATH": path, "OMP_NUM_THREADS": "1"},
    )
    said: list[str] = []
    # Read beside the results, so that a full pipe never blocks the child.
    reader = threading.Thread(target=lambda: said.extend(child.stderr or ()), daemon=True)
    reader.start()
    try:
        yield from _results(child, json.dumps(job), wanted, variant.triton)
    finally:
        end(child)
    reader.join(1)


def _results(
    child: subprocess.Popen[str], job: str, wanted: Sequence[Attempt], triton: str
) -> Iterator[tuple[Attempt, Outcome]]:
    assert child.stdin and child.stdout
    with contextlib.suppress(BrokenPipeError):
        child.stdin.write(job)
        child.stdin.close()
    lines: Iterable[str] = child.stdout
    count = 0
    for line in lines:
        told: dict[str, Any] = json.loads(line)
        if "attempt" in told:
            yield wanted[count], _outcome(told)
            count += 1
        elif told["triton"] != triton:
            raise NotRun(f"Triton {told['triton']} was imported instead of {triton}")
    if count != len(wanted):
        raise NotRun(f"{sys.executable} -m vcompat.kernels.child ended before attempt {wanted[count]}")


def _outcome(told: dict[str, Any]) -> Outcome:
    message = str(told["wanted"]) if "wanted" in told else told.get("message", "")
    if told.get("in") in ("stand-in", "vllm"):
        message = f"{NOT_COMPILED} {message}"
    return Outcome(told["outcome"], message, told["seconds"], told["mib"])


def method(kernel: Kernel) -> str:
    """Return the hash of what an outcome depends on besides the variant: how the kernel is called and compiled."""
    code = "\n".join(map(_code, (*_METHOD, f"calls/{kernel.called_in}.py")))
    return hashlib.sha256(code.encode()).hexdigest()[:12]


@cache
def _code(file: str) -> str:
    """Return the code of a file of this package, comments and layout aside."""
    return normalized((Path(__file__).parent / file).read_text(encoding="utf-8"), "") or ""


class Kept:
    """The outcomes of one variant in the user's cache, by everything that they depend on."""

    def __init__(self, variant: Variant) -> None:
        parts = (variant.code, variant.triton, *map(_code, (*_METHOD, f"calls/{variant.kernel.called_in}.py")))
        key = hashlib.sha256("\n".join(parts).encode()).hexdigest()[:20]
        self._file = default_folder().parent / "kernels" / f"{key}.json"

    def read(self) -> dict[Attempt, Outcome]:
        """Return what is kept."""
        with contextlib.suppress(OSError, ValueError):
            lines = json.loads(self._file.read_text(encoding="utf-8"))
            return {Attempt(*attempt): Outcome(*outcome) for attempt, outcome in lines}
        return {}

    def write(self, outcomes: dict[Attempt, Outcome]) -> None:
        """Keep outcomes; not those of attempts that took too long, since that depends on the machine."""
        self._file.parent.mkdir(parents=True, exist_ok=True)
        lines = [[attempt, outcome] for attempt, outcome in outcomes.items() if outcome.message != TIME]
        write_whole(self._file, json.dumps(lines))
