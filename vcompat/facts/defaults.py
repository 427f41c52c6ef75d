"""Defaults of TRL's configuration classes in each release, from the records of settings."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache, lru_cache
from itertools import product
from typing import TYPE_CHECKING, TypeAlias

from packaging.version import Version

from vcompat.facts.stated import KEYWORD, OPTION, Stated
from vcompat.facts.value import FactValue
from vcompat.facts.vocabulary import OF_CONFIGURATION, VOCABULARY

if TYPE_CHECKING:
    from vcompat.facts.records.recorded_settings import ClassRecord, Field

#: The settings of a trainer's configuration that are facts.
SETTINGS = tuple(
    name.removeprefix("plan.")
    for name, spec in VOCABULARY.items()
    # DeepSpeed and FSDP are also set by the launcher, whatever the configuration's default is.
    if spec.source in OF_CONFIGURATION and name not in ("plan.deepspeed", "plan.fsdp")
)
_NAMES = frozenset(SETTINGS)

Release = Callable[[str], object]
#: The classes whose settings a configuration has, each with its release; None if that is not known.
_Owners: TypeAlias = "list[tuple[ClassRecord, Version | None]]"


def defaults_of(configuration: str, release_of: Release) -> tuple[tuple[str, FactValue], ...]:
    """Return the settings of `configuration` with their defaults, by the releases that `release_of` returns.

    The value is None for a setting that none of the classes has. Settings whose default is computed, or depends on a
    release that is not known, are left out. A release newer than the recorded ones counts as the newest of them. A
    development version has what the releases before and after it agree on.
    """
    trl, transformers = release_of("trl"), release_of("transformers")
    each = [dict(_defaults_of(configuration, *pair)) for pair in product(_around(trl), _around(transformers))]
    return tuple(item for item in each[0].items() if all(item in other.items() for other in each[1:]))


def lacks(configuration: str, setting: str, release_of: Release) -> bool:
    """Return whether `setting` is a fact of a configuration that the class of the release certainly does not have."""
    pairs = product(_around(release_of("trl")), _around(release_of("transformers")))
    return setting in _NAMES and all(_lacks(configuration, setting, *pair) for pair in pairs)


def _around(release: object) -> tuple[object, ...]:
    """Return a release; of a development version such as 0.18.0.dev0, also the release that it becomes."""
    if isinstance(release, Version) and release.is_devrelease:
        return release, Version(release.base_version)
    return (release,)


# A search for releases asks for each of them many times.
@lru_cache(maxsize=16384)
def _lacks(configuration: str, setting: str, trl: object, transformers: object) -> bool:
    owners = list(_owners("trl", configuration, {"trl": trl, "transformers": transformers}.get))
    known = bool(owners) and owners[0][1] is not None
    return known and not any(_has(record, version, setting) for record, version in owners)


@lru_cache(maxsize=1024)
def _defaults_of(configuration: str, trl: object, transformers: object) -> tuple[tuple[str, FactValue], ...]:
    owners = list(_owners("trl", configuration, {"trl": trl, "transformers": transformers}.get))
    if not owners or owners[0][1] is None:
        return ()
    found = ((setting, _first(owners, setting)) for setting in SETTINGS)
    return tuple((setting, default[0]) for setting, default in found if default is not None)


@lru_cache(maxsize=64)
def common_defaults(configuration: str, releases: tuple[Version, ...] = ()) -> tuple[tuple[str, FactValue], ...]:
    """Return the settings of `configuration` whose default is the same in all of TRL's `releases` that have the class.

    Without `releases`: in all recorded ones. transformers' release is not known.
    """
    # Imported here: only a configuration that is known has defaults.
    from vcompat.facts.records.recorded_settings import load_class

    record = load_class("trl", configuration)
    if record is None:
        return ()
    common: dict[str, FactValue] | None = None
    for release in releases or record.releases():
        if record.exists(Version(release.public)) is False:
            continue
        now = dict(_defaults_of(configuration, release, None))
        common = now if common is None else {name: v for name, v in common.items() if name in now and now[name] == v}
    return tuple((common or {}).items())


def releases_with(stated: Iterable[Stated], releases: tuple[Version, ...] = ()) -> tuple[Version, ...]:
    """Return those of TRL's `releases`, by default of all recorded ones, that have what is `stated`.

    That is each keyword of a class, and each option of a parser that fills classes of TRL only, and raises for one that
    none of them has. What no recorded release has counts for none: it is that of a class of the project. Returns
    nothing if all releases have them, or none has.
    """
    kept = every = releases
    for names, setting in dict.fromkeys(_of_trl(stated)):
        records = _recorded(names)
        if not records:
            continue
        every = every or records[0].releases()
        fitting = {
            release
            for release in every
            if records[0].exists(release) and not all(_lacks(name, setting, release, None) for name in names)
        }
        kept = tuple(release for release in kept or every if release in fitting or not fitting)
    return kept if len(kept) < len(every) else ()


def _recorded(names: Iterable[str]) -> list[ClassRecord]:
    """Return the records of classes of TRL; none if one of them is not recorded."""
    from vcompat.facts.records.recorded_settings import load_class

    records = [load_class("trl", name) for name in names]
    return [] if None in records else [record for record in records if record is not None]


def _of_trl(stated: Iterable[Stated]) -> Iterator[tuple[tuple[str, ...], str]]:
    """Yield the settings that only classes of TRL can take: the names of these classes, and the setting's name."""
    for each in stated:
        if each.is_command or each.has_others or not all(name.startswith("trl.") for name in each.classes):
            continue
        classes = tuple(name.removeprefix("trl.") for name in each.classes)
        for setting in each.settings:
            if setting.way in (KEYWORD, OPTION) and setting.name not in each.own:
                yield classes, setting.name


