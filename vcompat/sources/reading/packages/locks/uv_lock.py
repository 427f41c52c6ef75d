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
from vcompat.sources.reading.packages.locks.lock_text import LockText, parsed, tables, texts
from vcompat.sources.reading.packages.origin import Origin, of_index, of_repository, shown
from vcompat.sources.reading.packages.platforms import Bits, Platforms, Runtime
from vcompat.sources.reading.packages.requirement import file_origin
from vcompat.sources.reading.packages.stated_packages import Declared, Entry

#: The files of a package: most of the text, and not needed.
_FILES = re.compile(rb"^wheels = \[\n(?:    .*\n)*\]\n|^sdist = \{.*\}\n", re.MULTILINE)
#: A package by its number in the file, and one of its extras; an empty extra stands for the package itself.
_Node = tuple[int, str]
#: Where a dependency leads, and the platforms on which it is installed.
_Edge = tuple[_Node, Bits]
_NOWHERE = Bits(0, 0)


def read_uv_lock(text: LockText, runtime: Runtime) -> Declared:
    """Return what a uv.lock pins. Raises InputError if it is malformed."""
    requires = text.head.get("requires-python")
    platforms = Platforms(runtime, requires if isinstance(requires, str) else "")
    graph = _Graph(text, platforms)
    reached = graph.reached()
    by_release: dict[tuple[Any, Any], int] = {}
    for number, here in reached.items():
        key = graph.packages[number].get("name"), graph.packages[number].get("version")
        by_release[key] = by_release.get(key, 0) | here.certain
    declared = Declared()
    declared.complete = True
    for block in text.blocks:
        table, bits = graph.packages[block.ordinal], reached.get(block.ordinal)
        applies, depends = None, "what requires it, which the file does not list"
        if bits is not None:
            # One release can have several tables, each for other platforms.
            certain = by_release[table.get("name"), table.get("version")]
            applies = platforms.value(Bits(certain if bits.possible else 0, bits.possible))
            depends = "markers, extras or dependency groups"
        declared.add(_entry(table, block.place, applies, depends))
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
    if kind == "git":
        return of_repository(str(value))
    return file_origin(str(value)) if kind == "url" else Origin(f"{kind} {shown(str(value))}")


class _Graph:
    """The packages of a uv.lock and the dependencies between them."""

    def __init__(self, text: LockText, platforms: Platforms) -> None:
        self.packages = _packages(text)
        self._platforms = platforms
        self._always, self._maybe = platforms.bits(""), Bits(0, platforms.everywhere)
        manifest = text.head.get("manifest")
        self._manifest: dict[str, Any] = manifest if isinstance(manifest, dict) else {}
        self._by_name: dict[str, list[int]] = {}
        for number, package in enumerate(self.packages):
            self._by_name.setdefault(str(package.get("name")), []).append(number)
        self._members = {number for number, package in enumerate(self.packages) if _local_path(package) is not None}

    def reached(self) -> dict[int, Bits]:
        """Return the numbers of the packages to which a path leads, with the platforms on which it does."""
        found: dict[_Node, Bits] = {}
        edges: dict[_Node, list[_Edge]] = {}
        stack = list(self._starts())
        while stack:
            node, bits = stack.pop()
            before = found.get(node)
            known = before or _NOWHERE
            now = Bits(known.certain | bits.certain, known.possible | bits.possible)
            if now == before:
                continue
            found[node] = now
            if node not in edges:
                edges[node] = list(self._from(*node))
            stack += [(target, now.both(edge)) for target, edge in edges[node]]
        result: dict[int, Bits] = {}
        for (number, _), bits in found.items():
            known = result.get(number, _NOWHERE)
            result[number] = Bits(known.certain | bits.certain, known.possible | bits.possible)
        return result

    def _starts(self) -> Iterator[_Edge]:
        """Yield what is installed by itself: the project, or a script's requirements; other members might be."""
        required = tables(self._manifest.get("requirements", []))
        keys = ("dependencies", "optional-dependencies", "dev-dependencies")
        if not required and not any(self.packages[number].get(key) for number in self._members for key in keys):
            # Nothing in the file requires anything: each package counts as required.
            yield from (((number, ""), self._always) for number in range(len(self.packages)))
            return
        yield from self._to(required, self._always)
        yield from self._to(_grouped(self._manifest.get("dependency-groups")), self._maybe)
        for number in self._members:
            yield (number, ""), self._always if _local_path(self.packages[number]) == "." else self._maybe

    def _from(self, number: int, extra: str) -> Iterator[_Edge]:
        """Yield where the dependencies of a package or of its extra lead. Extras and groups might be installed."""
        package = self.packages[number]
        optional = package.get("optional-dependencies")
        if extra:
            yield from self._to(tables(optional.get(extra, [])) if isinstance(optional, dict) else [], self._always)
            return
        yield from self._to(tables(package.get("dependencies", [])), self._always)
        if number in self._members:
            yield from self._to([*_grouped(optional), *_grouped(package.get("dev-dependencies"))], self._maybe)

    def _to(self, dependencies: Iterable[dict[str, Any]], at_most: Bits) -> Iterator[_Edge]:
        for dependency in dependencies:
            marker = dependency.get("marker")
            bits = at_most.both(self._platforms.bits(marker)) if isinstance(marker, str) else at_most
            numbers = self._matching(dependency)
            for number in numbers:
                markers = self.packages[number].get("resolution-markers")
                edge = bits.both(self._platforms.any_bits(texts(markers))) if markers else bits
                edge = edge if len(numbers) == 1 else edge.both(self._maybe)
                yield (number, ""), edge
                for extra in texts(dependency.get("extra", [])):
                    yield (number, extra), edge

    def _matching(self, dependency: dict[str, Any]) -> list[int]:
        numbers = self._by_name.get(str(dependency.get("name")), [])
        if len(numbers) > 1:
            for key in ("version", "source"):
                if key in dependency:
                    numbers = [number for number in numbers if self.packages[number].get(key) == dependency[key]]
        return numbers


def _grouped(groups: Any) -> list[dict[str, Any]]:
    """Return the dependencies of all groups or extras in a table."""
    return [item for group in groups.values() for item in tables(group)] if isinstance(groups, dict) else []


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
