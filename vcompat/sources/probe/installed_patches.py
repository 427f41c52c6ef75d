"""Reads whether `vcompat install` applies patches in each Python process of this environment."""

from __future__ import annotations

from collections.abc import Iterable

from vcompat.facts.facts import Facts, Place
from vcompat.patches import patch_ids
from vcompat.patching.installing import installed


def probe_installed_patches(folders: Iterable[str] | None = None) -> Facts:
    """Record ``host.patched`` from the file of `vcompat install` in `folders` (default: those of this interpreter)."""
    facts = Facts()
    path, wanted = installed(_folders() if folders is None else folders)
    if path:
        ids = patch_ids() if wanted == "all" else [one for one in wanted.split(",") if one in patch_ids()]
        facts.set("host.patched", tuple(ids), "vcompat install", Place(path))
    return facts


def _folders() -> list[str]:
    """Return the folders in which Python looks for such files; no other folder of ``sys.path`` is one."""
    # Imported here: Python has imported it, unless it was started with -S.
    import site

    return [*site.getsitepackages(), *([site.getusersitepackages()] if site.ENABLE_USER_SITE else [])]
