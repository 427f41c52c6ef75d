"""Hydra's defaults lists: which configurations are merged, in which order, and under which keys."""

from __future__ import annotations

import os
import posixpath
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from vcompat.foundation.bounded_reading import read_text
from vcompat.foundation.errors import InputError
from vcompat.sources.reading.configurations.hydra_words import Override
from vcompat.sources.reading.configurations.omegaconf_values import OPEN
from vcompat.sources.reading.document import SIZE_LIMIT, Document, parse_document, read_document
from vcompat.sources.reading.yaml_values import Dialect

#: Maximum number of configurations in one composition, and depth of defaults lists.
MOST_CONFIGS, DEEPEST = 500, 30
_EXPECTED = "a configuration of Hydra"


@dataclass(frozen=True)
class Entry:
    """An element of a defaults list: a configuration of a group, a single configuration, or ``_self_``."""

    group: str | None
    """As written; None for a single configuration."""
    name: Any
    """The chosen option, a list of options, or the path of a single configuration; None: nothing is chosen."""
    package: str | None = None
    """What follows ``@``."""
    optional: bool = False
    override: bool = False
    header: str | None = None
    """The package that the file itself names."""
    base: str = ""
    """The group of the configuration whose list this is."""
    outer: str = ""
    """Its package."""

    def written_group(self) -> str:
        """Return the group as the list states it: of a single configuration, the folder in its path."""
        return self.group if self.group is not None else posixpath.dirname(str(self.name))

    def group_path(self) -> str:
        """Return the group relative to the folder of configurations."""
        written = self.written_group()
        if written.startswith("/"):
            return written.strip("/")
        return "/".join(part for part in (self.base, written) if part)

    def config_path(self) -> str:
        """Return the configuration's path relative to the folder of configurations."""
        name = posixpath.basename(str(self.name)) if self.group is None else str(self.name)
        group = self.group_path()
        return f"{group}/{name}" if group else name

    def final_package(self, with_header: bool = True) -> str:
        """Return the key under which the configuration is merged; empty for the top level.

        Raises Unfollowed if it depends on the release of Hydra.
        """
        package = self.package if self.package is not None else self.header if with_header else None
        if package is None:
            package = self.written_group().strip("/").replace("/", ".")
        joined = ".".join(part for part in (self.outer, package) if part)
        if {"_group_", "_name_"} & set(joined.split(".")):
            # Hydra 1.0 and 1.1 replace these words, later releases take them as keys.
            raise Unfollowed("a package that depends on the release of Hydra")
        _, separator, rest = joined.rpartition("_global_")
        return rest.lstrip(".") if separator else joined

    def key(self) -> str:
        """Return the name by which a command line or another list overrides the choice."""
        group, package = self.group_path(), self.final_package(with_header=False)
        return group if package == group.replace("/", ".") else f"{group}@{package or '_global_'}"


@dataclass
class Merged:
    """A configuration that is merged under a key."""

    package: str
    document: Document | None
    """None: it is not in the folder, so that code or another folder may define it, with any keys."""


class Unfollowed(Exception):
    """The composition depends on something that is not known."""


@dataclass
class _Choices:
    """What the command line and ``override`` elements choose."""

    chosen: dict[str, Any] = field(default_factory=dict)
    deleted: dict[str, str | None] = field(default_factory=dict)
    added: list[Entry] = field(default_factory=list)
    known: dict[str, Any] = field(default_factory=dict)
    """Every choice that was made, for interpolation."""


#: Answers whether something writes a file before it is read, and with which text; None if that is not known.
Written = Callable[[str], tuple[bool, str | None]]


def not_written(path: str) -> tuple[bool, str | None]:
    """Answer that nothing writes the file."""
    return False, None


