"""The check in front of a patch: is the upstream code the code that the patch was written for?"""

from __future__ import annotations

from types import ModuleType
from typing import NamedTuple

from vcompat.patching.patch import Change
from vcompat.rules.fingerprint import normalised, shows

APPLY, NOT_NEEDED, REFUSE = "apply", "not needed", "refuse"


class Verdict(NamedTuple):
    """What the guard says of one change, and why."""

    word: str
    reason: str


def inspect_module(change: Change, module: ModuleType) -> Verdict:
    """Judge the module as it was imported, by the file it was imported from."""
    path = getattr(module.__spec__, "origin", None) or getattr(module, "__file__", None)
    try:
        with open(str(path), encoding="utf-8") as file:
            source = file.read()
    except (OSError, UnicodeDecodeError):
        return Verdict(REFUSE, f"the source of {change.module} cannot be read")
    return inspect_source(change, source)


def inspect_source(change: Change, source: str) -> Verdict:
    """Judge the text of a module."""
    name = f"{change.module}.{change.object}"
    code = normalised(source, change.object)
    if code is None:
        return Verdict(NOT_NEEDED, f"this release has no {name}")
    if not shows(code, change.has, change.lacks):
        return Verdict(NOT_NEEDED, f"{name} does not have the fault in this release")
    missing = [text for text in change.shape if text not in code]
    if missing:
        return Verdict(REFUSE, f"{name} is not the code that the patch was written for: it lacks `{missing[0]}`")
    return Verdict(APPLY, "")
