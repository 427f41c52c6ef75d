"""Reads TRL's configuration files, in YAML or TOML, as used by `trl grpo --config` and by scripts with TrlParser.

The keys are settings of the trainer's configuration class, of ModelConfig and of the script. ``env`` sets environment
variables.
"""

from __future__ import annotations

from typing import Any

from vcompat.facts.facts import Facts, Place
from vcompat.facts.stated import COMPUTED, FILE, Setting, Stated
from vcompat.facts.vocabulary import ENVIRONMENT
from vcompat.sources.reading.document import Document
from vcompat.sources.reading.part import Configuration, Mention, Part
from vcompat.sources.reading.settings import COUNTS_INSTEAD, fact_of, state


def read_trl_config(document: Document) -> Part:
    """Read the settings of a TRL configuration file."""
    facts = Facts()
    mentions = []
    for key, value, place in document.scalars():
        fact = fact_of(key)
        if key == "deepspeed" and isinstance(value, str):
            mentions.append(Mention(value, "deepspeed", place))
        if fact is not None and not _is_replaced(document, key, value):
            state(facts, fact, value, place)
    facts.stated = (_stated(document),)
    _model_settings(facts, document)
    _environment(facts, document)
    return Part(
        facts,
        takes_defaults=True,
        mentions=tuple(mentions),
        configuration=Configuration(document.kind, Place(document.path), ""),
    )


def _is_replaced(document: Document, key: str, value: Any) -> bool:
    """Return whether a setting does not count: another one does, or it counts only with a value."""
    if key in COUNTS_INSTEAD:
        return value is None
    return any(old == key and document.get(new) is not None for new, old in COUNTS_INSTEAD.items())


def _stated(document: Document) -> Stated:
    """Return the settings for the classes that `trl grpo` fills. A script can have others."""
    settings = tuple(
        Setting(str(key), COMPUTED if isinstance(value, dict | list) else value, document.place(str(key)), FILE)
        for key, value in document.table.items()
        if key != "env"
    )
    classes = ("trl.GRPOConfig", "trl.ModelConfig", "trl.ScriptArguments")
    return Stated(classes, settings, Place(document.path), is_complete=False, has_others=True)


def _model_settings(facts: Facts, document: Document) -> None:
    for key, fact in (("dtype", "plan.dtype"), ("torch_dtype", "plan.init_torch_dtype")):
        if isinstance(value := document.get("model_init_kwargs", key), str):
            state(facts, fact, value, document.place("model_init_kwargs", key))
    for key, bits in (("load_in_4bit", 4), ("load_in_8bit", 8)):
        if document.get(key) is True:
            state(facts, "plan.loaded_in_bits", bits, document.place(key))
    if document.get("use_peft") is True:
        rank, targets = document.get("lora_r"), document.get("lora_target_modules")
        state(facts, "plan.lora_rank", 16 if rank is None else rank, document.place("lora_r"))
        dropout = document.get("lora_dropout")
        state(facts, "plan.lora_dropout", 0.05 if dropout is None else dropout, document.place("lora_dropout"))
        state(facts, "plan.lora_targets", targets or [], document.place("lora_target_modules"))


def _environment(facts: Facts, document: Document) -> None:
    table = document.get("env")
    for name, value in table.items() if isinstance(table, dict) else ():
        if ENVIRONMENT.fullmatch(name) and isinstance(value, str | int | float):
            place = document.place("env", name)
            facts.set(f"env.{name}", str(value), str(place), place)
