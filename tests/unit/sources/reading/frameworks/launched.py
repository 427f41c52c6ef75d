"""What a launch script states, written for one test."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from vcompat.facts.facts import Facts
from vcompat.sources.reading.files import read_plan
from vcompat.sources.reading.recognize import recognize

#: The value of a fact that is not known.
OPEN = "open"


def launched(text: str, **files: str) -> Facts:
    """Write `text` as run.sh, and `files` as YAML files, into the current folder; return the facts of its one run."""
    Path("run.sh").write_text(text)
    for name, contents in files.items():
        Path(f"{name}.yaml").write_text(contents)
    (run,) = read_plan([recognize("run.sh")]).runs
    return run.facts


def known(facts: Facts, names: str) -> list[Any]:
    """Return the values of facts without ``plan.``; OPEN for those that are not known."""
    return [facts.value(f"plan.{name}", OPEN) for name in names.split()]


def likely(facts: Facts, name: str) -> Any:
    """Return the likely value of a fact; OPEN if it has none."""
    found = facts.likely(f"plan.{name}")
    return OPEN if found is None else found.value
