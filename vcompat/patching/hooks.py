"""Import hooks: a callback runs right after a module that it waits for was imported.

Only modules that somebody waits for are touched: their loader's ``exec_module`` is followed by the callback.
The module is loaded by a copy of its own loader, of the same class; nothing else changes.
"""

from __future__ import annotations

import copy
import sys
from collections.abc import Callable, Sequence
from importlib.machinery import ModuleSpec
from types import ModuleType

Callback = Callable[[ModuleType], None]


class ImportHook:
    """A finder at the head of ``sys.meta_path`` that calls back for the modules it was told to wait for."""

    def __init__(self, callback: Callback) -> None:
        self._callback = callback
        self._awaited: frozenset[str] = frozenset()

    def wait_for(self, names: frozenset[str]) -> None:
        """Call back after each import of a module in `names`, until told otherwise; an empty set disarms."""
        self._awaited = names
        if names and self not in sys.meta_path:
            sys.meta_path.insert(0, self)
        elif not names and self in sys.meta_path:
            sys.meta_path.remove(self)

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Let the other finders find the module; see to it that its execution is followed by the callback."""
        if name not in self._awaited:
            return None
        for finder in list(sys.meta_path):
            if finder is self or not hasattr(finder, "find_spec"):
                continue
            spec = finder.find_spec(name, path, target)
            if spec is not None:
                self._follow(spec)
                return spec
        return None

    def _follow(self, spec: ModuleSpec) -> None:
        loader, execute = spec.loader, getattr(spec.loader, "exec_module", None)
        if loader is None or execute is None or isinstance(loader, type):
            # Built-in modules and the like: nothing that a patch waits for.
            return

        def exec_module(module: ModuleType) -> None:
            execute(module)
            if module.__name__ in self._awaited:
                self._callback(module)

        # A loader may serve many modules, so its copy serves this one. The copy keeps the class and all abilities.
        own = copy.copy(loader)
        own.exec_module = exec_module  # type: ignore[method-assign]
        spec.loader = own
