"""What a trainer states of itself, as the values of facts: what its script computed is known now."""

from __future__ import annotations

from typing import Any


def arguments_of(config: Any) -> dict[str, Any]:
    """Return the settings of the configuration, as it gives them to loggers: without tokens. Only plain values."""
    values = config.to_dict()
    return {name: value for name, value in values.items() if value is None or isinstance(value, str | int | float)}


def facts_of(trainer: Any) -> dict[str, Any]:
    """Return facts that are no settings of the configuration, by name."""
    model = trainer.model
    adapters = getattr(model, "peft_config", None) or {}
    facts: dict[str, Any] = {"plan.peft": bool(adapters), "plan.world_size": int(trainer.accelerator.num_processes)}
    if len(adapters) == 1:
        (adapter,) = adapters.values()
        given = {"plan.lora_rank": "r", "plan.lora_dropout": "lora_dropout"}
        facts |= {fact: getattr(adapter, name) for fact, name in given.items() if hasattr(adapter, name)}
    bits = [number for number in (4, 8) if getattr(model, f"is_loaded_in_{number}bit", False)]
    facts["plan.loaded_in_bits"] = bits[0] if bits else None
    names = getattr(getattr(model, "config", None), "architectures", None)
    if isinstance(names, list) and len(names) == 1:
        facts["plan.model_architecture"] = names[0]
    return {name: value for name, value in facts.items() if value is None or isinstance(value, str | int | float)}
