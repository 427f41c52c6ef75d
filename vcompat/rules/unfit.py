"""Finds settings that do not fit the releases at hand: what a class gets, compared with what it takes.

The records of settings (``settings``) state what each release has. That a class lacks a setting is known only if all
classes that it extends are recorded for the releases at hand.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import lru_cache
from typing import NamedTuple

from packaging.version import Version

from vcompat.facts.facts import Facts, Place
from vcompat.facts.settings import COMMANDS, IGNORED, KEPT, ClassRecord, Field, all_checks, load_class, takes_values_of
from vcompat.facts.stated import COMPUTED, FILE, KEYWORD, OPTION, UNFIT, Computed, Setting, Stated
from vcompat.foundation.suggest import near
from vcompat.rules.checks import constants_in, holds, names_in

UNKNOWN, UNKNOWN_IN_FILE, UNKNOWN_IN_COMMAND, UNREAD, REFUSED, WRONG_TYPE = UNFIT

#: How the packages are written.
NAMES = {
    "trl": "TRL",
    "transformers": "transformers",
    "peft": "PEFT",
    "vllm": "vLLM",
    "accelerate": "accelerate",
    "deepspeed": "DeepSpeed",
    "torch": "torch",
}

_NUMBERS: Mapping[str, type[int] | type[float]] = {"int": int, "float": float}
_PLAIN = frozenset({"int", "float", "bool", "none"})


class Unfit(NamedTuple):
    """One setting, or several, that a class does not accept."""

    kind: str
    """One of UNFIT."""
    is_certain: bool
    title: str
    why: str
    """The reason in a sentence."""
    place: Place | None
    """Where it is given; None for ``--set``."""
    setting: str
    value: str
    class_name: str
    packages: tuple[str, ...]
    """The packages whose releases decide."""
    rename: str = ""
    """The setting's new name in this release; empty if there is none."""
    alike: str = ""
    """The setting with the most similar name; empty if none is near."""
    other_value: object = ""
    """The value that is probably meant; empty if there is none."""
    last: tuple[str, Version] | None = None
    """The package and its last release that has the setting, if it was removed."""
    first: tuple[str, Version] | None = None
    """The package and its first release that has the setting, if it came later."""


class _Owner(NamedTuple):
    """One class of those that a constructor's settings belong to, at the release at hand."""

    record: ClassRecord
    version: Version | None
    """None if the release is not known, or not recorded."""

    @property
    def at(self) -> Version:
        """The release, or the newest one that is recorded."""
        return self.version or self.record.releases()[-1]

    @property
    def label(self) -> str:
        return f"{self.named} of {self.release}"

    @property
    def ignores(self) -> bool:
        """Whether settings that it does not have are ignored."""
        return self.record.extra(self.at) == IGNORED

    @property
    def named(self) -> str:
        """The class, or the command whose options are recorded."""
        return COMMANDS.get(self.record.name, self.record.name)

    @property
    def release(self) -> str:
        name = NAMES.get(self.record.package, self.record.package)
        return f"{name} {self.version}" if self.version else name


Release = Callable[[str], object]


def unfit(facts: Facts) -> Iterator[Unfit]:
    """Yield what does not fit in the settings that the run gives to configuration classes."""
    for stated in (*facts.stated, *_by_hand(facts)):
        owners = _owners(stated, lambda package: facts.value(f"packages.{package}"))
        if owners:
            yield from _unknown(stated, owners)
            yield from _values(stated, owners)
            yield from _checks(facts, stated, owners)


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


# Classes


def _owners(stated: Stated, release_of: Release) -> list[_Owner]:
    """Return the classes and all that they extend; none if one of them is not recorded."""
    owners: list[_Owner] = []
    pending = [tuple(name.split(".", 1)) for name in stated.classes]
    seen = set()
    while pending:
        package, name = pending.pop(0)
        if (package, name) in seen:
            continue
        seen.add((package, name))
        record = load_class(package, name)
        if record is None:
            return []  # its settings are not known
        version = release_of(package)
        known = version if isinstance(version, Version) and record.exists(version) is True else None
        if known is None and isinstance(version, Version) and record.exists(version) is False:
            continue  # the import fails, or a subcommand of this release does without the class
        owners.append(_Owner(record, known))
        pending += record.bases(owners[-1].at)
    return owners


# Names


def _unknown(stated: Stated, owners: list[_Owner]) -> Iterator[Unfit]:
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


def _has(owners: Iterable[_Owner], name: str) -> bool | None:
    """Return whether one of the classes has the setting; None if that depends on a release that is not known."""
    found: bool | None = False
    for owner in owners:
        if owner.version is not None and owner.record.field(name, owner.version) is not None:
            return True
        if owner.version is None and owner.record.history(name):
            found = None
    return found


