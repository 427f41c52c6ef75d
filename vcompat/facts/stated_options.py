"""Facts about options that decide in rules by whether they are given: those of an adapter, and of TRL's own script."""

from __future__ import annotations

from collections.abc import Iterable

from vcompat.facts.facts import Facts
from vcompat.facts.stated import COMPUTED, Setting, Stated

ADAPTER, COMMAND = "plan.lora_options", "plan.command_options"
_LORA, _MODEL = "peft.LoraConfig", "trl.ModelConfig"
#: Arguments that every adapter has, so that no rule asks whether they are given.
_USUAL = frozenset(
    "r lora_alpha lora_dropout target_modules modules_to_save bias task_type inference_mode exclude_modules".split()
)
#: What TRL's get_peft_config() hands on, by the name of the setting of ModelConfig.
_HANDED_ON = {"lora_target_parameters": "target_parameters", "use_dora": "use_dora", "use_rslora": "use_rslora"}


def set_stated_options(facts: Facts) -> None:
    """State the options of the adapter, and of the script that `trl grpo` and alike start, if one of them is made."""
    for stated in facts.stated:
        if stated.is_command:
            _set(facts, COMMAND, [stated], tuple(sorted({setting.name for setting in stated.settings})))
    adapters = [stated for stated in facts.stated if stated.classes == (_LORA,)]
    given = [setting for stated in adapters for setting in stated.settings]
    if not adapters and facts.value("plan.peft") is True:
        adapters = [stated for stated in facts.stated if _MODEL in stated.classes]
        options = [setting for stated in adapters for setting in stated.settings]
        given = [one._replace(name=_HANDED_ON[one.name]) for one in options if one.name in _HANDED_ON]
    if adapters:
        _set(facts, ADAPTER, adapters, options_of(given))


def options_of(given: Iterable[Setting]) -> tuple[str, ...] | None:
    """Return the names of the options among the arguments of an adapter that are on, one that is a text with its text.

    None if one of them is not known.
    """
    names = set()
    for name, value in ((one.name, one.value) for one in given if one.name not in _USUAL):
        if value is COMPUTED:
            return None
        if isinstance(value, str) and value:
            names.add(f"{name}={value}")
        elif value and not (name == "init_lora_weights" and value is True):
            names.add(name)
    return tuple(sorted(names))


def _set(facts: Facts, fact: str, stated: list[Stated], names: tuple[str, ...] | None) -> None:
    first = stated[0]
    if names is not None and all(one.is_complete for one in stated):
        presumes = tuple(one for each in stated for one in each.presumes)
        facts.offer(fact, names, str(first.place), first.place, presumes)
    else:
        facts.excuse(fact, f"{first.place}: there may be other options")
