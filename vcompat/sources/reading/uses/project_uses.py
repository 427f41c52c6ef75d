"""What the code of a run uses of packages: its script, and the modules of the project that this imports.

Nothing is executed. A use is certain if the statement surely runs; it is likely in a function that code of the run
names, which is presumed to be called. What can fail without consequence, in a ``try`` that expects it, is no use.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple, Protocol

from vcompat.facts.place import Place
from vcompat.facts.presumption import REACHED, Presumption
from vcompat.facts.use import IMPORT, OVERRIDE, Used
from vcompat.foundation.syntax.blocks import parsed
from vcompat.index.packages import ROOTS, package_of
from vcompat.sources.reading.uses.found import CONDITION, FUNCTION, Found, Within
from vcompat.sources.reading.uses.module import ENDS, Import, ModuleReader

#: Maximum number of modules of a project that are read.
_MOST = 150
#: What decides at run time which modules there are.
_HOOKS = re.compile(rb"sys\.meta_path|sys\.modules\.update|sys\.modules\[\s*[^\"'\s\]]+\]\s*=[^=]")
#: A module that the project itself puts among the imported ones.
_PUT = re.compile(rb"sys\.modules(?:\[|\.setdefault\()\s*[\"']([\w.]+)[\"']")


class Project(Protocol):
    """What is asked of a project: its modules, and what in them is whose."""

    def find(self, level: int, name: str, path: str) -> str:
        """Return the path of a module that the one at `path` imports; empty if it is none of the project."""

    def read(self, path: str) -> bytes | None:
        """Return the source of a module; None if it cannot be read."""

    def has(self, root: str) -> bool:
        """Return whether the project has a package with the name of a recorded one, which Python imports instead."""

    def leaves_alone(self, root: str) -> bool:
        """Return whether a package that is not the project's changes no other package."""

    def place(self, path: str, line: int, offset: int) -> Place:
        """Return the position of what is at `offset` bytes, from 0, in a line of a module."""


class _Module(NamedTuple):
    """A module of the run, and what must hold so that it is imported."""

    path: str
    reader: ModuleReader
    presumes: tuple[Presumption, ...]
    branch: str


def uses_of(path: str, source: bytes, project: Project) -> tuple[Used, ...]:
    """Return what the script at `path` uses."""
    return tuple(_Walk(project).uses(path, source))


