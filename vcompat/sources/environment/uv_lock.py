"""Reads uv.lock, which lists the packages of all platforms, extras and dependency groups of a project.

A package is installed if a path of dependencies leads to it from the project. Markers, extras and groups decide which
paths are taken, so that the whole graph is followed.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any

from vcompat.facts.facts import Place
from vcompat.foundation.errors import InputError
from vcompat.sources.environment.lock_text import LockText, parsed, tables, texts
from vcompat.sources.environment.origin import Origin, of_index, shown
from vcompat.sources.environment.platforms import Platforms, Runtime
from vcompat.sources.environment.requirement import file_origin
from vcompat.sources.environment.stated import Declared, Entry

#: The files of a package: most of the text, and not needed.
_FILES = re.compile(rb"^wheels = \[\n(?:    .*\n)*\]\n|^sdist = \{.*\}\n", re.MULTILINE)
#: The values of markers on a path to a package that is certainly installed, might be installed, or is listed at all.
_CERTAIN, _POSSIBLE, _LISTED = (True,), (True, None), (True, None, False)

#: A package by its number in the file, and one of its extras; an empty extra stands for the package itself.
_Node = tuple[int, str]


def read_uv_lock(text: LockText, runtime: Runtime) -> Declared:
    """Return what a uv.lock pins. Raises InputError if it is malformed."""
    requires = text.head.get("requires-python")
    graph = _Graph(text, Platforms(runtime, requires if isinstance(requires, str) else ""))
    certain, possible, listed = (graph.reached(values) for values in (_CERTAIN, _POSSIBLE, _LISTED))
    declared = Declared()
    declared.complete = True
    for block in text.blocks:
        applies: bool | None = None
        depends = "markers, extras or dependency groups"
        if block.ordinal in certain:
            applies = True
        elif block.ordinal not in listed:
            depends = "what requires it, which the file does not list"
        elif block.ordinal not in possible:
            applies = False
        declared.add(_entry(graph.packages[block.ordinal], block.place, applies, depends))
    return declared


def _entry(table: dict[str, Any], place: Place, applies: bool | None, depends: str) -> Entry:
    name, version = str(table.get("name")), table.get("version")
    if not isinstance(version, str):
        return Entry(name, place, why="has no version", applies=applies, depends=depends)
    return Entry(name, place, version, applies=applies, depends=depends, origin=_origin(table.get("source")))


def _origin(source: Any) -> Origin:
    """Return the origin that a table such as ``{ registry = "https://pypi.org/simple" }`` names."""
    if not isinstance(source, dict) or not source:
        return Origin()
    kind, value = next(iter(source.items()))
    if kind == "registry":
        return of_index(str(value))
    return file_origin(str(value)) if kind == "url" else Origin(f"{kind} {shown(str(value))}")


class _Graph:
    """The packages of a uv.lock and the dependencies between them."""

    def __init__(self, text: LockText, platforms: Platforms) -> None:
        self.platforms = platforms
        self.packages = _packages(text)
        self.manifest = text.head.get("manifest")
        self._by_name: dict[str, list[int]] = {}
        for number, package in enumerate(self.packages):
            self._by_name.setdefault(str(package.get("name")), []).append(number)
        members = [number for number, package in enumerate(self.packages) if _local_path(package) is not None]
        roots = [number for number in members if _local_path(self.packages[number]) == "."]
        self._roots = [number for number in roots if any(self._own(number))] or ([] if members == roots else roots)
        self._members = members

    def reached(self, accepted: tuple[bool | None, ...]) -> set[int]:
        """Return the numbers of the packages to which a path leads on which all markers have `accepted` values."""
        stack = list(self._starts(accepted))
        seen = set(stack)
        while stack:
            number, extra = stack.pop()
            for node in self._targets(self._dependencies(number, extra, accepted), accepted):
                if node not in seen:
                    seen.add(node)
                    stack.append(node)
        return {number for number, _ in seen}

    def _starts(self, accepted: tuple[bool | None, ...]) -> Iterator[_Node]:
        """Yield what is installed by itself: the project, or a script's requirements; other members might be."""
        manifest = self.manifest if isinstance(self.manifest, dict) else {}
        required = tables(manifest.get("requirements", []))
        yield from self._targets(required, accepted)
        if self._roots or required or any(any(self._own(number)) for number in self._members):
            yield from ((number, "") for number in self._roots)
            if None in accepted:
                yield from ((number, "") for number in self._members)
                groups = manifest.get("dependency-groups")
                for group in groups.values() if isinstance(groups, dict) else ():
                    yield from self._targets(tables(group), accepted)
        else:
            # Nothing in the file requires anything: each package counts as required.
            yield from ((number, "") for number in range(len(self.packages)))

    def _own(self, number: int) -> Iterator[Any]:
        keys = ("dependencies", "optional-dependencies", "dev-dependencies")
        return (self.packages[number][key] for key in keys if self.packages[number].get(key))

    def _dependencies(self, number: int, extra: str, accepted: tuple[bool | None, ...]) -> Iterator[dict[str, Any]]:
        package = self.packages[number]
        optional = package.get("optional-dependencies")
        optional = optional if isinstance(optional, dict) else {}
        if extra:
            yield from tables(optional.get(extra, []))
            return
        yield from tables(package.get("dependencies", []))
        if None in accepted and number in self._members:
            groups = package.get("dev-dependencies")
            for group in [*optional.values(), *(groups.values() if isinstance(groups, dict) else ())]:
                yield from tables(group)

    def _targets(self, dependencies: Iterable[dict[str, Any]], accepted: tuple[bool | None, ...]) -> Iterator[_Node]:
        for dependency in dependencies:
            if False not in accepted and self.platforms.applies(str(dependency.get("marker", ""))) not in accepted:
                continue
            numbers = self._matching(dependency)
            if accepted == _CERTAIN and len(numbers) > 1:
                continue
            for number in numbers:
                here = self.platforms.any_applies(texts(self.packages[number].get("resolution-markers", [])))
                if here in accepted:
                    yield number, ""
                    yield from ((number, extra) for extra in texts(dependency.get("extra", [])))

    def _matching(self, dependency: dict[str, Any]) -> list[int]:
        numbers = self._by_name.get(str(dependency.get("name")), [])
        for key in ("version", "source"):
            if key in dependency:
                numbers = [number for number in numbers if self.packages[number].get(key) == dependency[key]]
        return numbers


def _packages(text: LockText) -> list[dict[str, Any]]:
    """Return the tables of all packages, parsed without the lists of files if these are written as uv writes them."""
    try:
        whole = parsed(text.path, _FILES.sub(b"", text.data))
    except InputError:
        # The whole text, without the added first newline, for the right line number.
        whole = parsed(text.path, text.data[1:])
    return tables(whole.get("package", []))


def _local_path(package: dict[str, Any]) -> str | None:
    source = package.get("source")
    if not isinstance(source, dict):
        return None
    path = source.get("editable", source.get("virtual"))
    return path if isinstance(path, str) else None
