"""Reads the dependencies of a pyproject.toml. Most limit versions; a pinned one is a fact."""

from __future__ import annotations

from typing import Any

from vcompat.foundation.errors import InputError
from vcompat.sources.reading.document import Document, read_document
from vcompat.sources.reading.packages.origin import PUBLIC, Origin, of_index, one_of
from vcompat.sources.reading.packages.platforms import Platforms, Runtime
from vcompat.sources.reading.packages.poetry_tables import has_poetry_table, poetry_lines
from vcompat.sources.reading.packages.requirement import file_origin, version_of_file, why_revision
from vcompat.sources.reading.packages.requirements_txt import RequirementsReader
from vcompat.sources.reading.packages.stated_packages import Declared, Entry, package_of


def read_pyproject(path: str, runtime: Runtime) -> Declared:
    """Return what a pyproject.toml declares, for poetry, too. Raises InputError if it has no dependencies."""
    document = read_document(path, "toml")
    dependencies = document.get("project", "dependencies")
    if not isinstance(dependencies, list) and not has_poetry_table(document):
        raise InputError(path, "no project.dependencies", "a pyproject.toml with dependencies, or a lock file")
    reader = RequirementsReader(runtime)
    for text in dependencies if isinstance(dependencies, list) else ():
        reader.line(str(text), document.place("project", "dependencies"))
    for text, place in poetry_lines(document):
        reader.line(text, place)
    declared = reader.declared()
    required = set(declared.entries)
    for entry in _optional(document, runtime):
        if package_of(entry.distribution) not in required:
            declared.add(entry)
    indexes, default = _indexes(document)
    sources = document.get("tool", "uv", "sources")
    for name, source in sources.items() if isinstance(sources, dict) else ():
        package = package_of(name)
        if package in declared.entries:
            chosen = _chosen(source, reader.platforms)
            declared.entries[package] = [_from_source(entry, chosen, indexes) for entry in declared.entries[package]]
    for package, entries in declared.entries.items():
        declared.entries[package] = [e if e.origin.where else e._replace(origin=default) for e in entries]
    return declared


def _optional(document: Document, runtime: Runtime) -> list[Entry]:
    """Return what the extras and the groups of a project require, none of which may be installed."""
    entries: list[Entry] = []
    for kind, path in (("extra", ("project", "optional-dependencies")), ("group", ("dependency-groups",))):
        tables = document.get(*path)
        for name, listed in tables.items() if isinstance(tables, dict) else ():
            reader = RequirementsReader(runtime)
            for text in listed if isinstance(listed, list) else ():
                if isinstance(text, str) and not text.startswith("-"):
                    reader.line(text, document.place(*path, name))
            for found in reader.declared().entries.values():
                entries += [entry._replace(applies=None, depends=f"the {kind} {name}") for entry in found]
    return entries


def _chosen(source: Any, platforms: Platforms) -> dict[str, Any] | None:
    """Return the one source whose marker is true; None if it cannot be determined."""
    found = [item for item in (source if isinstance(source, list) else [source]) if isinstance(item, dict)]
    values = [(item, None if "extra" in item else platforms.applies(str(item.get("marker", "")))) for item in found]
    possible = [(item, value) for item, value in values if value is not False]
    return possible[0][0] if len(possible) == 1 and possible[0][1] else None


def _indexes(document: Document) -> tuple[dict[str, Origin], Origin]:
    """Return the indexes of uv by name, and where it looks for a package without a source."""
    listed = document.get("tool", "uv", "index")
    tables = [table for table in (listed if isinstance(listed, list) else []) if isinstance(table, dict)]
    named = {str(table.get("name")): of_index(str(table.get("url"))) for table in tables}
    searched = [table for table in tables if table.get("explicit") is not True]
    has_default = any(table.get("default") is True for table in searched)
    return named, one_of([of_index(str(table.get("url"))) for table in searched] + [PUBLIC] * (not has_default))


def _from_source(entry: Entry, source: dict[str, Any] | None, indexes: dict[str, Origin]) -> Entry:
    """Return `entry` as its source in the table ``tool.uv.sources`` changes it."""
    if source is None:
        return entry._replace(version="", allowed=None, why="has several sources in tool.uv.sources")
    if "index" in source:
        return entry._replace(origin=indexes.get(str(source["index"]), Origin(f"index {source['index']}")))
    if "git" in source:
        revision = str(source.get("tag") or source.get("rev") or source.get("branch") or "")
        why = why_revision(revision) if revision else "gives a repository"
        return entry._replace(version="", allowed=None, why=why)
    location = str(source.get("url") or source.get("path") or "")
    version = version_of_file(entry.distribution, location)
    if not version:
        return entry._replace(version="", allowed=None, why="gives a location in tool.uv.sources")
    return entry._replace(version=version, origin=file_origin(location))
