"""Finds the files that run files name, and keeps the list of those that were read."""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import suppress

from vcompat.facts.facts import Place
from vcompat.facts.presumption import FILE, Presumption
from vcompat.foundation.errors import InputError
from vcompat.sources.reading.commands.started import Started
from vcompat.sources.reading.invocation import Invocation
from vcompat.sources.reading.package_folders import declared_folders
from vcompat.sources.reading.project import ProjectFiles, top_of
from vcompat.sources.reading.word import Word, base_name, concat, path_in, readable

#: Maximum number of files in one plan.
MOST_FILES = 50
#: Maximum number of folders that are searched for a file that another file names.
DEEPEST = 20
#: The ends of configuration files.
_CONFIGURATIONS = (".json", ".yaml", ".yml", ".toml")
#: The start of paths of the machine, which no project has a copy of.
_NEVER_OF_A_PROJECT = ("/etc/", "/usr/", "/opt/", "/proc/", "/dev/", "/sys/", "~/.", "-")


class Locator:
    """Finds files for one plan.

    With `presuming`, a file that is not where a path leads is the only one of the project whose path ends like it. What
    is presumed is appended to that list.
    """

    def __init__(self, presuming: list[Presumption] | None = None) -> None:
        self._seen: dict[str, str] = {}
        self._presuming = presuming
        self._project = ProjectFiles()
        self.starts_here = False
        """Whether runs are known to be started in the current folder, by a command."""

    @property
    def files(self) -> tuple[str, ...]:
        """The files that were read, in the order in which they were."""
        return tuple(self._seen.values())

    def add(self, path: str) -> None:
        """Note that a file is read. Raises InputError for too many."""
        self._seen.setdefault(os.path.realpath(path), path)
        if len(self._seen) > MOST_FILES:
            raise InputError(path, f"more than {MOST_FILES} run files", f"at most {MOST_FILES}")

    def find(self, name: Word, named_by: str, folder: Word, place: Place | None = None) -> str:
        """Return the path of a file that the file `named_by` names, after a change to `folder`; empty if not found."""
        return self._there(name, named_by, folder) or self.by_end(name, named_by, folder, place)

    def by_end(self, name: Word, named_by: str, folder: Word, place: Place | None = None, least: int = 1) -> str:
        """Return the one file of the project whose path ends like `name`, and presume it; empty if there is none.

        At least the last `least` parts of the path count. Empty in the certain reading.
        """
        if self._presuming is None or not name or name.startswith(_NEVER_OF_A_PROJECT):
            return ""
        path = self._project.by_end(name, named_by, folder, least)
        if path:
            whole = path_in(folder, name) if isinstance(name, str) else name
            text = f"{readable(whole)} is the file at {path}"
            self._presuming.append(Presumption(FILE, text, place))
        return path

    def words(self, words: Sequence[Word], invocation: Invocation) -> tuple[Word, ...]:
        """Return the arguments of a script, with the files that only the end of a path leads to.

        A path such as ``$HERE/zero3.json`` becomes that of the file, presumably.
        """
        return tuple(self._located(word, invocation) for word in words)

    def _located(self, word: Word, invocation: Invocation) -> Word:
        option, equals, value = word.partition("=") if word.startswith("--") else ("", "", word)
        if self._presuming is None or isinstance(value, str) or not value.endswith(_CONFIGURATIONS):
            return word
        path = self.by_end(value, invocation.place.path, invocation.folder, invocation.place)
        return concat((option, equals, os.path.abspath(path))) if path else word

    def _there(self, name: Word, named_by: str, folder: Word) -> str:
        """Return the path of a file at one of the places from which `name` may lead to it; empty if there is none."""
        if not isinstance(name, str) or not name:
            return ""
        inner = folder if isinstance(folder, str) else ""
        for start in _folders(named_by, self.starts_here):
            path = os.path.normpath(os.path.join(start, inner, os.path.expanduser(name)))
            if os.path.exists(path):
                return path
        return ""

    def script(self, started: Started, invocation: Invocation) -> str:
        """Return the path of the script of a command, or of its module; empty if it is not there."""
        place, folder = invocation.place.path, invocation.folder
        names = _files_of_module(started.module, place, folder) if started.module else [started.script]
        for name in names:
            path = self._there(name, place, folder)
            if path and os.path.isfile(path):
                return path
            if path and os.path.isfile(os.path.join(path, "__main__.py")):
                return os.path.join(path, "__main__.py")
        name = base_name(names[0])
        same = [path for path in self._seen.values() if names[0] and os.path.basename(path) == name]
        return (same[0] if len(same) == 1 else "") or self._script_by_end(names, started, invocation)

    def _script_by_end(self, names: Sequence[Word], started: Started, invocation: Invocation) -> str:
        """Return the script that only the end of its path leads to. A module keeps the packages that contain it."""
        place = invocation.place
        for name in names[:2]:
            least = len(name.split("/")) if started.module else 1
            folder = "" if started.module else invocation.folder
            path = self.by_end(name, place.path, folder, place, least)
            if path:
                return path
        return ""

    def model(self, model: str, place: Place | None, hub: str) -> str:
        """Return the path of the config.json of `model`; empty if it was not found."""
        beside = os.path.join(os.path.dirname(place.path), model) if place else model
        folders = [beside, model]
        cached = os.path.join(hub, f"models--{model.replace('/', '--')}", "snapshots")
        if hub and os.path.isdir(cached):
            # A cache that cannot be read is none.
            with suppress(OSError):
                folders += [os.path.join(cached, name) for name in sorted(os.listdir(cached))]
        files = (os.path.join(folder, "config.json") for folder in folders)
        return next((file for file in files if os.path.isfile(file)), "")


def _folders(path: str, starts_here: bool) -> list[str]:
    """Return the folders to search for files that `path` names: its own, the current one, parents in the project.

    The current one is the first if the run is known to start there.
    """
    folder = os.path.dirname(path)
    folders = ["", folder] if starts_here else [folder, ""]
    top = top_of(folder)
    while top and os.path.abspath(folder) != os.path.abspath(top) and len(folders) < DEEPEST:
        folder = os.path.dirname(os.path.abspath(folder))
        folders.append(os.path.relpath(folder))
    return folders


def _files_of_module(module: Word, place: str, folder: Word) -> list[Word]:
    """Return where the code of a module can be that a command in the file `place` starts."""
    here = folder if isinstance(folder, str) else ""
    declared = declared_folders(top_of(os.path.dirname(place) if place else here) or ".")
    below = module.replace(".", "/")
    folders = dict.fromkeys(("", "src", *declared))
    return [path_in(each, below + end) for each in folders for end in (".py", "/__main__.py")]
