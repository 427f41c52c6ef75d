"""States how the settings of a trainer say that the model is loaded, and what an adapter states."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from vcompat.sources.reading.python.values.core import Event
from vcompat.sources.reading.python.values.values import (
    CLASS_DEFAULT,
    ON_CONDITION,
    Const,
    Held,
    Table,
    Unknown,
    Value,
    alternatives,
    is_none,
    plain_or,
    text_of,
)

#: Records a fact from what a script holds.
Record = Callable[[str, Held], None]
#: Settings of LoraConfig, with their facts and defaults, which no release has changed.
_DEFAULTS = {"r": ("plan.lora_rank", 8), "lora_dropout": ("plan.lora_dropout", 0.0)}


def state_init_kwargs(record: Record, held: Held) -> None:
    """Record the data type in model_init_kwargs, under each of its two names."""
    table = held.value
    if not isinstance(table, Table):
        if not is_none(table):
            for fact in ("plan.dtype", "plan.init_torch_dtype"):
                record(fact, held._replace(value=Unknown("in model_init_kwargs")))
        return
    for name, fact in (("dtype", "plan.dtype"), ("torch_dtype", "plan.init_torch_dtype")):
        if name in table.cells and _is_default(table.cells[name]):
            # ModelConfig.dtype, which is None or float32: what TRL loads in if nothing is set (`data_types`).
            continue
        if name in table.cells:
            record(fact, table.cells[name])
        elif table.why_open:
            record(fact, held._replace(value=Unknown(table.why_open)))
    if "attn_implementation" in table.cells:
        record("plan.attn_implementation", table.cells["attn_implementation"])


def state_bits(record: Record, settings: Mapping[str, Held]) -> None:
    """Record the bits to which TRL's own script quantizes the model, by the two settings of ModelConfig."""
    for name, bits in (("load_in_4bit", 4), ("load_in_8bit", 8)):
        flag, plain = settings[name], plain_or(settings[name].value, None)
        if plain is not False and not _is_default(flag):
            value = Const(bits) if plain is True else Unknown(f"{name} is not known")
            record("plan.loaded_in_bits", flag._replace(value=value))
            return
    record("plan.loaded_in_bits", settings["load_in_4bit"]._replace(value=Const(None)))


def state_adapter(record: Record, adapter: Event) -> None:
    """Record rank, dropout and target modules of a LoRA adapter."""
    closed = not adapter.why_open and adapter.name == "LoraConfig"
    for name, (fact, default) in _DEFAULTS.items():
        held = adapter.settings.get(name) or (Held(Const(default), adapter.place) if closed else None)
        if held is not None:
            record(fact, held)
    targets = adapter.settings.get("target_modules")
    if targets is not None and not is_none(targets.value):
        # PEFT takes a text that is no list as a pattern, except the word for all modules.
        is_pattern = text_of(targets.value) not in (None, "all-linear")
        record("plan.lora_targets", targets._replace(value=Unknown("a pattern")) if is_pattern else targets)
    elif closed or targets is not None:
        record("plan.lora_targets", Held(Const(()), adapter.place))
    tokens = adapter.settings.get("trainable_token_indices")
    if tokens is not None:
        record("plan.trainable_tokens", tokens._replace(value=_is_given(tokens.value)))


def _is_given(value: Value) -> Value:
    """Return whether a setting that may be None has a value, as a flag."""
    parts = alternatives(value)
    why = next((part.why for part in parts if isinstance(part, Unknown)), ON_CONDITION)
    absent = {is_none(part) for part in parts}
    is_open = len(absent) > 1 or any(isinstance(part, Unknown) for part in parts)
    return Unknown(why) if is_open else Const(not absent.pop())


def _is_default(held: Held) -> bool:
    return isinstance(held.value, Unknown) and held.value.why == CLASS_DEFAULT
