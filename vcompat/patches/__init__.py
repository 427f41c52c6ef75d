"""The patches, one file each: why, how, in which process, the upstream change, and when it can go.

A patch's file defines ``PATCH``. A new file is found by its name alone; there is no list to add it to.
"""

from __future__ import annotations

import os
from importlib import import_module

from vcompat.patching.patch import Patch


def patch_ids() -> list[str]:
    """The ids of all patches, which are the names of their files, without importing them."""
    names = os.listdir(os.path.dirname(os.path.abspath(__file__)))
    return sorted(name[:-3] for name in names if name.endswith(".py") and not name.startswith("_"))


def load_patches() -> list[Patch]:
    """Import every patch file and return the patches. None of them imports what it patches."""
    return [import_module(f"{__name__}.{patch_id}").PATCH for patch_id in patch_ids()]
