"""Settings that a run does not set and that other releases give another default."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from packaging.version import Version

from vcompat.facts.defaults import SETTINGS, nearest
from vcompat.facts.facts import Facts
from vcompat.facts.records.recorded_settings import Field, all_fields, load_class

#: Defaults of a setting that mean the same to upstream. None is shown as the first of them.
_ALIKE: Mapping[str, tuple[object, ...]] = {
    "top_k": (None, 0, -1),
    "scale_rewards": (True, "group"),
    "include_num_input_tokens_seen": (False, "no"),
    "fsdp": ("", None),
    "gradient_checkpointing": (False, None),
}
_OF_RULES = frozenset(SETTINGS)


class DefaultChange(NamedTuple):
    """A setting that has another default, or that is gone."""

    setting: str
    owner: str
    """The configuration class."""
    before: object
    after: object
    """None for a setting that is gone."""
    is_gone: bool
    matters: bool
    """Whether rules are about the setting, and the run uses what it sets."""


def default_changes(before: Sequence[tuple[str, Facts]], after: Sequence[tuple[str, Facts]]) -> list[DefaultChange]:
    """Return the changes between the facts of named runs with their present and with their new releases.

    A setting counts if one of the runs does not set it. Those that matter come first.
    """
    changes: dict[tuple[str, str], DefaultChange] = {}
    for (_, old), (_, new) in zip(before, after, strict=True):
        for change in _of_run(old.presumed(), new.presumed()):
            same = changes.get((change.owner, change.setting))
            changes[change.owner, change.setting] = change if same is None or change.matters else same
    return sorted(changes.values(), key=lambda change: (not change.matters, change.owner, change.setting))


def _of_run(old: Facts, new: Facts) -> Iterator[DefaultChange]:
    name = old.value("plan.configuration")
    if not isinstance(name, str):
        return
    before, after = _fields(name, old, old), _fields(name, new, old)
    given, without_vllm = _given(name, old), old.value("plan.use_vllm") is False
    for setting, field in before.items():
        if setting in given or not field.has_default:
            continue
        now, value = after.get(setting), _effective(setting, field, old)
        matters = setting in _OF_RULES and not (without_vllm and setting.startswith("vllm_"))
        is_nothing = field.default is None or field.default is False
        if now is None and not is_nothing and not _has_successor(field, after):
            yield DefaultChange(setting, name, value, None, True, matters)
        elif now is not None and now.has_default and _differ(setting, value, _effective(setting, now, new)):
            yield DefaultChange(setting, name, value, _effective(setting, now, new), False, matters)


def _effective(setting: str, field: Field, facts: Facts) -> object:
    """Return a default, or the value that the class replaces None by, if that is known."""
    value = field.default if field.default is not None else facts.value(f"plan.{setting}")
    return _ALIKE[setting][0] if value is None and setting in _ALIKE else value


def _fields(name: str, facts: Facts, others: Facts) -> dict[str, Field]:
    """Return the settings of a class of TRL; what is not known of the base's release is the same in all releases."""
    record = load_class("trl", name)
    if record is None:
        return {}

    def version_of(package: str) -> Version | None:
        known = facts.value(f"packages.{package}") or others.value(f"packages.{package}")
        of = record if package == "trl" else load_class(package, "TrainingArguments")
        if of is None:
            return None
        return nearest(of, known) if isinstance(known, Version) else of.releases()[-1]

    return {setting: field for setting, (field, _) in (all_fields("trl", name, version_of) or {}).items()}


def _given(name: str, facts: Facts) -> set[str]:
    """Return the settings that the run states, in its files or with ``--set``."""
    stated = {one.name for each in facts.stated if f"trl.{name}" in each.classes for one in each.settings}
    return stated | {
        fact.removeprefix("plan.")
        for fact, known in facts.all_known()
        if fact.startswith("plan.") and (known.place is not None or facts.is_by_hand(fact))
    }


def _has_successor(field: Field, after: dict[str, Field]) -> bool:
    """Whether the setting has a new name, with the same default."""
    now = after.get(field.replaced_by)
    return now is not None and now.has_default and not _differ("", field.default, now.default)


def _differ(setting: str, one: object, other: object) -> bool:
    alike = _ALIKE.get(setting, ())
    return (one != other or isinstance(one, bool) != isinstance(other, bool)) and not (one in alike and other in alike)
