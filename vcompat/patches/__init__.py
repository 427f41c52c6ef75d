"""The patches, one file each, in a folder for the package that they change.

A folder does not have the name of its package: where this checkout is in the folder of a run, such a folder would be
taken for a package of the run's own.

A file's docstring states why the patch exists, how it works, which processes need it, the upstream change, and when to
remove it. Each file defines ``PATCH``. A new file is found by its name; there is no list to add it to.
"""

from __future__ import annotations

import os
from importlib import import_module

from vcompat.patching.patch import Patch


def patch_ids() -> list[str]:
    """Return the ids of all patches, sorted. An id is the name of the patch's file; no file is imported."""
    here = os.path.dirname(os.path.abspath(__file__))
    folders = [entry.path for entry in os.scandir(here) if entry.is_dir()]
    names = [name for folder in folders for name in os.listdir(folder)]
    return sorted(name[:-3] for name in names if name.endswith(".py") and not name.startswith("_"))


def patch_module(patch_id: str) -> str:
    """Return the name of the module that defines a patch. An id begins with the package that the patch changes."""
    return f"{__name__}.of_{patch_id.partition('_')[0]}.{patch_id}"


def load_patches() -> list[Patch]:
    """Import every patch file and return the patches. No patch file imports the package that it patches."""
    return [import_module(patch_module(patch_id)).PATCH for patch_id in patch_ids()]
