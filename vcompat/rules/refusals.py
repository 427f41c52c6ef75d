"""Settings that a constructor refuses: the checks that upstream's classes make, evaluated for what they get.

Where the release of one package is not known, such as that of transformers beside a known TRL, a refusal is certain if
each release leads to it that TRL requires, or that the project allows.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import lru_cache

from packaging.version import Version

from vcompat.facts.facts import Facts
from vcompat.facts.records.known_releases import recorded_releases
from vcompat.facts.records.recorded_settings import ClassRecord, all_checks, load_class
from vcompat.facts.stated import COMPUTED, UNFIT, Computed, Setting, Stated
from vcompat.facts.value import show_candidates
from vcompat.foundation.suggest import near
from vcompat.rules.checks import constants_in, holds, names_in
from vcompat.rules.owners import NAMES, Owner, Unfit, about, fields_of, owners_of
from vcompat.rules.record import shipped_record

*_, REFUSED, _WRONG_TYPE = UNFIT


def refusals(facts: Facts, stated: Stated, owners: list[Owner]) -> Iterator[Unfit]:
    """Yield the settings that a constructor refuses, each check once."""
    if stated.has_others:
        return
    unknown = {owner.record.package for owner in owners if owner.version is None}
    if not unknown:
        yield from _of_releases(facts, stated, owners)
    elif len(unknown) == 1 and facts.get(f"packages.{(package := unknown.pop())}") is None:
        yield from _of_each(facts, stated, package)


def _of_each(facts: Facts, stated: Stated, package: str) -> Iterator[Unfit]:
    """Yield what is refused at each release that `package` can have."""
    common = _at(facts, stated, package, recorded_releases(package)[-1])
    if not common:
        # Most settings are accepted: which releases there can be does not matter then.
        return
    allowed, why = _allowed(facts, stated, package)
    for release in reversed(allowed):
        found = _at(facts, stated, package, release)
        common = {check: one for check, one in common.items() if check in found}
        if not common:
            return
    for one in common.values() if allowed else ():
        yield one._replace(among=((package, show_candidates(allowed), why),))


def _at(facts: Facts, stated: Stated, package: str, release: Version) -> dict[tuple[str, str], Unfit]:
    """Return what is refused if `package` has the release, by title and condition."""
    owners = owners_of(stated, lambda name: release if name == package else facts.value(f"packages.{name}"))
    if not owners or any(owner.version is None for owner in owners):
        return {}
    named = [owner._replace(shows_release=owner.record.package != package) for owner in owners]
    return {(one.title, one.why): one for one in _of_releases(facts, stated, named)}


def _allowed(facts: Facts, stated: Stated, package: str) -> tuple[tuple[Version, ...], str]:
    """Return the releases that `package` can have, and why; none if that is not known."""
    stated_ones = tuple(one for one in facts.candidates(f"packages.{package}") if isinstance(one, Version))
    if stated_ones:
        return stated_ones, facts.why_unknown(f"packages.{package}")
    main = stated.classes[0].partition(".")[0]
    version = facts.value(f"packages.{main}")
    requirement = _requirements(main, package).get(version) if isinstance(version, Version) else None
    if requirement is None:
        return (), ""
    from packaging.specifiers import SpecifierSet

    allowed = tuple(SpecifierSet(requirement).filter(recorded_releases(package)))
    return allowed, f"each release that {NAMES.get(main, main)} {version} requires"


def _requirements(package: str, of: str) -> Mapping[Version, str]:
    """Return the range of `of` that each release of `package` requires."""
    return shipped_record(package).declares.get(of, {})


def _of_releases(facts: Facts, stated: Stated, owners: list[Owner]) -> Iterator[Unfit]:
    """Yield what is refused at known releases."""
    values = _known_values(stated, owners)
    given = {setting.name: setting for setting in stated.settings if not isinstance(setting.value, Computed)}
    for check, owner in dict(_checks_of(facts, stated, owners)).items():
        ours = [given[name] for name in names_in(check) if name in given]
        if ours and not stated.own & set(names_in(check)) and holds(check, values):
            shown = ", ".join(f"{setting.name}={setting.value!r}" for setting in ours)
            refused = about(REFUSED, owner, ours[-1], f"{owner.label} refuses {shown}", f"it raises if {check}")
            # The trainer checks what its configuration gets.
            kind = owner if owner.record in [one.record for one in owners] else owners[0]
            yield refused._replace(
                place=ours[-1].place or stated.place,
                class_name=kind.named,
                other_value=_accepted(check, ours[-1], values),
            )


def _accepted(check: str, setting: Setting, values: Mapping[str, object]) -> object:
    """Return a value near that of `setting` at which the check no longer holds; empty if none is found."""
    named = constants_in(check)
    texts = near(str(setting.value), [one for one in named if isinstance(one, str)])
    numbers = [one for one in named if isinstance(one, int) and not isinstance(one, bool)]
    for value in [texts] if isinstance(setting.value, str) else numbers if isinstance(setting.value, int) else []:
        if value != "" and holds(check, {**values, setting.name: value}) is False:
            return value
    return ""


def _checks_of(facts: Facts, stated: Stated, owners: list[Owner]) -> Iterator[tuple[str, Owner]]:
    """Yield the checks of the classes, and of the trainer that gets the configuration."""
    releases = {owner.record.package: owner.version for owner in owners}
    shown = {owner.record.package: owner.shows_release for owner in owners}
    for name in stated.classes:
        package, _, kind = name.partition(".")
        for check, record in all_checks(package, kind, releases.get):
            yield check, Owner(record, releases[record.package], shown[record.package])
    trainer = facts.value("plan.trainer")
    main = owners[0]
    if isinstance(trainer, str) and main.record.name.removesuffix("Config") == trainer.removesuffix("Trainer"):
        checker = load_class(main.record.package, trainer)
        if checker is not None and main.version is not None:
            yield from (
                (check, Owner(checker, main.version, main.shows_release)) for check in checker.checks(main.version)
            )


def _known_values(stated: Stated, owners: list[Owner]) -> dict[str, object]:
    """Return the values of all settings that are known when the constructor runs."""
    values: dict[str, object] = {}
    for owner in reversed(owners):
        if owner.version is not None and stated.is_complete:
            values |= _defaults(owner.record, owner.version)
    for setting in stated.settings:
        if setting.value is COMPUTED:
            values.pop(setting.name, None)
        else:
            values[setting.name] = setting.value
    return values


@lru_cache(maxsize=1024)
def _defaults(record: ClassRecord, version: Version) -> Mapping[str, object]:
    return {name: field.default for name, field in fields_of(record, version).items() if field.has_default}
