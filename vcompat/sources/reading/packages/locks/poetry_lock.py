"""Reads poetry.lock and pdm.lock, which list packages with markers and the groups that install them."""

from __future__ import annotations

from typing import Any

from vcompat.facts.facts import Place
from vcompat.sources.reading.packages.locks.lock_text import LockText, package_table, texts
from vcompat.sources.reading.packages.origin import Origin, of_index, of_repository, shown
from vcompat.sources.reading.packages.platforms import Platforms, Runtime
from vcompat.sources.reading.packages.requirement import file_origin
from vcompat.sources.reading.packages.stated_packages import Declared, Entry

#: The groups that an installation always includes.
_MAIN = ("main", "default")


def read_poetry_lock(text: LockText, runtime: Runtime) -> Declared:
    """Return what a poetry.lock or pdm.lock pins. Raises InputError if it is malformed."""
    metadata = text.head.get("metadata")
    metadata = metadata if isinstance(metadata, dict) else {}
    requires = metadata.get("python-versions", metadata.get("requires_python", ""))
    platforms = Platforms(runtime, requires if isinstance(requires, str) else "")
    declared = Declared()
    declared.complete = True
    for block in text.blocks:
        declared.add(_entry(package_table(block), block.place, platforms))
    return declared


def _entry(table: dict[str, Any], place: Place, platforms: Platforms) -> Entry:
    name, version = str(table["name"]), table.get("version")
    applies, depends = _applies(table, platforms)
    if not isinstance(version, str):
        return Entry(name, place, why="has no version", applies=applies, depends=depends)
    return Entry(name, place, version, applies=applies, depends=depends, origin=_origin(table))


def _applies(table: dict[str, Any], platforms: Platforms) -> tuple[bool | None, str]:
    """Return whether a package is installed, and on what that depends."""
    markers = table.get("markers", table.get("marker", ""))
    groups = texts(table.get("groups", []))
    if isinstance(markers, dict):
        # Poetry writes a table if the markers of the groups differ.
        always = "" if set(_MAIN) & set(groups) else None
        markers = next((markers[group] for group in _MAIN if group in markers), always)
    applies = platforms.applies(markers) if isinstance(markers, str) else None
    if applies is False:
        return False, ""
    if table.get("optional") is True:
        return None, "an extra"
    if groups and not set(_MAIN) & set(groups):
        return None, f"the group {groups[0]}"
    return applies, f"its marker {markers}"


def _origin(table: dict[str, Any]) -> Origin:
    source = table.get("source")
    if isinstance(source, dict):
        kind, url = str(source.get("type", "")), str(source.get("url", ""))
        if kind in ("legacy", "index"):
            return of_index(url)
        if kind == "git":
            return of_repository(url)
        return file_origin(url) if kind == "url" else Origin(f"{kind} {shown(url)}".strip())
    if "git" in table:
        return of_repository(str(table["git"]))
    location = next((str(table[key]) for key in ("url", "path") if key in table), "")
    return file_origin(location) if location else Origin()
