"""The record of what tests saw on a GPU: one file per kind of GPU, with versions and the outcome of each test."""

from __future__ import annotations

import importlib.metadata
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Protocol

from vcompat.facts.derive import derive
from vcompat.foundation.writing import write_whole
from vcompat.sources.gather import Sources, gather

_PACKAGES = ("torch", "triton", "vcompat")
_HEAD = "# What the tests of tests/gpu saw on a real GPU. Written by `VCOMPAT_GPU_EVIDENCE=evidence/gpu pytest tests/gpu`.\n"


class Report(Protocol):
    """What pytest reports about a test."""

    @property
    def nodeid(self) -> str:
        """The test's id."""

    @property
    def outcome(self) -> str:
        """Passed or failed."""

    @property
    def user_properties(self) -> Sequence[tuple[str, object]]:
        """What the test recorded."""


def machine() -> dict[str, str]:
    """Return the first GPU, the driver, and versions; empty without a GPU."""
    facts = derive(gather(Sources()))
    names, capabilities = facts.value("gpu.name"), facts.value("gpu.compute_capability")
    if not isinstance(names, tuple) or not isinstance(capabilities, tuple) or not names:
        return {}
    found = {
        "gpu": str(names[0]),
        "compute_capability": str(capabilities[0]),
        "driver": str(facts.value("gpu.driver")),
        "driver_cuda": str(facts.value("gpu.driver_cuda")),
    }
    for package in _PACKAGES:
        try:
            found[package] = importlib.metadata.version(package)
        except importlib.metadata.PackageNotFoundError:
            found[package] = "not installed"
    return found


def write(folder: Path, machine: Mapping[str, str], reports: Iterable[Report]) -> Path:
    """Write what was seen to a file in `folder` named after the GPU; return it."""
    lines = [_HEAD, "[machine]", *(f"{name} = {json.dumps(text)}" for name, text in machine.items())]
    for report in reports:
        lines += [
            "",
            f"[tests.{json.dumps(report.nodeid.rpartition('/')[2])}]",
            f"outcome = {json.dumps(report.outcome)}",
        ]
        lines += [f"{json.dumps(name)} = {json.dumps(str(value))}" for name, value in report.user_properties]
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / (re.sub(r"[^a-z0-9]+", "-", machine["gpu"].lower()).strip("-") + ".toml")
    write_whole(file, "\n".join(lines) + "\n")
    return file
