"""Finds settings that do not fit the releases at hand: what a class gets, compared with what it takes.

The records of settings (``settings``) state what each release has. That a class lacks a setting is known only if all
classes that it extends are recorded for the releases at hand.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator, Mapping

from packaging.version import Version

from vcompat.facts.facts import Facts
from vcompat.facts.records.recorded_settings import KEPT, Field, load_class, takes_values_of
from vcompat.facts.stated import COMPUTED, FILE, KEYWORD, OPTION, UNFIT, Computed, Setting, Stated
from vcompat.foundation.suggest import near
from vcompat.rules.owners import NAMES, Owner, about, fields_of, owners_of
from vcompat.rules.owners import Unfit as Unfit  # noqa: PLC0414 - what `unfit` yields
from vcompat.rules.refusals import refusals

UNKNOWN, UNKNOWN_IN_FILE, UNKNOWN_IN_COMMAND, UNREAD, REFUSED, WRONG_TYPE = UNFIT

_NUMBERS: Mapping[str, type[int] | type[float]] = {"int": int, "float": float}
_PLAIN = frozenset({"int", "float", "bool", "none"})


def unfit(facts: Facts) -> Iterator[Unfit]:
    """Yield what does not fit in the settings that the run gives to configuration classes."""
    for stated in (*facts.stated, *_by_hand(facts)):
        owners = owners_of(stated, lambda package: facts.value(f"packages.{package}"))
        if owners:
            yield from _unknown(stated, owners)
            yield from _values(stated, owners)
            yield from refusals(facts, stated, owners)


def _by_hand(facts: Facts) -> Iterator[Stated]:
    """Yield the settings of the trainer's configuration that the user states with ``--set``."""
    names = [name for name in facts.known if name.startswith("plan.") and facts.is_by_hand(name)]
    if names:
        kind = facts.value("plan.configuration")
        name = kind if isinstance(kind, str) else "GRPOConfig"
        values = [Setting(fact.removeprefix("plan."), facts.value(fact), None, KEYWORD) for fact in names]
        record = load_class("trl", name)
        settings = tuple(setting for setting in values if record is not None and record.history(setting.name))
        if settings:
            yield Stated((f"trl.{name}",), settings, None, is_complete=False)


# Names


def _unknown(stated: Stated, owners: list[Owner]) -> Iterator[Unfit]:
    """Yield the settings that none of the classes has."""
    if any(o.record.extra(o.at) == KEPT for o in owners):
        return
    for setting in stated.settings:
        has = True if setting.name in stated.own else _has(owners, setting.name)
        if has is None or has or (setting.way == OPTION and _is_spelled(stated, owners, setting.name)):
            continue
        if owners[0].ignores and (stated.is_section or not owners[0].record.refuses(setting.name, owners[0].at)):
            yield _unread(stated, owners[0], setting)
        elif not stated.has_others or any(owner.record.history(setting.name) for owner in owners):
            yield _missing(stated, owners, setting)


def _has(owners: Iterable[Owner], name: str) -> bool | None:
    """Return whether one of the classes has the setting; None if that depends on a release that is not known."""
    has: bool | None = False
    for owner in owners:
        if owner.version is not None and owner.record.field(name, owner.version) is not None:
            return True
        if owner.version is None and owner.record.history(name):
            has = None
    return has


def _is_spelled(stated: Stated, owners: list[Owner], option: str) -> bool:
    """Return whether an option is another spelling of one of the classes: with hyphens, negated or shortened."""
    plain = option.replace("-", "_")
    names = {plain, plain.removeprefix("no_")}
    everything = stated.own | set(_names(owners))
    if names & everything:
        return True
    return stated.abbreviates and any(name.startswith(plain) or f"no_{name}".startswith(plain) for name in everything)


def _names(owners: Iterable[Owner]) -> Iterator[str]:
    for owner in owners:
        yield from fields_of(owner.record, owner.at)


