"""Import hooks: call back right after an awaited module is imported.

Only awaited modules are changed. A copy of the module's own loader, of the same class, loads the module, and its
``exec_module`` is followed by the callback.
"""

from __future__ import annotations

import copy
import sys
from collections.abc import Callable, Sequence
from importlib.machinery import ModuleSpec
from types import ModuleType

Callback = Callable[[ModuleType], None]


class ImportHook:
    """A finder at the head of ``sys.meta_path`` that calls back after the import of awaited modules."""

    def __init__(self, callback: Callback) -> None:
        self._callback = callback
        self._awaited: frozenset[str] = frozenset()

    def wait_for(self, names: frozenset[str]) -> None:
        """Call back after each import of a module in `names`, and of no other. An empty set removes the hook."""
        self._awaited = names
        if names and self not in sys.meta_path:
            sys.meta_path.insert(0, self)
        elif not names and self in sys.meta_path:
            sys.meta_path.remove(self)

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Find an awaited module with the other finders, and let the callback follow its execution."""
        if name not in self._awaited:
            return None
        finders = list(sys.meta_path)
        # Those before it were asked already. Two hooks that asked each other would never end.
        for finder in finders[finders.index(self) + 1 if self in finders else 0 :]:
            if not hasattr(finder, "find_spec"):
                continue
            spec = finder.find_spec(name, path, target)
            if spec is not None:
                self._follow(spec)
                return spec
        return None

    def _follow(self, spec: ModuleSpec) -> None:
        loader, execute = spec.loader, getattr(spec.loader, "exec_module", None)
        if loader is None or execute is None or isinstance(loader, type):
            # A built-in or frozen module, which no patch waits for.
            return

        def exec_module(module: ModuleType) -> None:
            execute(module)
            if module.__name__ in self._awaited:
                self._callback(module)

        # One loader can load many modules, so only a copy is changed. The copy keeps the class and all its methods.
        own = copy.copy(loader)
        own.exec_module = exec_module  # type: ignore[method-assign]
        spec.loader = own
