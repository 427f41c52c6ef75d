"""Where the modules of a project are found that its script imports."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence

from vcompat.facts.facts import Place
from vcompat.facts.presumption import FILE
from vcompat.sources.reading.package_folders import declared_folders
from vcompat.sources.reading.project import top_of
from vcompat.sources.reading.python.running.harmless import STANDARD, WATCHED
from vcompat.sources.reading.python.values.core import Start

#: Maximum number of folders above the script's that are searched for a module, and of packages around it.
_MOST_PARENTS, _DEEPEST_PACKAGE = 3, 10


class SearchPath:
    """The folders in which Python looks for modules, and those that a project's installation adds to them."""

    def __init__(self, path: str, start: Start) -> None:
        self._own = os.path.dirname(path)
        self._path = path
        self._start = start
        self._installed: list[str] | None = None
        self._declared: list[str] | None = None

    def find(self, parts: Sequence[str], presume: Callable[[str, str, Place | None], None] | None) -> str | None:
        """Return the path of the module with these `parts` of its name; None if it is not in the project.

        The script's folder and PYTHONPATH come first, in this order. A module that only an installation of the project
        leads to counts if there is one. Of several, the presuming reading takes the nearest, and calls `presume`, which
        is None in the certain reading.
        """
        first = next(self._in(self._first(), parts), None)
        if first is not None:
            return first
        paths = list(self._in(self._around(), parts)) or list(self._in(self._of_project(), parts))
        if len({os.path.realpath(path) for path in paths}) > 1:
            if presume is None:
                return None
            presume(FILE, f"{'.'.join(parts)} is the module at {paths[0]}", None)
        return paths[0] if paths else self._by_end(parts)

    def is_own(self, root: str) -> bool:
        """Return whether a package with a library's name is the project's: it contains the script, or is beside it.

        Not TRL and alike, whose own examples are to be read as those of users.
        """
        if root in STANDARD or root in WATCHED:
            return False
        if module_in(self._own, [root]) is not None:
            return True
        folders = os.path.abspath(self._own).split(os.sep)
        if root not in folders:
            return False
        inside = os.sep.join(folders[: len(folders) - folders[::-1].index(root)])
        return os.path.isfile(os.path.join(inside, "__init__.py"))

    def is_beside(self, path: str) -> bool:
        """Return whether a module is in the script's folder, so that nothing else is found by its name."""
        return not os.path.relpath(path, self._own or os.curdir).startswith(os.pardir)

    @staticmethod
    def _in(folders: Sequence[str], parts: Sequence[str]) -> Iterator[str]:
        return filter(None, (module_in(folder, parts) for folder in folders))

    def _where(self) -> str:
        """Return the folder in which the script is started."""
        start = self._start
        beside = os.path.dirname(start.place.path) if start.place is not None and not start.starts_here else ""
        return os.path.join(beside, start.folder) if isinstance(start.folder, str) else beside

    def _first(self) -> Sequence[str]:
        """Return the folders that come before those of installed packages."""
        named = self._start.environment.values.get("PYTHONPATH") or ""
        parts = (part for part in named.split(":") if part and isinstance(part, str))
        return [self._own, *(os.path.join(self._where(), part) for part in parts)]

    def _around(self) -> Sequence[str]:
        """Return the folders around the script from which a project is usually imported."""
        if self._installed is None:
            where, folder = self._where(), self._own
            folders = [where, os.path.join(where, "src")]
            for _ in range(_MOST_PARENTS):
                folder = os.path.join(folder, os.pardir)
                folders.append(folder)
            self._installed = list(dict.fromkeys([*folders, self._above_packages()]))
        return self._installed

    def _above_packages(self) -> str:
        """Return the folder that contains the outermost package around the script."""
        folder = self._own
        for _ in range(_DEEPEST_PACKAGE):
            if not os.path.isfile(os.path.join(folder, "__init__.py")):
                break
            folder = os.path.join(folder, os.pardir)
        return folder

    def _of_project(self) -> Sequence[str]:
        """Return the top of the project, and the folders in which it declares its packages."""
        if self._declared is None:
            folders = []
            for top in dict.fromkeys((_nearest_project(self._own), top_of(self._own), top_of(self._where()))):
                if top:
                    declared = declared_folders(top)
                    folders += [os.path.join(top, folder) for folder in (*declared, "", "src")]
            self._declared = list(dict.fromkeys(folders))
        return self._declared

    def _by_end(self, parts: Sequence[str]) -> str | None:
        """Return the one module of the project whose path ends like a dotted name, presumably; else None."""
        by_end = self._start.by_end
        if by_end is None or len(parts) < 2:
            # A name without a package is rather that of a library.
            return None
        names = ("/".join(parts) + ending for ending in ("/__init__.py", ".py"))
        found = (by_end(name, self._path, "", None, name.count("/") + 1) for name in names)
        return next(filter(None, found), None)


def module_in(folder: str, parts: Sequence[str]) -> str | None:
    """Return the path of the module or package with these `parts` of its name in a folder; None if it is not there.

    A package comes before a module of the same name, as for Python.
    """
    for candidate in (os.path.join(folder, *parts, "__init__.py"), os.path.join(folder, *parts) + ".py"):
        if os.path.isfile(candidate):
            return os.path.normpath(candidate)
    return None


def _nearest_project(folder: str) -> str:
    """Return the nearest folder above `folder` with a project's file; empty if there is none."""
    here = os.path.abspath(folder)
    for _ in range(_DEEPEST_PACKAGE):
        if any(os.path.isfile(os.path.join(here, name)) for name in ("pyproject.toml", "setup.py", "setup.cfg")):
            return os.path.relpath(here)
        if os.path.exists(os.path.join(here, ".git")) or os.path.dirname(here) == here:
            return ""
        here = os.path.dirname(here)
    return ""
