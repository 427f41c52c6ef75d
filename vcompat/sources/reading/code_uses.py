"""What the code of an executed script uses of recorded packages."""

from __future__ import annotations

import os

from vcompat.facts.place import Place
from vcompat.facts.use import Used
from vcompat.foundation.bounded_reading import read_bytes
from vcompat.foundation.errors import InputError
from vcompat.foundation.shipped import PACKAGE
from vcompat.sources.reading.columns import Columns
from vcompat.sources.reading.project import ProjectFiles
from vcompat.sources.reading.python.imports import LARGEST_MODULE
from vcompat.sources.reading.python.interpreter import Interpreter
from vcompat.sources.reading.python.search_path import module_in
from vcompat.sources.reading.uses.project_uses import uses_of

#: Frameworks that change TRL, transformers and vLLM when they are imported.
_PATCHING = frozenset("axolotl llamafactory swift unsloth unsloth_zoo verl".split())


def code_uses(run: Interpreter) -> tuple[Used, ...]:
    """Return what a script and the modules of its project use; nothing of TRL's own script."""
    if run.start.is_command:
        return ()
    source, known = run.sources[run.path].source, run.start.uses
    found = known.get((run.path, source)) if known is not None else None
    if found is None:
        found = uses_of(run.path, source, _OfRun(run))
        if known is not None:
            known[run.path, source] = found
    return found


class _OfRun:
    """The project of a script that was executed."""

    def __init__(self, run: Interpreter) -> None:
        self._run = run
        self._files = ProjectFiles()

    def find(self, level: int, name: str, path: str) -> str:
        """Return the path of a module of the project; empty if it has none of this name."""
        parts = name.split(".") if name else []
        if level:
            return module_in(os.path.join(os.path.dirname(path), *[os.pardir] * (level - 1)), parts) or ""
        found = self._run.imports.search.find(parts, None) or ""
        # vcompat's own code is not the project's, also where its checkout is in the run's folder.
        return "" if os.path.abspath(found).startswith(PACKAGE + os.sep) else found

    def read(self, path: str) -> bytes | None:
        """Return the source of a module."""
        if path not in self._run.sources:
            try:
                self._run.sources[path] = Columns(read_bytes(path, LARGEST_MODULE, "a Python module"))
            except InputError:
                return None
        return self._run.sources[path].source

    def has(self, root: str) -> bool:
        """Return whether a package of this name is the project's, or one of those that it contains."""
        return self._run.imports.search.is_own(root) or self._files.may_have(f"{root}/__init__.py", self._run.path)

    def leaves_alone(self, root: str) -> bool:
        """Return whether a package changes no other one. As elsewhere, an import of a library is not doubted."""
        return root not in _PATCHING

    def place(self, path: str, line: int, offset: int) -> Place:
        """Return the position of what is at `offset` bytes in a line."""
        lines = self._run.lines if path == self._run.path else ()
        if lines:
            return Place(path, lines[line - 1] if 0 < line <= len(lines) else 0)
        return Place(path, line, self._run.sources[path].of(line, offset))
