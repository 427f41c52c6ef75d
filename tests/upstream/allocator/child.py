"""Run scenarios with real allocators in this process's children: a job per line on standard input, JSON.

torch is imported once and a release's allocator once for its scenarios. Each scenario is a fork, since a process that
touches memory which is not mapped ends.
"""

from __future__ import annotations

import importlib
import importlib.util
import json
import os
import sys
import tempfile
import zipfile
from pathlib import Path
from types import ModuleType
from typing import Any, NoReturn

from tests.upstream.allocator.machine import Machine
from tests.upstream.allocator.scenarios import SCENARIOS, Release, Steps
from vcompat.kernels.vllm_source import Finder

_MODULE, _EXTENSION = "vllm.device_allocator.cumem", "vllm.cumem_allocator"
#: Modules of packages whose ``__init__.py`` imports what the allocator does not need.
_TEXTS = ("vllm/distributed/device_communicators/cuda_wrapper.py",)


def main() -> None:
    """Run each job, the scenarios of one release; write a line with what became of the steps of each."""
    importlib.import_module("torch")
    for line in sys.stdin:
        job = json.loads(line)
        with tempfile.TemporaryDirectory(prefix="vcompat-allocator-") as scratch:
            _ended(os.fork() or _release(job, Path(scratch)))
            found = {name: _read(Path(scratch) / str(number)) for number, name in enumerate(job["scenarios"])}
        sys.stdout.write(json.dumps(found) + "\n")
        sys.stdout.flush()


def _ended(pid: int) -> int:
    """Wait for a child; return the signal that ended it, or 0."""
    _, status = os.waitpid(pid, 0)
    return os.WTERMSIG(status) if os.WIFSIGNALED(status) else 0


def _read(file: Path) -> dict[str, str]:
    found: dict[str, str] = json.loads(file.read_text()) if file.is_file() else {"end": "the allocator was not loaded"}
    return found


def _release(job: dict[str, Any], scratch: Path) -> NoReturn:
    """The process of a release: load its allocator, run each scenario in a fork, and end."""
    errors = scratch / "stderr"
    file = os.open(errors, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    os.dup2(file, 1)
    os.dup2(file, 2)
    try:
        release = _load(job, scratch)
        for number, name in enumerate(job["scenarios"]):
            steps = scratch / str(number)
            signal = _ended(os.fork() or _scenario(release, name, steps, errors))
            if signal:
                steps.write_text(json.dumps({**_read(steps), "end": f"signal {signal}"}))
    except BaseException as error:
        (scratch / "0").write_text(json.dumps({"end": f"{type(error).__name__}: {error}"}))
    os._exit(0)


def _scenario(release: Release, name: str, steps: Path, errors: Path) -> NoReturn:
    """The process of a scenario. What was seen is written after each step, since the next one may end the process."""
    step = Steps(lambda: errors.read_text(errors="replace"), lambda seen: steps.write_text(json.dumps(seen)))
    try:
        SCENARIOS[name](release, step)
    except BaseException as error:
        step.note("end", f"{type(error).__name__}: {error}")
    os._exit(0)


def _load(job: dict[str, Any], scratch: Path) -> Release:
    """Import the release's allocator, with its extension and without the rest of vLLM."""
    with zipfile.ZipFile(job["archive"]) as archive:
        texts = {path: archive.read(path).decode() for path in _TEXTS}
        # A patch reads the source of what it changes from a file.
        file = Path(archive.extract(f"{_MODULE.replace('.', '/')}.py", scratch))
    sys.meta_path.insert(0, Finder(job["archive"], job["version"], texts))
    machine: Machine = importlib.import_module(job["machine"]).install()
    _from_file(_EXTENSION, Path(job["extension"]))
    module = _from_file(_MODULE, file)
    assert module.cumem_available, "vLLM found no allocator"
    return Release(module, job["archive"], machine)


def _from_file(name: str, file: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, file)
    assert spec and spec.loader
    module = sys.modules[name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


if __name__ == "__main__":
    main()
