"""The code that must not change unnoticed, by area."""

from __future__ import annotations

from pathlib import Path

_PATTERNS = {
    "condition": ("vcompat/rules/condition.py", "vcompat/rules/ranges.py"),
    "derivation": tuple(f"vcompat/facts/{name}.py" for name in ("derive", "engines/engine", "processes")),
    "evaluation": tuple(
        f"vcompat/evaluation/{name}.py"
        for name in ("check", "config", "evaluate", "finding", "grouping", "outcome", "settings")
    ),
    "judgement": ("vcompat/evaluation/judgement.py",),
    "patching": ("vcompat/patching/*.py",),
    "readers": ("vcompat/sources/reading/**/*.py",),
}

AREAS = tuple(_PATTERNS)

#: The fast tests, without one that takes half of their time.
TESTS = ("tests/unit", "tests/cases", "tests/nvml")
IGNORED = "--ignore=tests/unit/fixes/test_resolve_and_check.py"


def modules(root: Path, area: str) -> list[str]:
    """Return the modules of `area` below `root`, as paths relative to it."""
    found = {path.relative_to(root).as_posix() for pattern in _PATTERNS[area] for path in root.glob(pattern)}
    return sorted(found)
