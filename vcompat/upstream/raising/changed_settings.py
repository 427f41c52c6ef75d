"""What changed of the settings that a package passes to recorded classes of another one, and of their defaults."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from pathlib import Path

from packaging.version import Version

from vcompat.facts.records.recorded_settings import IGNORED, KEPT, Field, all_fields, known_classes, lineage, load_class
from vcompat.upstream.offers.definitions import Defined
from vcompat.upstream.raising.side import Side
from vcompat.upstream.settings.release_settings import settings_of
from vcompat.upstream.settings.setting_records import foreign_settings, save_tables

Fields = dict[str, Field]


class Settings:
    """The settings of the classes of two releases: as recorded, or read from their source if one is not."""

    def __init__(self, before: Side, after: Side, scratch: Path) -> None:
        """`scratch` is an empty folder, for what is read from source."""
        self._sides = (before, after)
        self._package = before.release.package
        self._folder: Path | None = None
        names = known_classes(self._package)
        record = load_class(self._package, names[0]) if names else None
        recorded = {str(version) for version in record.releases()} if record else set()
        if record and any(side.release.local or str(side.release.version) not in recorded for side in self._sides):
            self._folder = scratch
            save_tables(self._package, {_public(side): self._survey(side) for side in self._sides}, scratch)

    def _survey(self, side: Side) -> dict[str, dict[str, object]]:
        return settings_of(self._package, side.source.read, side.source.names(), foreign_settings({}))

    def of(self, defined: Defined) -> tuple[Fields, Fields] | None:
        """Return the settings of a class in both releases; None if it has no record. `defined` is in the newer one."""
        name = defined.node.name if isinstance(defined.node, ast.ClassDef) else ""
        record = load_class(self._package, name, self._folder) if name else None
        if record is None or record.module(_public(self._sides[1])) != defined.module:
            return None
        old, new = (self._fields(name, _public(side)) for side in self._sides)
        return (old, new) if old is not None and new is not None else None

    def refuses(self, defined: Defined) -> bool:
        """Whether the newer release raises for a setting that a class does not have, instead of ignoring it."""
        name = defined.node.name if isinstance(defined.node, ast.ClassDef) else ""
        version = _public(self._sides[1])
        records = lineage(self._package, name, {self._package: version}.get, self._folder) or ()
        return not any(record.extra(version) in (KEPT, IGNORED) for record in records)

    def _fields(self, name: str, version: Version) -> Fields | None:
        known = all_fields(self._package, name, {self._package: version}.get, self._folder)
        return {key: field for key, (field, _) in known.items()} if known is not None else None


def _public(side: Side) -> Version:
    return Version(side.release.version.public)


def changes(before: Fields, after: Fields, passed: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Yield settings that differ, with what differs in words; those that are not passed only for their defaults."""
    for name in sorted(before.keys() & after.keys()):
        old, new = before[name], after[name]
        parts = list(_of_passed(old, new)) if name in passed else []
        if (old.has_default, old.default) != (new.has_default, new.default):
            parts.append(f"default {_default(old)} -> {_default(new)}")
        elif old.required != new.required and new.required:
            parts.append("now required")
        if parts:
            yield name, "; ".join(parts) + (f" (passed in {passed[name]})" if name in passed else " (not passed)")


def _of_passed(old: Field, new: Field) -> Iterator[str]:
    if new.deprecated and not old.deprecated:
        yield "deprecated" + (f"; use {new.replaced_by}" if new.replaced_by else "")
    for text, field, other in (("no longer accepts", old, new), ("also accepts", new, old)):
        choices = [choice for choice in field.choices or () if choice not in (other.choices or field.choices or ())]
        if choices:
            yield f"{text} {', '.join(map(repr, choices))}"
    if new.choices is not None and old.choices is None:
        yield f"accepts only {', '.join(map(repr, new.choices))}"
    if set(old.types) - set(new.types) and not {"any"} & {*old.types, *new.types}:
        yield f"types {'/'.join(old.types)} -> {'/'.join(new.types)}"


def _default(field: Field) -> str:
    return repr(field.default) if field.has_default else "none" if field.required else "computed"
