"""Options of TRL's command lines, beside the settings that are facts, by what they take.

They are the settings of the classes that TRL's scripts parse, in the newest recorded releases. A word after an option
that takes a value is this value, also if it is not known, and opens nothing else.
"""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

from packaging.version import Version

from vcompat.facts.records.recorded_settings import all_fields, load_class

#: Classes whose settings are options of `trl grpo`, `trl rloo` and `trl sft`.
_CLASSES = ("GRPOConfig", "RLOOConfig", "SFTConfig", "ModelConfig", "ScriptArguments", "GRPOScriptArguments")
#: A class of each package that has a record in each surveyed release.
_SURVEYED = {"trl": "GRPOConfig", "transformers": "TrainingArguments"}


class OptionNames(NamedTuple):
    """The names of options, without dashes."""

    numbers: frozenset[str]
    """Options that take one number."""
    valued: frozenset[str]
    """Options that take a value, those of `numbers` among them."""
    lists: frozenset[str]
    """Those of `valued` that take several words, as transformers' parser does for a list and nothing else."""
    flags: frozenset[str]
    """Options that are flags, with a value or without."""


@cache
def option_names() -> OptionNames:
    """Return the options of TRL's command lines. Raises InputError if a record is malformed."""
    numbers, others, lists, flags = set[str](), set[str](), set[str](), set[str]()
    for name in _CLASSES:
        for option, (field, _) in (all_fields("trl", name, _newest) or {}).items():
            types = set(field.types) - {"none"}
            is_flag = "bool" in types and types.isdisjoint({"str", "dict"})
            if "list" in types and types.isdisjoint({"str", "dict"}):
                lists.add(option)
            (flags if is_flag else numbers if types <= {"int", "float"} else others).add(option)
    return OptionNames(frozenset(numbers), frozenset(numbers | others), frozenset(lists), frozenset(flags))


def _newest(package: str) -> Version | None:
    record = load_class(package, _SURVEYED[package]) if package in _SURVEYED else None
    return record.releases()[-1] if record is not None else None
