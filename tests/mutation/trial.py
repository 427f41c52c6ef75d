"""Run the fast tests on a mutant.

pytest collects all tests once. For each mutant, a fork of that process replaces the code of the changed function and runs
the tests that run it, up to the first that fails. A change outside of functions, or of code that an import runs, is tried
in a new process. The changed module is also written to the copy of the project, for the processes that tests start.
"""

from __future__ import annotations

import functools
import gc
import os
import re
import signal
import subprocess
import sys
import time
import types
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

import pytest

from tests.mutation.areas import IGNORED, TESTS
from tests.mutation.covering import Covering
from tests.mutation.mutants import Mutant

KILLED, TIMED_OUT, SURVIVED, UNCOVERED = "killed", "timed out", "survived", "not run by any test"

Report = Callable[[Mutant, str, str], None]

_NOT_REPLACED, _NOT_REPLACED_STATUS = "not replaced", 77
_FAILED = ".failed-test"

#: A test on a mutant may take this much longer than without it; a mutant is killed by the limit, never by the load.
_SLOWER, _GRACE = 20, 60.0


class Trials:
    """A plugin of pytest that tries mutants in place of running all tests."""

    def __init__(self, root: Path, covering: Covering, mutants: Iterable[Mutant], report: Report) -> None:
        self.root = root
        self.covering = covering
        self.mutants = mutants
        self.report = report
        self.failed = ""

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed and not self.failed:
            self.failed = report.nodeid

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        self.items = {item.nodeid: item for item in session.items}
        self.loaded = Loaded()
        for mutant in self.mutants:
            self.report(mutant, *self._try(mutant))
        return True

    def _try(self, mutant: Mutant) -> tuple[str, str]:
        """Return what became of a mutant, and the test that failed."""
        tests = self._tests(mutant)
        if not tests:
            return UNCOVERED, ""
        limit = _GRACE + _SLOWER * sum(self.covering.seconds[name] for name in tests)
        path = self.root / mutant.path
        path.write_text(mutant.source())
        try:
            if mutant.function and not self.covering.is_run_by_import(mutant.path, mutant.first, mutant.last):
                result, test = _wait(self._fork(mutant, tests), limit, self.root)
                if result != _NOT_REPLACED:
                    return result, test
            return _wait(_start(tests, self.root), limit, self.root)
        finally:
            path.write_text(mutant.module.code)

    def _tests(self, mutant: Mutant) -> list[str]:
        """Return the tests to run: outside of functions all that run the module, or one that names it."""
        if mutant.function:
            found = set(self.covering.tests(mutant.path, mutant.first, mutant.last))
        else:
            users = [path for path in self.root.glob("vcompat/**/*.py") if _names(path, mutant.path)]
            found = {test for path in users for test in self.covering.tests(path.relative_to(self.root).as_posix())}
        return self.covering.in_order(found & self.items.keys())

    def _fork(self, mutant: Mutant, tests: Sequence[str]) -> int:
        child = os.fork()
        if child:
            return child
        try:
            os.setsid()
            if self.loaded.replace(self.root / mutant.path, mutant):
                os._exit(self._run([self.items[name] for name in tests]))
        except BaseException:
            os._exit(1)
        os._exit(_NOT_REPLACED_STATUS)

    def _run(self, items: Sequence[pytest.Item]) -> int:
        items[0].config.pluginmanager.unregister(name="terminalreporter")
        for item, following in zip(items, [*items[1:], None], strict=True):
            item.ihook.pytest_runtest_protocol(item=item, nextitem=following)
            if self.failed:
                (self.root / _FAILED).write_text(self.failed)
                return 1
        return 0


def _names(path: Path, module: str) -> bool:
    """Return whether the text of the file at `path` has the name of a module, or is the module."""
    stem = module.removesuffix("/__init__.py").rpartition("/")[2].removesuffix(".py")
    return path.as_posix().endswith(module) or re.search(rf"\b{stem}\b", path.read_text()) is not None


class Loaded:
    """The functions and caches of this process, as found once all tests are collected."""

    def __init__(self) -> None:
        gc.collect()
        self.functions: dict[str, list[types.FunctionType]] = defaultdict(list)
        self.caches = []
        for thing in gc.get_objects():
            if type(thing) is types.FunctionType:
                self.functions[thing.__code__.co_filename].append(thing)
            elif type(thing) is functools._lru_cache_wrapper:
                self.caches.append(thing)
        gc.freeze()

    def replace(self, path: Path, mutant: Mutant) -> bool:
        """Give the functions of the module at `path` the changed code, and empty all caches.

        False if that takes a new process. A module that is not imported yet needs nothing: its import reads the file.
        """
        for cache in self.caches:
            cache.cache_clear()
        if str(path) not in self.functions:
            return True
        old, new = (_codes(compile(text, str(path), "exec", dont_inherit=True)) for text in mutant.sources())
        replaced = False
        for before, after in zip(old[mutant.function], new[mutant.function], strict=True):
            for function in self.functions[str(path)]:
                if function.__code__ == before and len(before.co_freevars) == len(after.co_freevars):
                    function.__code__ = after
                    replaced = True
        return replaced


def try_mutants(root: Path, covering: Covering, mutants: Iterable[Mutant], report: Report) -> None:
    """Try `mutants` on the copy of the project at `root`, the current folder; `report` each when it is done."""
    trials = Trials(root, covering, mutants, report)
    pytest.main(["-q", "--no-header", "--no-summary", "-p", "no:cacheprovider", IGNORED, *TESTS], plugins=[trials])


def _start(tests: Sequence[str], root: Path) -> int:
    names = root / ".tests-to-run"
    names.write_text("\n".join(tests))
    command = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", f"@{names}"]
    nothing = subprocess.DEVNULL
    return subprocess.Popen(command, cwd=root, start_new_session=True, stdout=nothing, stderr=nothing).pid


def _wait(child: int, limit: float, root: Path) -> tuple[str, str]:
    failed = root / _FAILED
    failed.unlink(missing_ok=True)
    end = time.monotonic() + limit
    while time.monotonic() < end:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            if os.waitstatus_to_exitcode(status) == _NOT_REPLACED_STATUS:
                return _NOT_REPLACED, ""
            return (SURVIVED, "") if status == 0 else (KILLED, failed.read_text() if failed.exists() else "")
        time.sleep(0.02)
    os.killpg(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return TIMED_OUT, ""


def _codes(module: types.CodeType) -> dict[str, list[types.CodeType]]:
    """Return the code of each function of a module by its qualified name; a name can be defined again."""
    found: dict[str, list[types.CodeType]] = defaultdict(list)
    waiting = [module]
    while waiting:
        code = waiting.pop(0)
        found[code.co_qualname].append(code)  # type: ignore[attr-defined] # of Python 3.11
        waiting += [constant for constant in code.co_consts if isinstance(constant, types.CodeType)]
    return found
