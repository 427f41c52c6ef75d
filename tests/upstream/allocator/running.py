"""Run scenarios with the real allocators of releases, in child processes."""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from packaging.version import Version

from tests.upstream.allocator import executor
from tests.upstream.allocator.extension import extension
from tests.upstream.allocator.seen import Seen
from tests.upstream.releases import cache_directory, source
from vcompat.rules.fingerprint import normalized
from vcompat.upstream.archive import Archive, Tree
from vcompat.upstream.index import Release
from vcompat.upstream.store import Store

_MODULE = "vllm/device_allocator/cumem.py"


class Subject(NamedTuple):
    """What a release consists of here."""

    version: str
    archive: Path
    extension: Path

    @property
    def code(self) -> str:
        """The hash of the allocator in Python and in machine code, and of the executor's methods."""
        with source_of(self.version) as archive:
            text = normalized(archive.read(_MODULE) or "", "") or ""
        parts = text, executor.code(str(self.archive)), hashlib.sha256(self.extension.read_bytes()).hexdigest()
        return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:12]


def source_of(version: str) -> Archive | Tree:
    """Open the source of a release, in the user's cache or in that of the tests."""
    stored = Store()
    return stored.open(_release(version)) if stored.has("vllm", Version(version)) else source("vllm", version)


def subject(version: str) -> Subject:
    """Return what a release consists of; fetch what is missing. Raises NotAvailable."""
    with source_of(version):
        pass
    folders = Store().folder, cache_directory() / "releases"
    archives = (folder / f"vllm-{version}.zip" for folder in folders)
    return Subject(version, next(path for path in archives if path.is_file()), extension(version))


def run(
    subjects: Sequence[Subject],
    scenarios: Iterable[str],
    environment: Mapping[str, str],
    machine: str = "tests.upstream.allocator.gpu",
) -> Iterator[Seen]:
    """Run scenarios with each subject, in one child process.

    `environment` is that of the process. `machine` names the module that installs the GPU.
    """
    jobs = [
        {
            "version": one.version,
            "archive": str(one.archive),
            "extension": str(one.extension),
            "scenarios": list(scenarios),
            "machine": machine,
        }
        for one in subjects
    ]
    done = subprocess.run(
        [sys.executable, "-m", "tests.upstream.allocator.child"],
        input="".join(json.dumps(job) + "\n" for job in jobs),
        capture_output=True,
        text=True,
        env=environment,
        check=True,
    )
    yield from map(json.loads, done.stdout.splitlines())


def _release(version: str) -> Release:
    return Release("vllm", Version(version), "", "", "", False)
