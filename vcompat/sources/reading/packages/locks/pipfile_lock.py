"""Reads Pipfile.lock, in which pipenv records the packages of a project as JSON."""

from __future__ import annotations

from typing import Any

from vcompat.facts.facts import Place
from vcompat.foundation.errors import InputError
from vcompat.sources.reading.document import Document, read_document
from vcompat.sources.reading.packages.origin import Origin, of_index, one_of
from vcompat.sources.reading.packages.platforms import Platforms, Runtime
from vcompat.sources.reading.packages.requirement import file_origin, version_of_file, why_revision
from vcompat.sources.reading.packages.stated import Declared, Entry


def read_pipfile_lock(path: str, runtime: Runtime) -> Declared:
    """Return what a Pipfile.lock pins. Raises InputError if it is malformed."""
    document = read_document(path, "json")
    if not isinstance(document.get("default"), dict):
        raise InputError(path, "no packages under 'default'", "a Pipfile.lock")
    requires = document.get("_meta", "requires", "python_version")
    platforms = Platforms(runtime, f"=={requires}.*" if isinstance(requires, str) else "")
    indexes = _indexes(document)
    declared = Declared()
    declared.complete = True
    for section, depends in (("default", ""), ("develop", "the group develop")):
        packages = document.get(section)
        for name, table in packages.items() if isinstance(packages, dict) else ():
            if isinstance(table, dict):
                entry = _entry(name, table, document.place(section, name), indexes)
                marker = str(table.get("markers") or "")
                applies = platforms.applies(marker)
                applies = None if depends and applies else applies
                declared.add(entry._replace(applies=applies, depends=depends or f"its marker {marker}"))
    return declared


def _indexes(document: Document) -> dict[str, Origin]:
    sources = document.get("_meta", "sources")
    found = [source for source in (sources if isinstance(sources, list) else []) if isinstance(source, dict)]
    return {str(source.get("name")): of_index(str(source.get("url"))) for source in found}


def _entry(name: str, table: dict[str, Any], place: Place, indexes: dict[str, Origin]) -> Entry:
    version, location = table.get("version"), table.get("file") or table.get("path")
    if isinstance(version, str) and version.startswith("=="):
        named = indexes.get(str(table.get("index")))
        return Entry(name, place, version.lstrip("="), origin=named or one_of(list(indexes.values())))
    if isinstance(location, str) and version_of_file(name, location):
        return Entry(name, place, version_of_file(name, location), origin=file_origin(location))
    if isinstance(table.get("ref"), str):
        return Entry(name, place, why=why_revision(table["ref"]))
    return Entry(name, place, why="does not pin a version")
