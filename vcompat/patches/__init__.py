"""The patches, one file each.

A file's docstring states why the patch exists, how it works, which processes need it, the upstream change, and when to
remove it. Each file defines ``PATCH``. A new file is found by its name; there is no list to add it to.
"""

from __future__ import annotations

import os
from importlib import import_module

from vcompat.patching.patch import Patch


def patch_ids() -> list[str]:
    """Return the ids of all patches, sorted. An id is the name of the patch's file; no file is imported."""
    names = os.listdir(os.path.dirname(os.path.abspath(__file__)))
    return sorted(name[:-3] for name in names if name.endswith(".py") and not name.startswith("_"))


def load_patches() -> list[Patch]:
    """Import every patch file and return the patches. No patch file imports the package that it patches."""
    return [import_module(f"{__name__}.{patch_id}").PATCH for patch_id in patch_ids()]