def _unread(stated: Stated, owner: Owner, setting: Setting) -> Unfit:
    """Return what is wrong with a setting that is ignored, without its history: the record has more than is read."""
    unread = about(UNREAD, owner, setting, f"{owner.release} ignores {setting.name}", "")
    alike = near(setting.name, [*stated.own, *_names([owner])])
    return unread._replace(is_certain=owner.version is not None, place=setting.place or stated.place, alike=alike)


def _missing(stated: Stated, owners: list[Owner], setting: Setting) -> Unfit:
    """Return what is wrong with a setting that no class has."""
    own = next((owner for owner in owners if owner.record.history(setting.name)), None)
    before, after = _around(own, setting.name)
    classes = _named_by(stated, owners)
    unfit = Unfit(
        _kind(stated, setting, owners),
        not stated.has_others and all(owner.version is not None for owner in classes),
        _title(stated, classes, own, setting.name),
        "",
        setting.place or stated.place,
        setting.name,
        "" if setting.value is COMPUTED else repr(setting.value),
        (own or classes[0]).named if len(classes) > 1 else classes[0].named,
        tuple(dict.fromkeys(owner.record.package for owner in owners)),
    )
    if own is None or not (before or after):
        alike = near(setting.name, [*stated.own, *_names(owners)])
        return unfit._replace(why=f"no release of {_listed(unfit.packages)} has it", alike=alike)
    where = "" if own.record.package == classes[0].record.package else f"{NAMES[own.record.package]} "
    unfit = unfit._replace(packages=(own.record.package,))
    if before:
        return _removed(unfit, own, owners, before[-1], where)
    return unfit._replace(title=f"{unfit.title} (added in {where}{after[0]})", first=(own.record.package, after[0]))


def _removed(unfit: Unfit, own: Owner, owners: list[Owner], had: tuple[Version, Field], where: str) -> Unfit:
    """Return what is wrong with a setting that was removed; `had` is the last release that has it, with the setting."""
    last, field = had
    instead = _instead(owners, field)
    rename = instead if instead and _takes_values(owners, instead, field) else ""
    gone = next((release for release in own.record.releases() if release > last), last)
    title = f"{unfit.title} (removed in {where}{gone}{f'; use {instead}' if instead else ''})"
    return unfit._replace(title=title, rename=rename, last=(own.record.package, last))


def _around(owner: Owner | None, name: str) -> tuple[list[tuple[Version, Field]], list[Version]]:
    """Return the last releases of `owner`'s package with a setting before its version, and the first ones after it."""
    if owner is None or owner.version is None:
        return [], []
    runs, version = owner.record.history(name), owner.version
    before = [(last, field) for _, last, field in runs if last < version]
    return before, [first for first, _, _ in runs if first > version]


def _named_by(stated: Stated, owners: list[Owner]) -> list[Owner]:
    """Return the classes that are named where the settings are given."""
    named = [owner for owner in owners if f"{owner.record.package}.{owner.record.name}" in stated.classes]
    # A subcommand of `trl` also takes the options of `accelerate launch`.
    return [owner for owner in named if owner.record.package != "accelerate"] or named


def _listed(packages: tuple[str, ...]) -> str:
    *others, last = (NAMES.get(package, package) for package in packages)
    return f"{', '.join(others)} and {last}" if others else last


#: TRL's first release whose subcommands do not refuse what TRL's own parser does not know.
_COMMANDS_PASS_ON = Version("0.22.0")


def _kind(stated: Stated, setting: Setting, owners: list[Owner]) -> str:
    """Return what becomes of a setting that no class has."""
    trl = next((owner.version for owner in owners if owner.record.package == "trl"), None)
    if stated.is_command and trl is not None and trl >= _COMMANDS_PASS_ON:
        return UNKNOWN_IN_COMMAND
    return UNKNOWN_IN_FILE if setting.way == FILE else UNKNOWN


