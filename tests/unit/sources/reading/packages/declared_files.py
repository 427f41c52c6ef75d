"""Helpers for tests that read an environment from a file."""

from __future__ import annotations

from pathlib import Path

from packaging.version import Version

from vcompat.facts.facts import Facts
from vcompat.facts.value import show
from vcompat.sources.reading.packages.declared import read_environment
from vcompat.sources.reading.packages.platforms import Runtime

#: Most runs: the machine is known from the target, the Python is not.
X86 = Runtime("x86_64")


def read(folder: Path, name: str, text: str, runtime: Runtime = X86) -> Facts:
    """Return the facts of a file with the given name and text."""
    (folder / name).write_text(text)
    return read_environment(str(folder / name), runtime)


def stated(facts: Facts, name: str) -> str:
    """Return the value of a fact as text; "?" if it is unknown."""
    known = facts.get(name)
    return "?" if known is None else show(known.value)


def runtime(machine: str | None = None, python: str | None = None) -> Runtime:
    """Return what is known about the run."""
    return Runtime(machine, Version(python) if python else None)
