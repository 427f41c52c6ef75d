"""Composes a Hydra configuration from its folder, as ``@hydra.main`` does, without running Hydra."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from vcompat.facts.facts import Place
from vcompat.foundation.errors import InputError
from vcompat.sources.reading.configurations.hydra_defaults import Composer, Merged, Unfollowed, Written, not_written
from vcompat.sources.reading.configurations.hydra_words import Override, parse_words
from vcompat.sources.reading.configurations.omegaconf_values import (
    OpenTable,
    Path,
    Table,
    merge,
    opened,
    removed,
    resolve_interpolations,
    split_key,
    update,
)
from vcompat.sources.reading.document import Document
from vcompat.sources.reading.word import Word


class Composed(NamedTuple):
    """A composed configuration."""

    table: Table
    """With interpolations resolved. OPEN: not known; OpenTable: there may be other keys; ``???``: not given."""
    places: Mapping[Path, Place]
    """Where the files set a value. What the command line sets has no place."""
    why_open: str
    """Why values are not known, other than environment variables."""


def compose_config(
    folder: str, name: str, overrides: Sequence[Word] | None, written: Written = not_written
) -> Composed:
    """Compose the configuration `name` of `folder` with the words of the command line.

    `written` answers what writes a file before it is read, such as the launch script.

    None as `overrides` means that the command line is not known: the values are then all open. Words can be
    Hydra's options such as ``--config-name``.

    Raises InputError if a configuration cannot be read.
    """
    words = parse_words(overrides or ())
    chosen = words.name or name
    if words.folder is not None or words.searches or not isinstance(chosen, str):
        return _unknown("the command line chooses the folder of configurations")
    if not os.path.isdir(folder):
        raise InputError(folder, "not a folder", "a folder of Hydra configurations")
    composer = Composer(folder, written)
    changes, why = _sort(composer, words.overrides)
    try:
        merged = composer.compose(chosen)
    except Unfollowed as unfollowed:
        merged, why = [], str(unfollowed)
    composition = _Composition()
    for one in merged:
        composition.add(one)
    if why:
        composition.open(why)
    for change in changes:
        composition.change(change)
    if overrides is None:
        composition.open("the command line is not known")
    return composition.result()


def _unknown(why: str) -> Composed:
    return Composed(OpenTable(), {}, why)


def _sort(composer: Composer, overrides: Sequence[Override | None]) -> tuple[list[Override | None], str]:
    """Apply the words that choose options of groups; return the words that change values."""
    changes: list[Override | None] = []
    why = ""
    for override in overrides:
        is_choice = override is not None and composer.is_group(override.key) and not isinstance(override.value, dict)
        if override is None or not is_choice:
            changes.append(override)
            continue
        try:
            composer.choose(override)
        except Unfollowed as unfollowed:
            why = str(unfollowed)
    return changes, why


class _Composition:
    """The configuration while it is composed."""

    def __init__(self) -> None:
        self.table: Table = {}
        self.places: dict[Path, Place] = {}
        self.why_open = ""

    def add(self, merged: Merged) -> None:
        path = tuple(merged.package.split(".")) if merged.package else ()
        if merged.document is None:
            # It can have a package of its own, and so change any key.
            self.open("a configuration in the defaults list is not in the folder")
            return
        content = {key: value for key, value in merged.document.table.items() if key != "defaults"}
        for part in reversed(path):
            content = {part: content}
        self.table = merge(self.table, content)
        self.places.update(_places(merged.document, path))

    def open(self, why: str) -> None:
        """Mark every value as not known."""
        self.table, self.why_open = opened(self.table), self.why_open or why

    def change(self, override: Override | None) -> None:
        """Apply a word of the command line that changes a value."""
        if override is None or override.package is not None:
            self.open("a word of the command line cannot be read")
            return
        path = split_key(override.key.replace("/", "."))
        if override.sign == "~":
            self.table = removed(self.table, path)
        else:
            self.table = update(self.table, path, override.value)
        for place in [place for place in self.places if place[: len(path)] == path]:
            del self.places[place]

    def result(self) -> Composed:
        table = resolve_interpolations(removed(self.table, ("hydra",)))
        return Composed(table, self.places, self.why_open)


def _places(document: Document, package: Path) -> dict[Path, Place]:
    found: dict[Path, Place] = {}
    waiting: list[tuple[Path, Any]] = [((), document.table)]
    while waiting:
        path, table = waiting.pop()
        for key, value in table.items():
            found[package + path + (key,)] = document.place(*path, key)
            if isinstance(value, dict):
                waiting.append(((*path, key), value))
    return found