def _title(stated: Stated, classes: list[Owner], own: Owner | None, name: str) -> str:
    """Return which class lacks the setting: the one that had it or will have it, else all."""
    if len(classes) == 1:
        return f"{classes[0].label} has no {'option --' if classes[0].is_command else ''}{name}"
    if own is not None and own.version is not None:
        return f"{own.label} has no {name}"
    what = "The trl command" if stated.is_command else "The parser's classes"
    return f"{what} of {classes[0].release} {'has' if stated.is_command else 'have'} no {name}"


def _instead(owners: list[Owner], field: Field) -> str:
    """Return the setting that replaces another, if a class has it in the release at hand."""
    return field.replaced_by if field.replaced_by and _has(owners, field.replaced_by) else ""


def _takes_values(owners: list[Owner], name: str, old: Field) -> bool:
    """Return whether the values of `old` can be given to the setting that replaces it."""
    fields = (owner.record.field(name, owner.version) for owner in owners if owner.version is not None)
    new = next((field for field in fields if field is not None), None)
    return new is not None and takes_values_of(new, old)


# Values


def _values(stated: Stated, owners: list[Owner]) -> Iterator[Unfit]:
    """Yield the values that are no choice of their setting, or of another type."""
    for setting in stated.settings:
        if isinstance(setting.value, Computed):
            continue
        for owner in owners:
            field = owner.record.field(setting.name, owner.version) if owner.version else None
            if field is not None and setting.name not in stated.own:
                unfit = _of_value(owner, setting, field)
                if unfit is not None:
                    yield unfit._replace(place=setting.place or stated.place)
                break


def _of_value(owner: Owner, setting: Setting, field: Field) -> Unfit | None:
    """Return what is wrong with the value of a setting; None if nothing is."""
    value = setting.value
    if field.choices and (field.enforced or setting.way == OPTION) and not _is_choice(value, field):
        return _no_choice(owner, setting, field.choices)
    if owner.is_command and setting.way == OPTION and _is_no_number(value, field.types):
        why = "it takes a number" if "float" in field.types else "it takes a whole number"
        return about(REFUSED, owner, setting, f"{owner.label} refuses --{setting.name} {value}", why)
    if setting.way == KEYWORD and _is_wrong_type(value, field.types):
        expected = " or ".join(kind for kind in field.types if kind != "none")
        title = f"{setting.name} of {owner.label} is {expected}, not {type(value).__name__}"
        return about(WRONG_TYPE, owner, setting, title, f"the value is {value!r}")
    return None


def _no_choice(owner: Owner, setting: Setting, choices: tuple[object, ...]) -> Unfit:
    alike = near(str(setting.value), list(map(str, choices)))
    listed = ", ".join(map(str, choices[:8])) + (", ..." if len(choices) > 8 else "")
    why = f"the values are {listed}" + (f"; it may be {alike}" if alike else "")
    title = f"{owner.label} refuses {setting.name}={setting.value!r}"
    return about(REFUSED, owner, setting, title, why)._replace(other_value=alike)


def _is_choice(value: object, field: Field) -> bool:
    """Return whether `value` is one of the choices. Of values that are no text, nothing is claimed.

    A text is also one if it is the text of a number: pydantic and parsers convert it.
    """
    return not isinstance(value, str) or field.choices is None or value in map(str, field.choices)


def _is_no_number(value: object, types: Iterable[str]) -> bool:
    """Return whether a text is given on a command line to an option that takes numbers only."""
    kinds = [_NUMBERS.get(kind) for kind in types if kind != "none"]
    if not isinstance(value, str) or not kinds or None in kinds:
        return False
    for kind in kinds:
        with contextlib.suppress(ValueError):
            kind(value)  # type: ignore[misc]
            return False
    return True


def _is_wrong_type(value: object, types: Iterable[str]) -> bool:
    """Return whether a text or a collection is given for a number or a flag."""
    known = set(types)
    return isinstance(value, str | list | dict | tuple) and bool(known) and known <= _PLAIN
