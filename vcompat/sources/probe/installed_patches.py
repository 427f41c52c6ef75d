"""Reads whether `vcompat install` applies patches in each Python process of this environment."""

from __future__ import annotations

import os
from collections.abc import Iterable

from vcompat.facts.facts import Facts, Place
from vcompat.foundation.bounded_reading import MB, read_text
from vcompat.foundation.errors import InputError
from vcompat.patching.launching import PTH, armed_by


def probe_installed_patches(folders: Iterable[str] | None = None) -> Facts:
    """Record ``host.patched`` from the file of `vcompat install` in `folders` (default: those of this interpreter)."""
    facts = Facts()
    for folder in _folders() if folders is None else folders:
        path = os.path.join(folder, PTH)
        if os.path.isfile(path):
            facts.set("host.patched", _armed(path), "vcompat install", Place(path))
            break
    return facts


def _armed(path: str) -> tuple[str, ...]:
    """Return the patches that the file at `path` arms; none if it cannot be read."""
    # Imported here: usually nothing is installed.
    from vcompat.patches import patch_ids

    try:
        wanted = armed_by(read_text(path, MB, "the file of `vcompat install`"))
    except InputError:
        return ()
    return tuple(one for one in patch_ids() if wanted == "all" or one in wanted.split(","))


def _folders() -> list[str]:
    """Return the folders in which Python looks for such files; no other folder of ``sys.path`` is one."""
    # Imported here: Python has imported it, unless it was started with -S.
    import site

    return [*site.getsitepackages(), *([site.getusersitepackages()] if site.ENABLE_USER_SITE else [])]
