"""Reads pixi.lock and conda-lock.yml, which list the packages of conda and pip for several platforms."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from vcompat.facts.facts import Place
from vcompat.foundation.errors import InputError
from vcompat.sources.reading.document import Document, read_document
from vcompat.sources.reading.packages.conda.conda_spec import CondaSpec, read_file_name
from vcompat.sources.reading.packages.platforms import Runtime
from vcompat.sources.reading.packages.requirement import file_origin
from vcompat.sources.reading.packages.stated import Declared, Entry

_EXPECTED = "a pixi.lock or a conda-lock.yml"
_PLATFORMS = {"x86_64": "linux-64", "aarch64": "linux-aarch64"}


class _Listed(NamedTuple):
    """A package in the list of one environment and platform."""

    group: str
    entry: Entry


def read_conda_lock(path: str, runtime: Runtime) -> Declared:
    """Return what the pixi.lock or conda-lock.yml at `path` pins. Raises InputError if it is neither."""
    document = read_document(path, "yaml")
    wanted = [_PLATFORMS[runtime.machine]] if runtime.machine in _PLATFORMS else list(_PLATFORMS.values())
    if isinstance(document.get("environments"), dict):
        groups, listed = _pixi(document, wanted)
    elif isinstance(document.get("package"), list):
        groups, listed = _conda_lock(document, wanted)
    else:
        raise InputError(path, "neither environments nor packages found", _EXPECTED)
    declared = Declared()
    declared.complete = bool(groups)
    for entry in listed:
        everywhere = {other.group for other in listed if other.entry.distribution == entry.entry.distribution}
        applies = entry.entry.applies if everywhere == groups else None
        depends = entry.entry.depends or "the platform or the environment"
        declared.add(entry.entry._replace(applies=applies, depends=depends))
    return declared


def _pixi(document: Document, wanted: list[str]) -> tuple[set[str], list[_Listed]]:
    """Return the environments with their platforms, and their packages."""
    details = {}
    packages = document.get("packages")
    for index, package in enumerate(packages if isinstance(packages, list) else []):
        if isinstance(package, dict):
            url = package.get("conda") or package.get("pypi") or package.get("url")
            kind = "conda" if "conda" in package or package.get("kind") == "conda" else "pypi"
            details[str(url)] = (package, _first_place(document, index, kind))
    groups: set[str] = set()
    found: list[_Listed] = []
    for name, environment in document.get("environments").items():
        platforms = environment.get("packages") if isinstance(environment, dict) else None
        for platform in wanted:
            items = platforms.get(platform) if isinstance(platforms, dict) else None
            if isinstance(items, list):
                groups.add(f"{name} {platform}")
                found += [_Listed(f"{name} {platform}", entry) for entry in _pixi_entries(items, details)]
    return groups, found


def _first_place(document: Document, index: int, kind: str) -> Place:
    place = document.place("packages", str(index), kind)
    return place if place.line else document.place("packages", str(index), "kind")


def _pixi_entries(items: list[Any], details: dict[str, tuple[dict[str, Any], Place]]) -> Iterator[Entry]:
    for item in items:
        if not isinstance(item, dict):
            continue
        kind, url = next(((kind, str(item[kind])) for kind in ("conda", "pypi") if kind in item), ("", ""))
        package, place = details.get(url, ({}, Place("")))
        spec = read_file_name(url) if kind == "conda" else None
        if spec is not None:
            yield spec.entry(place)
        elif kind == "pypi" and isinstance(package.get("name"), str):
            version = package.get("version")
            version = version if isinstance(version, str) else ""
            yield Entry(package["name"], place, version, "has no version", origin=file_origin(url))


def _conda_lock(document: Document, wanted: list[str]) -> tuple[set[str], list[_Listed]]:
    groups: set[str] = set()
    found: list[_Listed] = []
    for index, package in enumerate(document.get("package")):
        platform = package.get("platform") if isinstance(package, dict) else None
        if platform in wanted:
            groups.add(str(platform))
            place = document.place("package", str(index), "name")
            found.append(_Listed(str(platform), _conda_lock_entry(package, place)))
    return groups, found


def _conda_lock_entry(package: dict[str, Any], place: Place) -> Entry:
    name, version, url = (str(package.get(key) or "") for key in ("name", "version", "url"))
    category = str(package.get("category") or "main")
    required = category == "main" and package.get("optional") is not True
    spec = read_file_name(url) if package.get("manager") == "conda" else None
    if spec is not None:
        entry = CondaSpec(name, version, spec.build).entry(place)
    else:
        entry = Entry(name, place, version, "has no version", origin=file_origin(url))
    return entry if required else entry._replace(applies=None, depends=f"the category {category}")
