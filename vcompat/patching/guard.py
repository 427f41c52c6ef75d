"""The check before a patch is applied: is the upstream code the code that the patch was written for?"""

from __future__ import annotations

import io
import os
from types import ModuleType
from typing import TYPE_CHECKING, NamedTuple

from vcompat.foundation.shipped import PACKAGE
from vcompat.patching.patch import Change
from vcompat.rules.fingerprint import normalized, shows

if TYPE_CHECKING:
    from vcompat.patching.guard_cache import Verdicts

APPLY, NOT_NEEDED, REFUSE = "apply", "not needed", "refuse"
#: The modules that decide. They are not imported to be read, since the parser is most of what a process saves.
_DECIDING = ("patching/guard.py", "rules/fingerprint.py", "foundation/syntax/blocks.py", "foundation/syntax/terms.py")


class Verdict(NamedTuple):
    """The guard's decision on one change, and the reason."""

    word: str
    """APPLY, NOT_NEEDED or REFUSE."""
    reason: str


def inspect_module(change: Change, module: ModuleType, verdicts: Verdicts | None = None) -> Verdict:
    """Check an imported module by reading the file it was imported from.

    `verdicts` has what was decided about the same source before, and gets what is decided now.
    """
    path = getattr(module.__spec__, "origin", None) or getattr(module, "__file__", None)
    try:
        with open(str(path), "rb") as file:
            data = file.read()
        source = io.TextIOWrapper(io.BytesIO(data), encoding="utf-8").read()
    except (OSError, UnicodeDecodeError):
        return Verdict(REFUSE, f"cannot read the source of {change.module}")
    known = verdicts.get(change, data) if verdicts else None
    if known is not None and known[0] in (APPLY, NOT_NEEDED, REFUSE):
        return Verdict(*known)
    verdict = inspect_source(change, source)
    if verdicts:
        verdicts.put(change, data, *verdict)
    return verdict


def kept_verdicts() -> Verdicts | None:
    """Return what earlier processes of the user have decided; None if the user's cache folder cannot be used."""
    # Imported here: only processes of a run keep them.
    from vcompat.patching.guard_cache import Verdicts, default_folder

    folder = default_folder()
    code = io.BytesIO()
    try:
        for path in _DECIDING:
            with open(os.path.join(PACKAGE, path), "rb") as file:
                code.write(file.read())
    except OSError:
        return None
    return Verdicts(folder, code.getvalue()) if folder else None


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