def _is_spelled(stated: Stated, owners: list[_Owner], option: str) -> bool:
    """Return whether an option is another spelling of one of the classes: with hyphens, negated or shortened."""
    plain = option.replace("-", "_")
    names = {plain, plain.removeprefix("no_")}
    everything = stated.own | set(_names(owners))
    if names & everything:
        return True
    return stated.abbreviates and any(name.startswith(plain) or f"no_{name}".startswith(plain) for name in everything)


def _names(owners: Iterable[_Owner]) -> Iterator[str]:
    for owner in owners:
        yield from _fields(owner.record, owner.at)


def _unread(stated: Stated, owner: _Owner, setting: Setting) -> Unfit:
    """Return what is wrong with a setting that is ignored, without its history: the record has more than is read."""
    unread = _about(UNREAD, owner, setting, f"{owner.release} ignores {setting.name}", "")
    alike = near(setting.name, [*stated.own, *_names([owner])])
    return unread._replace(is_certain=owner.version is not None, place=setting.place or stated.place, alike=alike)


def _missing(stated: Stated, owners: list[_Owner], setting: Setting) -> Unfit:
    """Return what is wrong with a setting that no class has."""
    name = setting.name
    own = next((o for o in owners if o.record.history(name)), None)
    runs = own.record.history(name) if own is not None and own.version is not None else []
    before = [(last, field) for _, last, field in runs if last < own.version]  # type: ignore[union-attr, operator]
    after = [first for first, _, _ in runs if first > own.version]  # type: ignore[union-attr, operator]
    named = [o for o in owners if f"{o.record.package}.{o.record.name}" in stated.classes]
    # A subcommand of `trl` also takes the options of `accelerate launch`.
    classes = [o for o in named if o.record.package != "accelerate"] or named
    decide = [own] if own is not None and (before or after) else owners
    found = Unfit(
        _kind(stated, setting, owners),
        not stated.has_others and all(o.version is not None for o in classes),
        _title(stated, classes, own, name),
        "",
        setting.place or stated.place,
        name,
        "" if setting.value is COMPUTED else repr(setting.value),
        (own or classes[0]).named if len(classes) > 1 else classes[0].named,
        tuple(dict.fromkeys(o.record.package for o in decide)),
    )
    if before and own is not None:
        instead = _instead(owners, before[-1][1])
        rename = instead if instead and _takes_values(owners, instead, before[-1][1]) else ""
        gone = next((release for release in own.record.releases() if release > before[-1][0]), before[-1][0])
        where = "" if own.record.package == classes[0].record.package else f"{NAMES[own.record.package]} "
        title = f"{found.title} (removed in {where}{gone}{f'; use {instead}' if instead else ''})"
        return found._replace(title=title, rename=rename, last=(own.record.package, before[-1][0]))
    if after and own is not None:
        where = "" if own.record.package == classes[0].record.package else f"{NAMES[own.record.package]} "
        return found._replace(title=f"{found.title} (added in {where}{after[0]})", first=(own.record.package, after[0]))
    *others, last = (NAMES.get(package, package) for package in found.packages)
    packages = f"{', '.join(others)} and {last}" if others else last
    alike = near(name, [*stated.own, *_names(owners)])
    return found._replace(why=f"no release of {packages} has it", alike=alike)


#: TRL's first release whose subcommands do not refuse what TRL's own parser does not know.
_COMMANDS_PASS_ON = Version("0.22.0")


def _kind(stated: Stated, setting: Setting, owners: list[_Owner]) -> str:
    """Return what becomes of a setting that no class has."""
    trl = next((owner.version for owner in owners if owner.record.package == "trl"), None)
    if stated.is_command and trl is not None and trl >= _COMMANDS_PASS_ON:
        return UNKNOWN_IN_COMMAND
    return UNKNOWN_IN_FILE if setting.way == FILE else UNKNOWN


def _title(stated: Stated, classes: list[_Owner], own: _Owner | None, name: str) -> str:
    """Return which class lacks the setting: the one that had it or will have it, else all."""
    if len(classes) == 1:
        is_option = classes[0].named in COMMANDS.values()
        return f"{classes[0].label} has no {'option --' if is_option else ''}{name}"
    if own is not None and own.version is not None:
        return f"{own.label} has no {name}"
    what = "The trl command" if stated.is_command else "The parser's classes"
    return f"{what} of {classes[0].release} {'has' if stated.is_command else 'have'} no {name}"