class _Walk:
    """Reads the modules of a run, from its script on."""

    def __init__(self, project: Project) -> None:
        self._project = project
        self._modules: dict[str, _Module] = {}
        self._named: set[str] = set()
        self._put: set[str] = set()
        self._changing: dict[str, Presumption] = {}
        """What is presumed of imports and hooks that may change packages, by what they are called."""

    def uses(self, path: str, source: bytes) -> Iterator[Used]:
        self._add(path, source, (), "", is_main=True)
        while self._grows():
            pass
        own = {root: self._project.has(root) for root in self._roots()}
        for module in list(self._modules.values()):
            for use in module.reader.found:
                if use.use.kind == IMPORT:
                    line = Import(0, use.use.module, (), use.line, use.within)
                    self._note_stranger(module, use.use.module.partition(".")[0], 0, line)
        stored = self._put.union(*(module.reader.stored for module in self._modules.values()))
        for module in self._modules.values():
            for use in module.reader.found:
                is_own = own[use.use.module.partition(".")[0]]
                is_left_out = is_own or _is_stored(use, stored) or self._is_called(module, use)
                if not is_left_out and self._is_reached(module, use.within):
                    yield self._used(module, use)

    def _is_called(self, module: _Module, use: Found) -> bool:
        """Whether the project itself calls a method that it overrides, or makes no object of the class."""
        if use.use.kind != OVERRIDE:
            return False
        names = (one for one in module.reader.definitions if (one.text, one.line) == _method(use))
        owners = {module.reader.definitions[one].owner for one in names}
        return _method(use)[0] in self._named or not owners <= self._named

    def _roots(self) -> set[str]:
        found = (found for module in self._modules.values() for found in module.reader.found)
        return {one.use.module.partition(".")[0] for one in found}

    def _add(
        self, path: str, source: bytes, presumes: tuple[Presumption, ...], branch: str, is_main: bool = False
    ) -> None:
        tree = parsed(source)
        if tree is None:
            return
        self._put.update(name.decode() for name in _PUT.findall(source))
        if _HOOKS.search(source):
            text = "what it puts among the modules has the names of the packages"
            self._changing.setdefault("hooks", Presumption(REACHED, text, Place(path)))
        reader = ModuleReader(tree, ROOTS, is_main, ENDS.search(source) is not None)
        self._modules[path] = _Module(path, reader, presumes, branch)

    def _grows(self) -> bool:
        """Add the names and the imports of code that is reached. Return whether there were new ones."""
        before = len(self._named), len(self._modules)
        for module in list(self._modules.values()):
            for functions, names in module.reader.named.items():
                if self._is_reached(module, functions):
                    self._named |= names
        # What runs under no condition first: the first import of a module decides what must hold for it.
        for is_conditional in (False, True):
            if before == (len(self._named), len(self._modules)):
                self._follow_all(is_conditional)
        return before != (len(self._named), len(self._modules))

    def _follow_all(self, is_conditional: bool) -> None:
        for module in list(self._modules.values()):
            for line in module.reader.imports:
                conditions = any(within.kind == CONDITION for within in line.within) or bool(module.branch)
                if conditions is is_conditional and self._is_reached(module, line.within):
                    self._follow(module, line)

    def _is_reached(self, module: _Module, within: Sequence[Within]) -> bool:
        """Whether code of the run names each function that some code is in."""
        for part in within:
            definition = module.reader.definitions.get(part) if part.kind == FUNCTION else None
            if definition is None:
                continue
            is_called = part.text in self._named or definition.is_overriding or part.text.startswith("__")
            if not is_called or (definition.owner and definition.owner not in self._named):
                return False
        return True

    def _follow(self, module: _Module, line: Import) -> None:
        """Read the modules of the project that an import runs: the packages around it, it, and modules in it."""
        parts = line.module.split(".") if line.module else []
        names = [".".join(parts[:end]) for end in range(1, len(parts) + 1)] or [""]
        names += [".".join(filter(None, (line.module, name))) for name in line.names if name != "*"]
        self._note_stranger(module, line.module.partition(".")[0], line.level, line)
        for name in names:
            path = self._project.find(line.level, name, module.path) if name or line.level else ""
            if path and path not in self._modules and len(self._modules) < _MOST:
                source = self._project.read(path)
                if source is not None:
                    self._add(path, source, *self._needs(module, line.within))

    def _note_stranger(self, module: _Module, root: str, level: int, line: Import) -> None:
        """Note the import of a package that changes others, such as a framework, and may add names to them."""
        is_read = bool(root) and bool(self._project.find(level, root, module.path))
        if root and not level and not is_read and not self._project.leaves_alone(root):
            place = self._project.place(module.path, line.line, 0)._replace(column=0)
            self._changing.setdefault(root, Presumption(REACHED, f"{root} changes no other package", place))

    def _needs(self, module: _Module, within: Sequence[Within]) -> tuple[tuple[Presumption, ...], str]:
        """Return what must be presumed so that some code runs, and the condition on which that depends."""
        conditions = (one for one in within if one.kind == CONDITION)
        branch = next((f"{_short(one.text)} ({self._at(module, one)})" for one in conditions), "")
        functions = [one for one in within if one.kind == FUNCTION][-1:]
        others = [one for one in within if one.kind not in (FUNCTION, CONDITION)][-1:]
        presumes = [self._runs(module, one) for one in (*functions, *others)]
        return (*module.presumes, *presumes), module.branch or branch

    def _used(self, module: _Module, use: Found) -> Used:
        presumes, branch = self._needs(module, use.within)
        own = use.use.module.partition(".")[0]
        presumes = (*presumes, *(one for root, one in self._changing.items() if root != own))
        place = self._project.place(module.path, use.line, use.offset)
        return Used(use.use, package_of(use.use.module), place, tuple(dict.fromkeys(presumes)), branch)

    def _at(self, module: _Module, one: Within) -> Place:
        return self._project.place(module.path, one.line, 0)._replace(column=0)

    def _runs(self, module: _Module, one: Within) -> Presumption:
        text = f"{one.text}() runs" if one.kind == FUNCTION else one.text
        return Presumption(REACHED, text, self._at(module, one))


def _short(text: str) -> str:
    return text if len(text) <= 60 else f"{text[:57]}..."


def _method(found: Found) -> tuple[str, int]:
    return found.use.name.rpartition(".")[2], found.line


def _is_stored(found: Found, stored: set[str]) -> bool:
    """Whether the project itself assigns what is used, or a part of the path to it."""
    whole = ".".join(filter(None, (found.use.module, found.use.name)))
    return any(whole == name or whole.startswith(f"{name}.") for name in stored)
