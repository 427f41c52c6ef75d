"""Writes and removes the file by which each Python process of an environment applies the patches."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from vcompat.foundation.errors import InputError
from vcompat.foundation.writing import write_whole
from vcompat.patching.launching import PTH, pth_of

_EXPECTED = "an environment that you can write to"


def install(python: str, patches: Iterable[str] | None) -> str:
    """Write the file for the interpreter or environment `python` (empty: this one); return its path.

    `patches` are the ids of those to apply, None for all. Raises InputError.
    """
    path = os.path.join(_site_packages(python), PTH)
    write_whole(Path(path), pth_of(patches), _EXPECTED)
    return path


def uninstall(python: str) -> str:
    """Remove the file; return its path, empty if there was none. Raises InputError."""
    path = os.path.join(_site_packages(python), PTH)
    try:
        os.unlink(path)
    except FileNotFoundError:
        return ""
    except OSError as error:
        raise InputError(path, f"cannot be removed: {error.strerror}", _EXPECTED) from None
    return path


def _site_packages(python: str) -> str:
    if not python:
        # Imported here: a check only looks for the file.
        import sysconfig

        return sysconfig.get_path("purelib")
    root = python if os.path.isdir(python) else os.path.dirname(os.path.dirname(os.path.abspath(python)))
    library = os.path.join(root, "lib")
    names = sorted(os.listdir(library)) if os.path.isdir(library) else []
    folders = [os.path.join(library, name, "site-packages") for name in names if name.startswith("python3")]
    folders = [folder for folder in folders if os.path.isdir(folder)]
    if len(folders) != 1:
        raise InputError(f"--python {python}", "no site-packages found", "an interpreter or its environment")
    return folders[0]
