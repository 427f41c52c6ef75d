"""Finds the files that run files name, and keeps the list of those that were read."""

from __future__ import annotations

import os

from vcompat.facts.facts import Place
from vcompat.foundation.errors import InputError
from vcompat.sources.plan.invocation import UNKNOWN, UNKNOWN_WORDS, Invocation
from vcompat.sources.plan.started import Started

#: Maximum number of files in one plan.
MOST_FILES = 50
#: Maximum number of folders that are searched for a file that another file names.
DEEPEST = 20


class Locator:
    """Finds files for one plan."""

    def __init__(self) -> None:
        self._seen: dict[str, str] = {}

    @property
    def files(self) -> tuple[str, ...]:
        """The files that were read, in the order in which they were."""
        return tuple(self._seen.values())

    def add(self, path: str) -> None:
        """Note that a file is read. Raises InputError for too many."""
        self._seen.setdefault(os.path.realpath(path), path)
        if len(self._seen) > MOST_FILES:
            raise InputError(path, f"more than {MOST_FILES} run files", f"at most {MOST_FILES}")

    def find(self, name: str, named_by: str, folder: str) -> str:
        """Return the path of a file that the file `named_by` names, after a change to `folder`; empty if not found."""
        if UNKNOWN in name or UNKNOWN_WORDS in name or not name:
            return ""
        inner = "" if UNKNOWN in folder else folder
        for start in _folders(named_by):
            path = os.path.normpath(os.path.join(start, inner, os.path.expanduser(name)))
            if os.path.exists(path):
                return path
        return ""

    def script(self, started: Started, invocation: Invocation) -> str:
        """Return the path of the script of a command, or of its module; empty if it is not there."""
        place, folder = invocation.place.path, invocation.folder
        if started.module:
            below = started.module.replace(".", "/")
            names = [f"{below}.py", f"{below}/__main__.py", f"src/{below}.py", f"src/{below}/__main__.py"]
        else:
            names = [started.script]
        for name in names:
            path = self.find(name, place, folder)
            if path and os.path.isfile(path):
                return path
            if path and os.path.isfile(os.path.join(path, "__main__.py")):
                return os.path.join(path, "__main__.py")
        same = [p for p in self._seen.values() if names[0] and os.path.basename(p) == os.path.basename(names[0])]
        return same[0] if len(same) == 1 else ""

    def model(self, model: str, place: Place | None, hub: str) -> str:
        """Return the path of the config.json of `model`; empty if it was not found."""
        beside = os.path.join(os.path.dirname(place.path), model) if place else model
        folders = [beside, model]
        cached = os.path.join(hub, f"models--{model.replace('/', '--')}", "snapshots")
        if hub and os.path.isdir(cached):
            folders += [os.path.join(cached, name) for name in sorted(os.listdir(cached))]
        files = (os.path.join(folder, "config.json") for folder in folders)
        return next((file for file in files if os.path.isfile(file)), "")


def _folders(path: str) -> list[str]:
    """Return the folders to search for files that `path` names: its own, the current one, parents in the repository."""
    folder = os.path.dirname(path)
    folders = [folder, ""]
    while not os.path.exists(os.path.join(folder, ".git")) and len(folders) < DEEPEST:
        above = os.path.dirname(os.path.abspath(folder))
        if above == os.path.abspath(folder):
            # Without a repository, parent folders are not part of the plan.
            return folders[:2]
        folder = above
        folders.append(os.path.relpath(folder))
    return folders
