"""Finds a program as the shell does."""

from __future__ import annotations

import os


def find_program(name: str, path: str | None) -> str | None:
    """Return the file that the command `name` runs, with `path` as the variable PATH; None if there is none.

    The answers are those of `shutil.which`, whose module takes as long to import as a tenth of a check: it loads the
    libraries of all archive formats.
    """
    if os.name == "nt":
        from shutil import which

        return which(name, path=path)
    if path is None:
        path = os.environ.get("PATH", os.defpath)
    for folder in [""] if os.path.dirname(name) else path.split(os.pathsep) if path else []:
        file = os.path.join(folder, name)
        if os.access(file, os.F_OK | os.X_OK) and not os.path.isdir(file):
            return file
    return None
