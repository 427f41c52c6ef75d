"""Which fast tests run which lines: measured once by coverage.py, and kept until a file of the project changes."""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from coverage import Coverage, CoverageData

from tests.mutation.areas import IGNORED, TESTS

_SEEN, _SECONDS, _STATE = "coverage", "seconds.json", "state.json"


class Covering(NamedTuple):
    """The tests of each line, and how long each test takes."""

    root: Path
    seconds: dict[str, float]
    """Of each test that passes."""
    data: CoverageData

    def tests(self, path: str, first: int = 1, last: int = 10_000) -> list[str]:
        """Return the tests that run a line from `first` to `last` of the module at `path`, the fastest first."""
        return self.in_order(name for name in self._contexts(path, first, last) if name in self.seconds)

    def in_order(self, tests: Iterable[str]) -> list[str]:
        """Return `tests`, the fastest first."""
        return sorted(tests, key=lambda name: (self.seconds[name], name))

    def is_run_by_import(self, path: str, first: int, last: int) -> bool:
        """Whether one of these lines also runs outside of tests: when a module is imported or tests are collected."""
        return "" in self._contexts(path, first, last)

    def _contexts(self, path: str, first: int, last: int) -> set[str]:
        by_line = self.data.contexts_by_lineno(str(self.root / path))
        return {context for line, contexts in by_line.items() if first <= line <= last for context in contexts}


def measure(root: Path, kept: Path) -> Covering:
    """Return what covers the copy of the project at `root`.

    `kept` holds what was measured before: all is measured again if more than modules of tests changed, else these.
    Raises CalledProcessError if the tests cannot be collected.
    """
    before = json.loads((kept / _STATE).read_text()) if (kept / _STATE).exists() else {}
    now = _hashes(root)
    changed = [path for path in {*before, *now} if before.get(path) != now.get(path)]
    if not before or not all(Path(path).name.startswith("test_") and path.endswith(".py") for path in changed):
        kept.mkdir(parents=True, exist_ok=True)
        for name in (_STATE, _SEEN, _SECONDS):
            (kept / name).unlink(missing_ok=True)
        _run(root, kept, TESTS)
    elif any(path in now for path in changed):
        _run(root, kept, sorted(path for path in changed if path in now))
    (kept / _STATE).write_text(json.dumps(now))
    data = CoverageData(str(kept / _SEEN))
    data.read()
    return Covering(root, json.loads((kept / _SECONDS).read_text()), data)


def _hashes(root: Path) -> dict[str, str]:
    folders = ("vcompat", "rules", "evidence", "tests/oracle", *TESTS)
    paths = [path for folder in folders for path in root.glob(f"{folder}/**/*") if path.is_file()]
    return {path.relative_to(root).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest() for path in paths}


def _run(root: Path, kept: Path, tests: Sequence[str]) -> None:
    command = [sys.executable, "-m", "tests.mutation.covering", str(kept), *tests]
    done = subprocess.run(command, check=False, cwd=root)
    if done.returncode > 1:
        done.check_returncode()


class _Recorder:
    """A plugin of pytest that names each test to coverage.py and measures it."""

    def __init__(self, coverage: Coverage) -> None:
        self.coverage = coverage
        self.seconds: dict[str, float] = {}
        self.failed: set[str] = set()

    def pytest_runtest_logstart(self, nodeid: str) -> None:
        self.coverage.switch_context(nodeid)

    def pytest_runtest_logreport(self, report) -> None:
        self.seconds[report.nodeid] = self.seconds.get(report.nodeid, 0.0) + report.duration
        if not report.passed:
            self.failed.add(report.nodeid)

    def pytest_runtest_logfinish(self, nodeid: str) -> None:
        self.coverage.switch_context("")


def _main(kept: Path, tests: Sequence[str]) -> int:
    import pytest

    coverage = Coverage(data_file=str(kept / _SEEN), source=["vcompat"], config_file=False)
    if (kept / _SEEN).exists():
        coverage.load()
    coverage.start()
    recorder = _Recorder(coverage)
    code = pytest.main(["-q", "--no-header", "-p", "no:cacheprovider", IGNORED, *tests], plugins=[recorder])
    coverage.stop()
    coverage.save()
    passed = {name: seconds for name, seconds in recorder.seconds.items() if name not in recorder.failed}
    earlier = json.loads((kept / _SECONDS).read_text()) if (kept / _SECONDS).exists() else {}
    kept_seconds = {name: seconds for name, seconds in earlier.items() if name not in recorder.seconds}
    (kept / _SECONDS).write_text(json.dumps(kept_seconds | passed))
    return int(code)


if __name__ == "__main__":
    sys.exit(_main(Path(sys.argv[1]), sys.argv[2:]))
