"""The check before a patch is applied: is the upstream code the code that the patch was written for?"""

from __future__ import annotations

from types import ModuleType
from typing import NamedTuple

from vcompat.patching.patch import Change
from vcompat.rules.fingerprint import normalized, shows

APPLY, NOT_NEEDED, REFUSE = "apply", "not needed", "refuse"


class Verdict(NamedTuple):
    """The guard's decision on one change, and the reason."""

    word: str
    """APPLY, NOT_NEEDED or REFUSE."""
    reason: str


def inspect_module(change: Change, module: ModuleType) -> Verdict:
    """Check an imported module by reading the file it was imported from."""
    path = getattr(module.__spec__, "origin", None) or getattr(module, "__file__", None)
    try:
        with open(str(path), encoding="utf-8") as file:
            source = file.read()
    except (OSError, UnicodeDecodeError):
        return Verdict(REFUSE, f"cannot read the source of {change.module}")
    return inspect_source(change, source)


def inspect_source(change: Change, source: str) -> Verdict:
    """Check the source text of a module."""
    name = f"{change.module}.{change.object}"
    code = normalized(source, change.object)
    if code is None:
        return Verdict(NOT_NEEDED, f"this release has no {name}")
    if not shows(code, change.has, change.lacks):
        return Verdict(NOT_NEEDED, f"{name} is not affected in this release")
    missing = [text for text in change.shape if text not in code]
    if missing:
        return Verdict(REFUSE, f"{name} is not the code that the patch was written for: `{missing[0]}` is missing")
    return Verdict(APPLY, "")