def _instead(owners: list[_Owner], field: Field) -> str:
    """Return the setting that replaces another, if a class has it in the release at hand."""
    return field.replaced_by if field.replaced_by and _has(owners, field.replaced_by) else ""


def _takes_values(owners: list[_Owner], name: str, old: Field) -> bool:
    """Return whether the values of `old` can be given to the setting that replaces it."""
    fields = (owner.record.field(name, owner.version) for owner in owners if owner.version is not None)
    new = next((field for field in fields if field is not None), None)
    return new is not None and takes_values_of(new, old)


# Values


def _values(stated: Stated, owners: list[_Owner]) -> Iterator[Unfit]:
    """Yield the values that are no choice of their setting, or of another type."""
    for setting in stated.settings:
        if isinstance(setting.value, Computed):
            continue
        for owner in owners:
            field = owner.record.field(setting.name, owner.version) if owner.version else None
            if field is not None and setting.name not in stated.own:
                yield from _value(stated, owner, setting, field)
                break


def _value(stated: Stated, owner: _Owner, setting: Setting, field: Field) -> Iterator[Unfit]:
    value = setting.value
    shown = f"{setting.name}={value!r}"
    if field.choices and (field.enforced or setting.way == OPTION) and not _is_choice(value, field):
        alike = near(str(value), [str(choice) for choice in field.choices])
        listed = ", ".join(map(str, field.choices[:8])) + (", ..." if len(field.choices) > 8 else "")
        why = f"the values are {listed}" + (f"; it may be {alike}" if alike else "")
        refused = _about(REFUSED, owner, setting, f"{owner.label} refuses {shown}", why)
        yield refused._replace(place=setting.place or stated.place, other_value=alike)
    elif owner.named in COMMANDS.values() and setting.way == OPTION and _is_no_number(value, field.types):
        why = "it takes a number" if "float" in field.types else "it takes a whole number"
        refused = _about(REFUSED, owner, setting, f"{owner.label} refuses --{setting.name} {value}", why)
        yield refused._replace(place=setting.place or stated.place)
    elif setting.way == KEYWORD and _is_wrong_type(value, field.types):
        expected = " or ".join(kind for kind in field.types if kind != "none")
        title = f"{setting.name} of {owner.label} is {expected}, not {type(value).__name__}"
        wrong = _about(WRONG_TYPE, owner, setting, title, f"the value is {value!r}")
        yield wrong._replace(place=setting.place or stated.place)


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


def _about(kind: str, owner: _Owner, setting: Setting, title: str, why: str) -> Unfit:
    packages = (owner.record.package,)
    return Unfit(kind, True, title, why, setting.place, setting.name, repr(setting.value), owner.named, packages)


# Checks of the constructor


def _checks(facts: Facts, stated: Stated, owners: list[_Owner]) -> Iterator[Unfit]:
    """Yield the settings that a constructor refuses, each check once."""
    if stated.has_others or any(owner.version is None for owner in owners):
        return
    values = _known_values(stated, owners)
    given = {setting.name: setting for setting in stated.settings if not isinstance(setting.value, Computed)}
    for check, owner in dict(_checks_of(facts, stated, owners)).items():
        ours = [given[name] for name in names_in(check) if name in given]
        if ours and not stated.own & set(names_in(check)) and holds(check, values):
            shown = ", ".join(f"{setting.name}={setting.value!r}" for setting in ours)
            refused = _about(REFUSED, owner, ours[-1], f"{owner.label} refuses {shown}", f"it raises if {check}")
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


def _checks_of(facts: Facts, stated: Stated, owners: list[_Owner]) -> Iterator[tuple[str, _Owner]]:
    """Yield the checks of the classes, and of the trainer that gets the configuration."""
    releases = {owner.record.package: owner.version for owner in owners}
    for name in stated.classes:
        package, _, kind = name.partition(".")
        for check, record in all_checks(package, kind, releases.get):
            yield check, _Owner(record, releases[record.package])
    trainer = facts.value("plan.trainer")
    main = owners[0]
    if isinstance(trainer, str) and main.record.name.removesuffix("Config") == trainer.removesuffix("Trainer"):
        checker = load_class(main.record.package, trainer)
        if checker is not None and main.version is not None:
            yield from ((check, _Owner(checker, main.version)) for check in checker.checks(main.version))


def _known_values(stated: Stated, owners: list[_Owner]) -> dict[str, object]:
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
def _fields(record: ClassRecord, version: Version) -> Mapping[str, Field]:
    return record.fields(version)


@lru_cache(maxsize=1024)
def _defaults(record: ClassRecord, version: Version) -> Mapping[str, object]:
    return {name: field.default for name, field in _fields(record, version).items() if field.has_default}
