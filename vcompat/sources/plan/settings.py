"""Settings by the names under which configurations write them, as facts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from vcompat.facts.facts import Facts, Place
from vcompat.facts.value import from_json, parse_value
from vcompat.facts.vocabulary import FLAG, NUMBER, TEXT, VOCABULARY, Spec, spec_of
from vcompat.foundation.errors import InputError

#: Names of settings that are not the name of their fact: those of TRL's ModelConfig, and older ones.
_OTHER_NAMES: Mapping[str, str] = {
    "model_name_or_path": "plan.model",
    "torch_dtype": "plan.dtype",
    "use_peft": "plan.peft",
    "lora_modules_to_save": "plan.modules_to_save",
}
#: Settings of the vocabulary that no trainer's configuration has.
_NOT_SETTINGS = frozenset(
    "patched trainer launcher world_size num_machines gpus_per_node peft modules_to_save deepspeed_stage".split()
)


def fact_of(setting: str) -> str | None:
    """The fact that a setting of a trainer's configuration, or of TRL's ModelConfig, is; None for one nobody judges."""
    other = _OTHER_NAMES.get(setting)
    if other is not None:
        return other
    name = f"plan.{setting}"
    return name if name in VOCABULARY and setting not in _NOT_SETTINGS else None


def state(facts: Facts, fact: str, value: Any, place: Place, remark: str = "") -> None:
    """Record that a file gives `fact` the plain `value` at `place`; one of another type leaves it unknown."""
    try:
        parsed = from_json(_spec(fact), _as_list(_spec(fact), value), str(place))
    except InputError as error:
        facts.forget(fact, str(error), place)
        return
    facts.set(fact, parsed, f"{place}, {remark}" if remark else str(place), place)


def state_text(facts: Facts, fact: str, text: str | bool, place: Place, remark: str = "") -> None:
    """The same for what stands on a command line, where all is text and a flag may stand alone."""
    spec = _spec(fact)
    if isinstance(text, bool):
        if spec.kind == FLAG:
            state(facts, fact, text, place, remark)
        else:
            facts.forget(fact, f"{place} gives it no value", place)
        return
    try:
        value = text if spec.kind == TEXT and not spec.many else parse_value(spec, text, str(place))
    except InputError as error:
        facts.forget(fact, str(error), place)
        return
    facts.set(fact, value, f"{place}, {remark}" if remark else str(place), place)


def _spec(fact: str) -> Spec:
    return spec_of(fact, fact)


def _as_list(spec: Spec, value: Any) -> Any:
    """A value as JSON has it: a tuple is a list there, and one text stands for a list of one."""
    if isinstance(value, tuple | set):
        value = list(value)
    if spec.many and isinstance(value, str):
        return [value]
    if spec.many and value is None:
        return []
    if spec.kind == NUMBER and isinstance(value, str):
        # YAML 1.1 reads 1e-5 as text, and so do the libraries that then make a number of it.
        try:
            return float(value) if not value.lstrip("+-").isdigit() else int(value)
        except ValueError:
            return value
    return value
