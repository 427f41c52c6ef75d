"""The figures of docs/figures.md that data can fill in: `python -m tests.e2e.readme` writes them.

Tests compare the names of the figures, not the numbers, so that a new rule or release changes one file at a time.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

import tomli

from bench.tracebacks import score
from vcompat.index.packages import IMPORTED
from vcompat.patches import load_patches
from vcompat.rules.database import load_rules

ROOT = Path(__file__).resolve().parents[2]
_HEADER = "| what | number |\n| --- | --- |\n"
#: Packages whose releases are recorded for their names; no rule is measured in them.
_NAMES_ONLY = ("diffusers", "flash-attn", "ms-swift", "verl")
#: Records that are not of the releases of one package.
_NO_PACKAGES = ("trials", "misfits", "backends")


@cache
def scored() -> dict[str, int]:
    """What rules and leads find of the reported tracebacks, once for a process: it takes seconds."""
    return score(load_rules())


def figures() -> dict[str, str]:
    """Count what the checkout has, by what is counted."""
    rules = load_rules()
    found = scored()
    size = sum(path.stat().st_size for path in (ROOT / "evidence" / "index").glob("*.zip"))
    return {
        "rules": f"{len(rules)}",
        "rules whose range of releases is measured": f"{sum(rule.evidence.is_measured for rule in rules)}",
        "rules whose failure was tried with real releases": f"{sum(bool(rule.evidence.trials) for rule in rules)}",
        "patches": f"{len(load_patches())}",
        "upstream releases in which ranges are measured": f"{_releases()}",
        "packages whose names and lines are in the index": f"{len(IMPORTED)}",
        "size of the index": f"{size / 1e6:.1f} MB",
        "reported tracebacks with a known fix (`bench/tracebacks.toml`)": f"{sum(found.values())}",
        "of these, tracebacks that a rule explains": f"{found['rule']}",
        "of the others, those whose lead names a release with the fix first": f"{found['right']}",
        "of the others, those whose lead names a release without the fix first": f"{found['wrong']}",
    }


def figures_page(text: str) -> str:
    """Return the page with its table of figures computed anew. The table is the last thing on the page."""
    return text[: text.index(_HEADER)] + _HEADER + "".join(f"| {name} | {n} |\n" for name, n in figures().items())


def _releases() -> int:
    """Count the recorded releases of the packages in which rules are measured."""
    records = (path for path in (ROOT / "evidence").glob("*.toml") if path.stem not in (*_NO_PACKAGES, *_NAMES_ONLY))
    return sum(len(tomli.loads(path.read_text(encoding="utf-8")).get("releases", "").split()) for path in records)
