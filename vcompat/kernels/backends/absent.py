"""What stands for modules that are not there, such that no decision can depend on them unnoticed.

Compiled libraries are not in the source of a release, and most of vLLM's modules take no part in its choice of an
attention backend. They are importable here, and their contents can be annotations, bases and decorators, and can be
called. As soon as code compares such an object, or asks whether it is true, `Undecided` is raised, which no release
catches. An outcome without it depends on the release's own code alone.
"""

from __future__ import annotations

import importlib.abc
import importlib.machinery
import sys
import types
import zipfile
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from typing import Any

from vcompat.kernels.vllm_source import PACKAGE, Finder


class Undecided(BaseException):
    """A decision would depend on what is not there. Derived from BaseException, so that upstream does not catch it."""


class _Base:
    """What a class gets as a base if its real one is not there."""


class Absent:
    """An object of a module that is not there."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return Absent(f"{self._name}.{name}")

    def __call__(self, *arguments: Any, **named: Any) -> Absent:
        return Absent(f"{self._name}()")

    def __getitem__(self, key: Any) -> Absent:
        return Absent(f"{self._name}[]")

    def __or__(self, other: Any) -> Absent:
        return self

    __ror__ = __or__

    def __mro_entries__(self, bases: tuple[Any, ...]) -> tuple[type, ...]:
        return (_Base,)

    def __hash__(self) -> int:
        return id(self)

    def __eq__(self, other: object) -> bool:
        # Type annotations are compared with each other when they are put together; values never.
        if isinstance(other, str | int | float | tuple | bytes) or other is None:
            raise Undecided(f"{self._name} is compared")
        return self is other

    def __set_name__(self, owner: Any, name: str) -> None:
        """An attribute of a class: nothing to do."""

    def __get_pydantic_core_schema__(self, source: Any, handler: Any) -> Any:
        from pydantic_core import core_schema

        return core_schema.any_schema()


def _refusal(operation: str) -> Any:
    def refuse(self: Absent, *arguments: Any) -> Any:
        raise Undecided(f"{self._name}: {operation}")

    return refuse


for _operation in "bool len iter lt le gt ge contains int float index enter add mul sub".split():
    setattr(Absent, f"__{_operation}__", _refusal(_operation))


class _Module(types.ModuleType):
    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return Absent(f"{self.__name__}.{name}")


class _Loader(importlib.abc.Loader):
    def __init__(self, contents: Mapping[str, Any]) -> None:
        self._contents = contents

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> types.ModuleType:
        return _Module(spec.name)

    def exec_module(self, module: types.ModuleType) -> None:
        vars(module).update(self._contents)


class Modules(Finder):
    """Finds vLLM's modules in an archive if they are real, and stands for the others.

    Packages in `present` are installed, with these versions, but are not there. `stated` has the contents of modules
    that are not there. A name that starts with an underscore and is not in the archive is a compiled library.
    """

    def __init__(
        self,
        archive: str,
        version: str,
        real: Sequence[str],
        present: Mapping[str, str],
        stated: Mapping[str, Mapping[str, Any]],
    ) -> None:
        """`real` names modules, or packages with all that is in them if it ends with a star."""
        super().__init__(archive, version, {})
        self._archive = archive
        self._members, self._folders = modules(archive)
        self._whole_packages = tuple(one.rstrip("*") for one in real if one.endswith("*"))
        self._exact = frozenset(one for one in real if not one.endswith("*")) & self._members
        above = {".".join(one.split(".")[:end]) for one in real for end in range(1, one.count(".") + 1)}
        # The packages above a real module are importable, without their ``__init__.py`` if that is not real.
        self._bare = {one for one in above & self._folders if one not in self._exact and not self._is_whole(one)}
        self._present, self._stated = present, stated

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: types.ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        """Return where the module is, or a stand-in for it. None if it is of another package."""
        top, _, last = name.rpartition(".")
        if name.partition(".")[0] != PACKAGE:
            version = self._present.get(name.partition(".")[0])
            return _spec(name, {"__version__": version}) if version else None
        if name in self._stated:
            return _spec(name, self._stated[name])
        if name in self._bare:
            return _bare(name, self._archive)
        if name in self._members:
            real = name in self._exact or self._is_whole(name)
            return super().find_spec(name, path, target) if real else _spec(name, {})
        if name in self._folders:
            return _bare(name, self._archive)
        return _spec(name, {}) if last.startswith("_") or isinstance(sys.modules.get(top), _Module) else None

    def _is_whole(self, name: str) -> bool:
        return any(f"{name}.".startswith(one) for one in self._whole_packages)


@cache
def modules(archive: str) -> tuple[frozenset[str], frozenset[str]]:
    """The names of the modules in an archive, and of the folders with modules in them."""
    with zipfile.ZipFile(archive) as opened:
        files = [name.removesuffix(".py") for name in opened.namelist() if name.endswith(".py")]
    names = {name.removesuffix("/__init__") for name in files}
    folders = {name[:end] for name in files for end, letter in enumerate(name) if letter == "/"}
    return _dotted(names), _dotted(folders)


def _dotted(paths: Iterable[str]) -> frozenset[str]:
    return frozenset(path.replace("/", ".") for path in paths)


def _bare(name: str, archive: str) -> importlib.machinery.ModuleSpec:
    """A package without ``__init__.py``."""
    spec = importlib.machinery.ModuleSpec(name, None, is_package=True)
    spec.submodule_search_locations = [f"{archive}/{name.replace('.', '/')}"]
    return spec


def _spec(name: str, contents: Mapping[str, Any]) -> importlib.machinery.ModuleSpec:
    return importlib.machinery.ModuleSpec(name, _Loader(contents), is_package=True)
