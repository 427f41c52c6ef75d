"""The project that a run file belongs to: its top folder, and its files by the end of their path."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence

from vcompat.sources.reading.word import Word, normal_path, path_in

#: Maximum number of files and folders that are listed. Of a larger project, no file is known to be the only one.
MOST_ENTRIES = 20_000
#: Files in the top folder of a project that is no repository.
_MARKERS = ("pyproject.toml", "setup.py")
#: Folders whose files belong to other projects.
_FOREIGN = frozenset({"node_modules", "site-packages", "venv", "__pycache__"})
#: Maximum number of folders above a file that are searched for the top.
_DEEPEST = 20


def top_of(folder: str) -> str:
    """Return the top of the repository that contains `folder`; without one, the nearest folder with a project's file.

    Empty if there is neither.
    """
    nearest = ""
    for above in _upwards(folder):
        if os.path.exists(os.path.join(above, ".git")):
            return above
        if not nearest and any(os.path.isfile(os.path.join(above, name)) for name in _MARKERS):
            nearest = above
    return nearest


def _upwards(folder: str) -> Iterator[str]:
    """Yield a folder and those above it, as paths from the current one."""
    here = os.path.abspath(folder)
    for _ in range(_DEEPEST):
        yield os.path.relpath(here)
        above = os.path.dirname(here)
        if above == here:
            return
        here = above


def as_given(path: str, script: str) -> str:
    """Return a path as the user names files: relative, if it is in the current folder or in the project of `script`."""
    if not os.path.isabs(path) or os.path.isabs(script):
        return path
    folder = os.path.dirname(script)
    around = (os.getcwd(), os.path.abspath(folder), os.path.abspath(top_of(folder) or folder))
    return os.path.relpath(path) if any(f"{path}{os.sep}".startswith(f"{each}{os.sep}") for each in around) else path


def project_of(folder: str) -> str:
    """Return the folder whose files are the project of a run file in `folder`.

    It is the top of the repository; without one, the highest of the folder itself, the nearest one with a project's
    file, and the current one if it is above.
    """
    top = top_of(folder)
    if top and os.path.exists(os.path.join(top, ".git")):
        return top
    here, own = os.getcwd(), os.path.abspath(folder)
    candidates = [os.path.abspath(top)] if top else []
    candidates += [here] if os.path.commonpath([here, own]) == here else []
    return os.path.relpath(min([own, *candidates], key=len))


class ProjectFiles:
    """Finds files of projects by the end of their path. Each project is listed once."""

    def __init__(self) -> None:
        self._listed: dict[str, dict[str, list[str]] | None] = {}

    def by_end(self, name: Word, named_by: str, folder: Word = "", least: int = 1) -> str:
        """Return the one file of the project of `named_by` whose path ends like `name`, called so in `folder`.

        The longest end that a file has counts, of at least `least` parts. Empty if there is none, or more than one.
        """
        parts = _known_end(path_in(folder, name))
        if len(parts) < least:
            return ""
        files = self._files(project_of(os.path.dirname(named_by))) or {}
        paths = files.get(parts[-1], [])
        for length in range(len(parts), least - 1, -1):
            end = "/" + "/".join(parts[-length:])
            found = [path for path in paths if f"/{path}".endswith(end)]
            if found:
                return found[0] if len({os.path.realpath(path) for path in found}) == 1 else ""
        return ""

    def may_have(self, end: str, named_by: str) -> bool:
        """Return whether a file of the project of `named_by` has a path with this end; True if it is too large."""
        files = self._files(project_of(os.path.dirname(named_by)))
        return files is None or any(f"/{path}".endswith(f"/{end}") for path in files.get(os.path.basename(end), []))

    def _files(self, top: str) -> dict[str, list[str]] | None:
        """Return the paths of a project's files by name; None if it has too many."""
        if top not in self._listed:
            self._listed[top] = _listed(top)
        return self._listed[top]


def _known_end(path: Word) -> Sequence[str]:
    """Return the last parts of a path that are known."""
    parts: list[str] = []
    for part in reversed(normal_path(path).split("/")):
        if part in ("", ".", "..", "~") or not isinstance(part, str):
            break
        parts.insert(0, part)
    return parts


def _listed(top: str) -> dict[str, list[str]] | None:
    found: dict[str, list[str]] = {}
    count = 0
    for folder, folders, names in os.walk(top):
        folders[:] = sorted(name for name in folders if not _is_foreign(folder, name))
        count += len(folders) + len(names)
        if count > MOST_ENTRIES:
            return None
        for name in names:
            found.setdefault(name, []).append(os.path.normpath(os.path.join(folder, name)))
    return found


def _is_foreign(folder: str, name: str) -> bool:
    hidden = name.startswith(".") or name in _FOREIGN
    return hidden or os.path.isfile(os.path.join(folder, name, "pyvenv.cfg"))
