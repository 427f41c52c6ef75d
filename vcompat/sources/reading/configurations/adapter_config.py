"""Reads PEFT's adapter_config.json."""

from __future__ import annotations

from vcompat.facts.facts import Facts
from vcompat.sources.reading.document import Document
from vcompat.sources.reading.part import Part
from vcompat.sources.reading.settings import state


def read_adapter_config(document: Document) -> Part:
    """Read the base model of the adapter and the modules that are trained in full with it."""
    facts = Facts()
    state(facts, "plan.peft", True, document.place("peft_type"))
    modules = document.get("modules_to_save")
    state(facts, "plan.modules_to_save", modules or [], document.place("modules_to_save"))
    if document.get("peft_type") == "LORA":
        rank, targets = document.get("r"), document.get("target_modules")
        if isinstance(rank, int):
            state(facts, "plan.lora_rank", rank, document.place("r"))
        if isinstance(dropout := document.get("lora_dropout"), int | float):
            state(facts, "plan.lora_dropout", dropout, document.place("lora_dropout"))
        if isinstance(targets, list):
            state(facts, "plan.lora_targets", targets, document.place("target_modules"))
        if document.get("trainable_token_indices"):
            state(facts, "plan.trainable_tokens", True, document.place("trainable_token_indices"))
    if isinstance(model := document.get("base_model_name_or_path"), str):
        state(facts, "plan.model", model, document.place("base_model_name_or_path"))
    return Part(facts)
