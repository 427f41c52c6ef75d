"""Compile kernels of one release in this process's children: `python -m vcompat.kernels.child` with a job on stdin.

Torch and Triton are imported once; each attempt is a fork, so that an abort of the compiler ends that attempt and
nothing else. One line of JSON per attempt goes to standard output: the attempt and what became of it.
"""

from __future__ import annotations

import importlib
import itertools
import json
import os
import re
import resource
import signal
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from vcompat.kernels import standin, vllm_source

#: What becomes of an attempt.
COMPILES, ABORTS, RAISES, NO_MEMORY, ENDED = "compiles", "aborts", "raises", "shared-memory", "ended"
#: The bounds of an attempt. One that exceeds a bound is ended.
TIME, MEMORY = "it took too long", "it took too much memory"
#: Bytes of address space of an attempt; torch and Triton's compiler map about 3 GB without using them.
_ADDRESS_SPACE = 12 << 30
#: Bytes of memory of an attempt.
_MEMORY = 3584 << 20
#: Lines in which the compiler states why it gives up.
_REASONS = (
    r"(Unsupported conversion .+)",
    r"LLVM ERROR: (.+)",
    r"Assertion `.*?([^`\"]+)\"?' failed",
    r"ptxas (?:fatal|error)\s*: (.+)",
)


def main() -> None:
    """Run the jobs of standard input, one per line, with the Triton in the folder that the first one names, if any."""
    first = json.loads(sys.stdin.readline())
    if first["triton"]:
        sys.path.insert(0, first["triton"])
    import torch
    import triton  # type: ignore[import-untyped,import-not-found,unused-ignore]

    importlib.import_module("triton.backends")
    sys.stdout.write(json.dumps({"torch": torch.__version__, "triton": triton.__version__}) + "\n")
    sys.stdout.flush()
    for job in itertools.chain([first], map(json.loads, sys.stdin)):
        for attempt in job["attempts"]:
            outcome = _forked(job, attempt)
            sys.stdout.write(json.dumps({"attempt": attempt, **outcome}) + "\n")
            sys.stdout.flush()


def _forked(job: dict[str, Any], attempt: dict[str, Any]) -> dict[str, Any]:
    """Run an attempt in a fork, bounded in time and memory, and return what became of it."""
    with tempfile.TemporaryDirectory(prefix="vcompat-kernel-") as scratch:
        begin = time.monotonic()
        pid = os.fork()
        if pid == 0:
            _attempt(job, attempt, Path(scratch))
        status, usage, bound = _awaited(pid, begin + job["seconds"])
        outcome: dict[str, Any] = {"outcome": ENDED, "message": bound} if bound else _outcome(status, Path(scratch))
        outcome["seconds"] = round(time.monotonic() - begin, 1)
        outcome["mib"] = usage.ru_maxrss >> 10
        return outcome


def _awaited(pid: int, until: float) -> tuple[int, resource.struct_rusage, str]:
    """Wait for an attempt. Returns its status, what it used, and which bound it exceeded, if it did."""
    bound, parent = "", os.getppid()
    while True:
        done, status, usage = os.wait4(pid, 0 if bound else os.WNOHANG)
        if done:
            return status, usage, bound
        # Without the process that reads the outcome, nothing else would end the attempt.
        if time.monotonic() > until or os.getppid() != parent:
            bound = TIME
        elif _resident(pid) > _MEMORY:
            bound = MEMORY
        if bound:
            os.killpg(pid, signal.SIGKILL)
        time.sleep(0.02)


def _resident(pid: int) -> int:
    """Return the bytes of memory of an attempt and of the program that it runs, such as ptxas; 0 if it has ended."""
    try:
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
        pages = sum(int(Path(f"/proc/{one}/statm").read_text().split()[1]) for one in (str(pid), *children))
        return pages * resource.getpagesize()
    except (OSError, IndexError):
        return 0


def _attempt(job: dict[str, Any], attempt: dict[str, Any], scratch: Path) -> None:
    """The forked process: call the wrapper, write what happened to files, and end."""
    os.setpgid(0, 0)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_AS, (_ADDRESS_SPACE, _ADDRESS_SPACE))
    errors = os.open(scratch / "stderr", os.O_WRONLY | os.O_CREAT)
    os.dup2(errors, 1)
    os.dup2(errors, 2)
    os.environ["TRITON_CACHE_DIR"] = str(scratch / "cache")
    result: dict[str, Any]
    try:
        vllm_source.install(job["archive"], job["version"], job["texts"])
        standin.install(attempt["capability"])
        import torch

        module = importlib.import_module(job["module"])
        calls = importlib.import_module(f"vcompat.kernels.calls.{job['calls']}").CALLS
        calls[attempt["call"]](module, getattr(torch, attempt["dtype"]), attempt["size"])
        result = {"outcome": COMPILES, "kernels": sorted(set(standin.LAUNCHED))}
        if not standin.LAUNCHED:
            result = {"outcome": RAISES, "message": "the wrapper launched no kernel", "in": "stand-in"}
    except BaseException as error:
        result = _raised(error)
    (scratch / "result").write_text(json.dumps(result))
    os._exit(0)


def _raised(error: BaseException) -> dict[str, Any]:
    """What an exception states: too little shared memory, or its last line and the package that raised it."""
    # Triton also states so of the tensor memory of newer cards, with numbers of another kind.
    if type(error).__name__ == "OutOfResources" and getattr(error, "name", "") == "shared memory":
        return {"outcome": NO_MEMORY, "wanted": error.required, "there": error.limit}  # type: ignore[attr-defined]
    trace, files = error.__traceback__, []
    while trace:
        files.append(trace.tb_frame.f_code.co_filename)
        trace = trace.tb_next
    place = next((name for name in ("triton", "vllm") if f"/{name}/" in files[-1]), "stand-in")
    last = [line.strip() for line in str(error).splitlines() if line.strip()] or [""]
    return {"outcome": RAISES, "message": f"{type(error).__name__}: {last[-1][:300]}", "in": place}


def _outcome(status: int, scratch: Path) -> dict[str, Any]:
    written = scratch / "stderr"
    said = written.read_text(errors="replace") if written.is_file() else ""
    if os.WIFSIGNALED(status):
        return {"outcome": ABORTS, "signal": os.WTERMSIG(status), "message": _reason(said)}
    result: dict[str, Any] = json.loads((scratch / "result").read_text())
    if result["outcome"] == RAISES and result["in"] == "triton":
        result["message"] = " / ".join(filter(None, [_reason(said), result["message"]]))
    return result


def _reason(said: str) -> str:
    """What the compiler states about why it gives up, without repetitions."""
    found = dict.fromkeys(match[1].strip()[:200] for reason in _REASONS for match in re.finditer(reason, said))
    return " / ".join(found)


if __name__ == "__main__":
    main()