@cache
def steady_defaults(package: str, name: str) -> Mapping[str, FactValue]:
    """Return the defaults of a class that no recorded release has changed."""
    owners = list(_owners(package, name, lambda package: None))
    settings = dict.fromkeys(setting for record, _ in owners for setting in record.names())
    defaults = ((setting, _first(owners, setting)) for setting in settings)
    return {setting: default[0] for setting, default in defaults if default is not None}


def _first(owners: _Owners, setting: str) -> tuple[FactValue] | None:
    """Return the default of the first class that has the setting; that of a setting that none has is None."""
    for record, version in owners:
        if _has(record, version, setting):
            return _default(record, version, setting)
    return (None,)


def _owners(package: str, name: str, release_of: Release) -> Iterator[tuple[ClassRecord, Version | None]]:
    """Yield a class and what it extends."""
    from vcompat.facts.records.recorded_settings import load_class

    record, release = load_class(package, name), release_of(package)
    if record is None:
        return
    version = nearest(record, release) if isinstance(release, Version) else None
    yield record, version
    for base in record.bases(version or record.releases()[-1]):
        yield from _owners(*base, release_of)


def nearest(record: ClassRecord, release: Version) -> Version | None:
    """Return the newest recorded release that has the class and is not newer than `release`; None if there is none."""
    exact = Version(release.public)
    if record.exists(exact):
        return exact
    return next((one for one in reversed(record.releases()) if one <= release and record.exists(one)), None)


def _has(record: ClassRecord, version: Version | None, setting: str) -> bool:
    if version is not None:
        return record.field(setting, version) is not None
    return bool(record.history(setting))


def _default(record: ClassRecord, version: Version | None, setting: str) -> tuple[FactValue] | None:
    """Return the default; None if it is computed, or if the release is not known and decides."""
    if version is not None:
        field = record.field(setting, version)
        return _constant([field] if field is not None else [])
    runs = record.history(setting)
    newest = record.releases()[-1]
    return _constant([field for _, _, field in runs]) if runs[-1][1] == newest else None


def _constant(fields: list[Field]) -> tuple[FactValue] | None:
    """Return the default that all `fields` have; None if they have none, or several."""
    if not fields or not all(field.has_default for field in fields):
        return None
    first = fields[0].default
    plain = first is None or isinstance(first, bool | int | float | str)
    return (first,) if plain and all(field.default == first for field in fields) else None
