"""The record of settings: which settings upstream's configuration classes have, in every release.

One JSON file per class in ``evidence/settings/<package>``, written by `vcompat rules verify --update` from upstream's
source (`vcompat.upstream.settings`). A run states the first and the last of consecutive releases with the same value;
null stands for the last surveyed release. The surveyed releases are in ``releases.json``. So the file of a class
changes only if the class does.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache, cached_property, lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

from packaging.version import Version

from vcompat.foundation.errors import InputError
from vcompat.foundation.shipped import evidence_folder

if TYPE_CHECKING:
    from pathlib import Path

    from vcompat.facts.stated import Stated

#: What a class does with a keyword that it does not have.
REFUSED, PASSED_ON, KEPT, IGNORED = "refused", "passed on", "kept", "ignored"
#: The new names of settings that upstream removed or deprecated without a name; where it names one, the record has it.
RENAMED: Mapping[tuple[str, str], Mapping[str, str]] = {
    ("trl", "GRPOConfig"): {"vllm_max_model_len": "vllm_max_model_length"},
    ("trl", "OnlineDPOConfig"): {"vllm_guided_decoding_regex": "vllm_structured_outputs_regex"},
    ("transformers", "TrainingArguments"): {
        "per_gpu_train_batch_size": "per_device_train_batch_size",
        "per_gpu_eval_batch_size": "per_device_eval_batch_size",
        "push_to_hub_model_id": "hub_model_id",
    },
}
#: The records of commands, whose settings are options, and how the commands are written.
COMMANDS: Mapping[str, str] = {
    "launch": "accelerate launch",
    "torchrun": "torchrun",
    "runner": "deepspeed",
    "vllm_serve.ScriptArguments": "trl vllm-serve",
}
_RELEASES = "releases.json"
_EXPECTED = "a file written by `rules verify --update`"


class Field(NamedTuple):
    """A setting in one release."""

    types: tuple[str, ...]
    """The types that it is declared for: bool, int, float, str, list, dict, none; any if that is not known."""
    choices: tuple[Any, ...] | None
    """The values that it is limited to, beside None if `types` has none; None if it is not limited."""
    default: Any
    """Its default. Meaningful only with `has_default`."""
    has_default: bool
    """Whether the default is a constant in the source. Without it and not required: the default is computed."""
    required: bool
    deprecated: bool
    """Whether upstream itself states that it is deprecated."""
    replaced_by: str
    """The setting that upstream names instead of it, whose values may differ (see `takes_values_of`); or empty."""
    enforced: bool
    """Whether construction raises for other values than `choices`; if not, only parsers of command lines do."""


class ClassRecord:
    """One class in all surveyed releases. A version that was not surveyed is answered with None, or nothing."""

    def __init__(self, table: Mapping[str, Any], releases: Sequence[str]) -> None:
        """`table` is the contents of a file, `releases` are those surveyed, oldest first."""
        self.package: str = table["package"]
        self.name: str = table["class"]
        self.surveyed: tuple[str, str] = (releases[0], releases[-1])
        self._table = table
        self._names = releases
        self._place = {name: number for number, name in enumerate(releases)}
        # A search for releases asks for each of them many times.
        self._fields: dict[tuple[str, int], Field | None] = {}
        self._runs: dict[tuple[str, int], tuple[Sequence[Any], ...]] = {}
        self._renamed = RENAMED.get((self.package, self.name), {})

    def releases(self) -> tuple[Version, ...]:
        """Return the surveyed releases, oldest first."""
        return self._releases

    @cached_property
    def _releases(self) -> tuple[Version, ...]:
        return tuple(map(_version, self._names))

    def exists(self, version: Version) -> bool | None:
        """Whether the release has the class; None for a release that was not surveyed, such as a newer one."""
        place = self._place_of(version)
        return None if place is None else bool(self._at("exists", place))

    def module(self, version: Version) -> str:
        """Return the module that defines the class; empty if the release does not have it."""
        return next((run[2] for run in self._of("module", version)), "")

    def bases(self, version: Version) -> tuple[tuple[str, str], ...]:
        """Return package and name of the base classes that have settings, and of the class that gets other keywords."""
        names = next((run[2] for run in self._of("bases", version)), ())
        return tuple((name.partition(".")[0], name.partition(".")[2]) for name in names)

    def extra(self, version: Version) -> str:
        """Return what happens to a keyword that is no setting: REFUSED, PASSED_ON (to the base), KEPT or IGNORED."""
        return next((run[2] for run in self._of("extra", version)), "")

    def refuses(self, name: str, version: Version) -> bool:
        """Whether a release refuses a setting by its name, although it ignores others."""
        return any(name in run[2] for run in self._of("refuses", version))

    def field(self, name: str, version: Version) -> Field | None:
        """Return a setting that the class itself defines; None if it does not, or for a release not surveyed."""
        place = self._place_of(version)
        if place is None:
            return None
        key = (name, place)
        if key not in self._fields:
            runs = self._within(self._table["fields"].get(name, ()), place)
            self._fields[key] = next((self._field(name, run[2]) for run in runs), None)
        return self._fields[key]

    def fields(self, version: Version) -> dict[str, Field]:
        """Return the settings that the class itself defines, by name."""
        found = ((name, self.field(name, version)) for name in self._table["fields"])
        return {name: field for name, field in found if field is not None}

    def names(self) -> tuple[str, ...]:
        """Return the settings that the class itself defines in any release, sorted."""
        return tuple(self._table["fields"])

    def history(self, name: str) -> list[tuple[Version, Version, Field]]:
        """Return the runs of a setting that the class itself defines: first release, last release, the setting."""
        runs = self._table["fields"].get(name, ())
        last = self._names[-1]
        return [(_version(run[0]), _version(run[1] or last), self._field(name, run[2])) for run in runs]

    def checks(self, version: Version) -> tuple[str, ...]:
        """Return the conditions under which construction raises, beside those of bases (see `all_checks`).

        Each is an expression over settings: names, constants, ``and``, ``or``, ``not``, comparisons, ``in``, ``is
        None``, ``+ - * // %`` and ``len``. A condition is sufficient: construction can fail without it, too.
        """
        return tuple(run[2] for run in self._of("checks", version))

    def before_bases(self, version: Version) -> Mapping[str, str] | None:
        """Return the settings that the class changes before the bases check them; None if the bases do not.

        Each with the condition under which it keeps the value that the user gave; empty if there is none.
        """
        changed: Mapping[str, str] | None = next((run[2] for run in self._of("before_bases", version)), {})
        return changed

    def table(self, version: Version) -> dict[str, Any]:
        """Return what the record states of a release, as `vcompat.upstream.settings` finds it."""
        parts = ("module", "refuses", "before_bases", "assigns", "unread")
        stated = {key: run[2] for key in parts for run in self._of(key, version)}
        place = self._place_of(version)
        fields = {
            name: run[2]
            for name, runs in self._table["fields"].items()
            for run in (self._within(runs, place) if place is not None else ())
        }
        bases: list[str] = next((run[2] for run in self._of("bases", version)), [])
        checks = list(self.checks(version))
        return {**stated, "bases": bases, "extra": self.extra(version), "fields": fields, "checks": checks}

    def assigned(self) -> frozenset[str]:
        """Return the attributes that construction assigns in any release."""
        return frozenset(name for run in self._table.get("assigns", ()) for name in run[2])

    def _field(self, name: str, table: Mapping[str, Any]) -> Field:
        choices = table.get("choices")
        return Field(
            tuple(table["types"]),
            tuple(choices) if choices is not None else None,
            table.get("default"),
            "default" in table,
            table.get("required", False),
            table.get("deprecated", False),
            table.get("replaced_by") or self._renamed.get(name, ""),
            table.get("enforced", False),
        )

    def _place_of(self, version: Version) -> int | None:
        return self._place.get(_public(version, len(version.release)))

    def _of(self, key: str, version: Version) -> Sequence[Sequence[Any]]:
        place = self._place_of(version)
        return self._at(key, place) if place is not None else ()

    def _at(self, key: str, place: int) -> Sequence[Sequence[Any]]:
        if (key, place) not in self._runs:
            self._runs[key, place] = tuple(self._within(self._table.get(key, ()), place))
        return self._runs[key, place]

    def _within(self, runs: Sequence[Sequence[Any]], place: int) -> Iterator[Sequence[Any]]:
        last = len(self._names)
        return (run for run in runs if self._place[run[0]] <= place <= (self._place[run[1]] if run[1] else last))


def settings_folder() -> str:
    """Return the folder of the records of settings of this installation."""
    return os.path.join(evidence_folder(), "settings")


def load_class(package: str, name: str, folder: Path | None = None) -> ClassRecord | None:
    """Return the record of a class; None if there is none. Raises InputError if it is malformed."""
    return _shipped(package, name) if folder is None else _load(os.path.join(str(folder), package, f"{name}.json"))


@cache
def all_names(package: str, name: str) -> frozenset[str]:
    """Return the settings that a class, or a base of its last release, has in any release; none without a record."""
    names: set[str] = set()
    classes = [(package, name)]
    for each in classes:
        record = load_class(*each)
        if record is not None:
            names.update(record.names())
            classes += record.bases(record.releases()[-1])
    return frozenset(names)


def known_classes(package: str, folder: Path | None = None) -> tuple[str, ...]:
    """Return the names of the recorded classes of a package, sorted."""
    try:
        files = os.listdir(os.path.join(str(folder or settings_folder()), package))
    except OSError:
        return ()
    return tuple(sorted(file.removesuffix(".json") for file in files if file.endswith(".json") and file != _RELEASES))


@cache
def _shipped(package: str, name: str) -> ClassRecord | None:
    return _load(os.path.join(settings_folder(), package, f"{name}.json"))


@cache
def _load(path: str) -> ClassRecord | None:
    table = _contents(path)
    releases = _contents(os.path.join(os.path.dirname(path), _RELEASES))
    if table is None or releases is None:
        return None
    try:
        return ClassRecord(table, releases["releases"].split())
    except (KeyError, TypeError, IndexError, AttributeError) as error:
        raise InputError(path, f"malformed: {error}", _EXPECTED) from None


@cache
def _contents(path: str) -> Mapping[str, Any] | None:
    try:
        with open(path, encoding="utf-8") as file:
            found: Mapping[str, Any] = json.load(file)
            return found
    except FileNotFoundError:
        return None
    except OSError as error:
        raise InputError(path, error.strerror or str(error)) from None
    except ValueError as error:
        raise InputError(path, f"malformed: {error}", _EXPECTED) from None


@cache
def _version(text: str) -> Version:
    return Version(text)


@lru_cache(maxsize=16384)
def _public(version: Version, parts: int) -> str:
    """Return a version without its build. `parts` distinguishes 1.0 from 1.0.0, which are equal."""
    return version.public


def takes_values_of(new: Field, old: Field) -> bool:
    """Whether a setting takes the values of one that it replaces, so that only the name changes."""
    types = set(old.types) - {"none"}
    return "any" not in types and types <= set(new.types)


#: The version of a package that is meant, or None if it is not known.
VersionOf = Callable[[str], "Version | None"]


def packages_of_settings(stated: Iterable[Stated], folder: Path | None = None) -> frozenset[str]:
    """Return the packages whose releases decide about the settings that are given: of the classes and their bases."""
    packages: set[str] = set()
    pending = [(package, name) for one in stated for package, _, name in [kind.partition(".") for kind in one.classes]]
    seen: set[tuple[str, str]] = set()
    while pending:
        package, name = pending.pop()
        record = load_class(package, name, folder) if (package, name) not in seen else None
        seen.add((package, name))
        if record is not None:
            packages.add(package)
            pending += [base for version in record.releases() for base in record.bases(version)]
    return frozenset(packages)


def lineage(package: str, name: str, version_of: VersionOf, folder: Path | None = None) -> list[ClassRecord] | None:
    """Return the class and its bases, in the order in which Python looks for settings.

    None if a version is not known, or a class or one of its bases is not recorded for it.
    """
    record, version = load_class(package, name, folder), version_of(package)
    if record is None or version is None or not record.exists(version):
        return None
    records = [record]
    for base in record.bases(version):
        inherited = lineage(*base, version_of, folder)
        if inherited is None:
            return None
        records += [other for other in inherited if other not in records]
    return records


def all_fields(
    package: str, name: str, version_of: VersionOf, folder: Path | None = None
) -> dict[str, tuple[Field, ClassRecord]] | None:
    """Return the settings of a class with those of its bases, each with the class that defines it; see `lineage`."""
    records = lineage(package, name, version_of, folder)
    if records is None:
        return None
    fields: dict[str, tuple[Field, ClassRecord]] = {}
    for record in reversed(records):
        version = version_of(record.package)
        assert version is not None
        fields.update({key: (field, record) for key, field in record.fields(version).items()})
    return fields


def all_checks(
    package: str, name: str, version_of: VersionOf, folder: Path | None = None
) -> list[tuple[str, ClassRecord]]:
    """Return the conditions under which constructing the class raises, with the class that checks each.

    A check of a base that reads a setting which a class below it changes before is limited to where the value that the
    user gave is kept, or left out. Classes that are not recorded contribute nothing.
    """
    record, version = load_class(package, name, folder), version_of(package)
    if record is None or version is None or not record.exists(version):
        return []
    checks = [(check, record) for check in record.checks(version)]
    changed = record.before_bases(version)
    for base in record.bases(version) if changed is not None else ():
        for check, owner in all_checks(*base, version_of, folder):
            limited = _limited(check, changed or {})
            checks += [(limited, owner)] if limited else []
    return checks


def _limited(check: str, changed: Mapping[str, str]) -> str:
    """`check` where the settings in it that are changed keep their values; empty if that is not known."""
    names = _names_in(check) & changed.keys() if changed else set()
    if not names:
        return check
    kept = [changed[name] for name in sorted(names)]
    return " and ".join([*(f"({one})" for one in kept), f"({check})"]) if all(kept) else ""


@lru_cache(maxsize=1024)
def _names_in(expression: str) -> frozenset[str]:
    # Imported here: most classes change nothing before their bases' checks.
    import ast

    return frozenset(node.id for node in ast.walk(ast.parse(expression, mode="eval")) if isinstance(node, ast.Name))