class Composer:
    """Expands the defaults list of a configuration. The order of Hydra's algorithm is kept: last elements first."""

    def __init__(self, folder: str, written: Written = not_written) -> None:
        self.folder = folder
        self._written = written
        self.choices = _Choices()
        self._loaded: dict[str, tuple[Document, str | None] | None] = {}

    def is_group(self, key: str) -> bool:
        """Whether `key` is a group: a folder of configurations."""
        return "." not in key and self._inside(key) is not None and os.path.isdir(os.path.join(self.folder, key))

    def choose(self, override: Override) -> None:
        """Apply a word of the command line that chooses the option of a group."""
        key = override.key if override.package is None else f"{override.key}@{override.package}"
        if override.value is OPEN or override.sign == "++":
            raise Unfollowed(f"the choice of {override.key} is not known")
        if override.sign == "~":
            self.choices.deleted[key] = override.value if override.has_value else None
        elif override.sign == "+":
            self.choices.added.append(Entry(override.key, override.value, _here(override.package)))
        else:
            self.choices.chosen[key] = override.value

    def compose(self, name: str) -> list[Merged]:
        """Return the configurations that are merged for the primary configuration `name`, first to last.

        Raises Unfollowed if that depends on something that is not known.
        """
        return self._expand(Entry(None, name), 0)

    def load(self, path: str) -> tuple[Document, str | None] | None:
        """Return the configuration at `path` and the package that its header names; None if there is none."""
        if path not in self._loaded:
            if len(self._loaded) >= MOST_CONFIGS:
                raise InputError(self.folder, f"more than {MOST_CONFIGS} configurations", _EXPECTED)
            self._loaded[path] = self._read(path)
        return self._loaded[path]

    def _inside(self, path: str) -> str | None:
        """Return the path of a file below the folder; None if it is outside."""
        normal = posixpath.normpath(path)
        return None if normal.startswith(("..", "/")) else os.path.join(self.folder, normal)

    def _read(self, path: str) -> tuple[Document, str | None] | None:
        stem = self._inside(path)
        file = stem if stem is None or stem.endswith(".yaml") else f"{stem}.yaml"
        if file is None or not os.path.isfile(file):
            return None
        is_written, text = self._written(file)
        if is_written and text is None:
            raise Unfollowed(f"{file} is changed before")
        if text is not None:
            return parse_document(file, text, "yaml", Dialect.OMEGACONF), _header(text)
        header = _header(read_text(file, SIZE_LIMIT, _EXPECTED))
        return read_document(file, "yaml", Dialect.OMEGACONF), header

    def _expand(self, entry: Entry, depth: int) -> list[Merged]:
        if depth > DEEPEST:
            raise Unfollowed("defaults lists refer to each other")
        loaded = None if entry.name is None else self.load(entry.config_path())
        if loaded is not None:
            entry = replace(entry, header=_absolute(loaded[1]))
        if entry.group is not None:
            if entry.key() in self.choices.deleted and self.choices.deleted[entry.key()] in (None, entry.name):
                return []
            self.choices.known[entry.key()] = entry.name
        if entry.name is None or (loaded is None and entry.optional):
            return []
        if entry.name == "???":
            raise Unfollowed(f"{entry.key()} is not chosen")
        if loaded is None:
            # Hydra's own configurations only fill the key `hydra`.
            return [] if entry.group_path().partition("/")[0] == "hydra" else [Merged(entry.final_package(), None)]
        return self._children(entry, loaded[0], depth)

    def _children(self, entry: Entry, document: Document, depth: int) -> list[Merged]:
        own = Merged(entry.final_package(), document)
        elements = self._with_self(_elements(document), is_root=depth == 0)
        if not elements:
            return [own]
        inside = [replace(each, base=entry.group_path(), outer=entry.final_package()) for each in elements]
        for each in inside:
            if each.override:
                self.choices.chosen.setdefault(each.key(), each.name)
        parts: list[list[Merged] | Entry] = []
        for each in reversed(inside):
            if _is_self(each):
                parts.append([own])
            elif not each.override:
                parts.append(self._element(each, depth))
        merged = [self._deferred(part, depth) if isinstance(part, Entry) else part for part in parts]
        return [each for part in reversed(merged) for each in part] or [own]

    def _with_self(self, elements: list[Entry], is_root: bool) -> list[Entry]:
        """Return the elements of a defaults list with the configuration itself, and with what the words add."""
        added = self.choices.added if is_root else []
        extends = any(not each.override for each in elements) if elements else bool(added)
        if extends and not any(_is_self(each) for each in elements):
            elements = [*elements, Entry(None, "_self_")]
        return [*elements, *added]

    def _element(self, entry: Entry, depth: int) -> list[Merged] | Entry:
        """Return what an element contributes; itself if its name depends on other choices."""
        if entry.group is not None:
            entry = replace(entry, name=self.choices.chosen.get(entry.key(), entry.name))
            if isinstance(entry.name, list):
                merged: list[Merged] = []
                for option in reversed(entry.name):
                    chosen = replace(entry, group=None, name=f"{entry.group}/{option}")
                    merged = [*self._expand(chosen, depth + 1), *merged]
                return merged
        if isinstance(entry.name, str) and "${" in entry.name:
            return entry
        if not isinstance(entry.name, str | None):
            raise Unfollowed("a defaults list that is not understood")
        return self._expand(entry, depth + 1)

    def _deferred(self, entry: Entry, depth: int) -> list[Merged]:
        name = re.sub(r"\$\{([\w/@.-]+)\}", lambda match: str(self.choices.known.get(match[1], "${")), entry.name)
        if "${" in name:
            raise Unfollowed("a defaults list with a reference that is not known")
        return self._expand(replace(entry, name=name), depth + 1)


def _is_self(entry: Entry) -> bool:
    return entry.group is None and entry.name == "_self_"


def _here(package: str | None) -> str | None:
    return "" if package == "_here_" else package


def _absolute(header: str | None) -> str | None:
    """Return the package of a header as Hydra reads it: always relative to the top level."""
    if header is None:
        return None
    return header if header.split(".")[0] == "_global_" else f"_global_.{header}".rstrip(".")


def _header(text: str) -> str | None:
    """Return the package that the comment ``# @package`` at the start of a file names."""
    for line in text.splitlines():
        if not line.strip():
            continue
        match = re.match(r"\s*#+\s*@(\S+)\s*(\S*)", line)
        if match is None:
            return None
        if match[1] == "package":
            return match[2]
    return None


def _elements(document: Document) -> list[Entry]:
    """Return the elements of a configuration's defaults list."""
    defaults = document.table.get("defaults")
    if defaults is None:
        return []
    if not isinstance(defaults, list):
        raise InputError(f"{document.path}:{document.place('defaults').line}", "defaults is not a list", _EXPECTED)
    entries = []
    for item in defaults:
        if isinstance(item, str):
            path, at, package = item.partition("@")
            optional = path.startswith("optional ")
            name = path.removeprefix("optional ").strip()
            entries.append(Entry(None, name, _here(package) if at else None, optional))
        elif isinstance(item, Mapping) and len(item) == 1:
            entries.append(_group_entry(*next(iter(item.items()))))
        else:
            raise Unfollowed("a defaults list that is not understood")
    return entries


def _group_entry(key: str, value: Any) -> Entry:
    *keywords, written = key.split()
    group, at, package = written.partition("@")
    return Entry(group, value, _here(package) if at else None, "optional" in keywords, "override" in keywords)
