"""Mutants that may survive, each with the reason: ``harmless.toml``."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import tomli

from tests.mutation.mutants import Mutant

LISTED = Path(__file__).with_name("harmless.toml")


class Harmless(NamedTuple):
    """One change that no test needs to notice."""

    module: str
    function: str
    before: str
    after: str
    why: str

    def is_of(self, mutant: Mutant) -> bool:
        """Whether this is the change of `mutant`."""
        return (self.module, self.function, self.before, self.after) == (mutant.path, mutant.function, *mutant.lines())


def read_harmless() -> list[Harmless]:
    """Return all entries. Raises TypeError if a key is missing or unknown."""
    return [Harmless(**entry) for entry in tomli.loads(LISTED.read_text())["harmless"]]


def outdated(root: Path, entries: list[Harmless]) -> list[Harmless]:
    """Return the entries whose code is no longer in its module."""
    return [entry for entry in entries if entry.before not in _on_one_line(root / entry.module)]


def _on_one_line(path: Path) -> str:
    return " ".join(line.strip() for line in path.read_text().splitlines()) if path.exists() else ""
