"""Reads DeepSpeed's configuration, from a file or from a dictionary in a script.

transformers' `HfTrainerDeepSpeedConfig.trainer_config_process` replaces ``auto`` with a setting of TrainingArguments.
This module records which settings are ``auto``; ``derive`` fills in their values.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from vcompat.facts.facts import Facts, Place
from vcompat.facts.stated import Stated
from vcompat.sources.reading.configurations.stated_keys import stated_keys
from vcompat.sources.reading.document import Document
from vcompat.sources.reading.part import Part
from vcompat.sources.reading.settings import state

#: Keys of the configuration and their facts.
_FACTS: Mapping[tuple[str, ...], str] = {
    ("train_micro_batch_size_per_gpu",): "plan.deepspeed_micro_batch_size",
    ("gradient_accumulation_steps",): "plan.deepspeed_accumulation_steps",
    ("bf16", "enabled"): "plan.deepspeed_bf16",
    ("fp16", "enabled"): "plan.deepspeed_fp16",
}
#: Keys whose default depends on the stage or the release, so that only what is written is a fact.
_STATED_ONLY: Mapping[tuple[str, ...], str] = {
    ("bf16", "bf16_optimizer_states"): "plan.deepspeed_bf16_optimizer_states",
    ("zero_optimization", "overlap_comm"): "plan.deepspeed_overlap_comm",
}


def read_deepspeed_config(document: Document) -> Part:
    """Read the settings of a DeepSpeed configuration file."""
    facts = Facts()
    state_table(facts, document.table, lambda keys: document.place(*keys))
    return Part(facts)


def state_table(facts: Facts, table: Mapping[str, Any], place_of: Callable[[tuple[str, ...]], Place]) -> None:
    """Record the settings in `table`. `place_of` returns the position of a key."""
    automatic = []
    for keys, fact in _FACTS.items():
        value = _at(table, keys)
        if value == "auto":
            automatic.append(fact.removeprefix("plan."))
        elif value is not None:
            state(facts, fact, value, place_of(keys))
        elif keys[-1] == "enabled":
            state(facts, fact, False, place_of(keys[:1]), "DeepSpeed's default")
    state(facts, "plan.deepspeed_auto", automatic, place_of(()))
    clipping = _at(table, ("gradient_clipping",))
    if clipping != "auto":
        remark = "not in the file" if clipping is None else ""
        state(facts, "plan.deepspeed_gradient_clipping", clipping, place_of(("gradient_clipping",)), remark)
    for keys, fact in _STATED_ONLY.items():
        if (value := _at(table, keys)) is not None:
            state(facts, fact, value, place_of(keys))
    _zero(facts, table, place_of)
    facts.stated += tuple(_sections(table, place_of))


#: The sections whose keys are the fields of one class, which refuses others; in releases without the class, nothing is
#: known of them. DeepSpeed ignores other keys at the top.
_CLASSES: Mapping[tuple[str, ...], str] = {
    (): "deepspeed.DeepSpeedConfig",
    ("bf16",): "deepspeed.DeepSpeedBF16Config",
    ("fp16",): "deepspeed.DeepSpeedFP16Config",
    ("comms_logger",): "deepspeed.CommsLoggerConfig",
    ("compile",): "deepspeed.CompileConfig",
    ("csv_monitor",): "deepspeed.CSVConfig",
    ("comet",): "deepspeed.CometConfig",
    ("hybrid_engine",): "deepspeed.HybridEngineConfig",
    ("tensorboard",): "deepspeed.TensorBoardConfig",
    ("wandb",): "deepspeed.WandbConfig",
    ("zero_optimization",): "deepspeed.DeepSpeedZeroConfig",
    ("zero_optimization", "offload_optimizer"): "deepspeed.DeepSpeedZeroOffloadOptimizerConfig",
    ("zero_optimization", "offload_param"): "deepspeed.DeepSpeedZeroOffloadParamConfig",
}


#: The sections whose keys DeepSpeed reads one by one, and ignores others.
_READ_BY_KEY = tuple(
    "activation_checkpointing aio checkpoint data_types flops_profiler optimizer scheduler torch_autocast".split()
)
#: A key that is meant for DeepSpeed. Others, such as `_comment`, are not.
_KEY = re.compile(r"[A-Za-z]\w*")


def _sections(table: Mapping[str, Any], place_of: Callable[[tuple[str, ...]], Place]) -> Iterator[Stated]:
    for keys, kind in _CLASSES.items():
        section = _at(table, keys)
        if isinstance(section, Mapping):
            section = section if keys else {key: value for key, value in section.items() if _KEY.fullmatch(str(key))}
            yield stated_keys(kind, section, _below(place_of, keys), place_of(keys))
    for name in _READ_BY_KEY:
        section = table.get(name)
        if isinstance(section, Mapping):
            meant = {key: value for key, value in section.items() if _KEY.fullmatch(str(key))}
            stated = stated_keys(_CLASSES[()], meant, _below(place_of, (name,)), place_of((name,)))
            yield stated._replace(is_section=True)


def _below(place_of: Callable[[tuple[str, ...]], Place], keys: tuple[str, ...]) -> Callable[[str], Place]:
    return lambda key: place_of((*keys, key))


def _zero(facts: Facts, table: Mapping[str, Any], place_of: Callable[[tuple[str, ...]], Place]) -> None:
    section = "zero_optimization"
    if not isinstance(table.get(section, {}), Mapping):
        place = place_of((section,))
        for fact in ("plan.deepspeed_stage", "plan.optimizer_offload", "plan.parameter_offload"):
            facts.forget(fact, f"{place}: {section} is not a table", place)
        return
    stage = _at(table, (section, "stage"))
    remark = "" if stage is not None else "DeepSpeed's default"
    state(facts, "plan.deepspeed_stage", 0 if stage is None else stage, place_of((section, "stage")), remark)
    for key, fact in (("offload_optimizer", "plan.optimizer_offload"), ("offload_param", "plan.parameter_offload")):
        device = _at(table, (section, key, "device"))
        state(facts, fact, "none" if device is None else device, place_of((section, key, "device")))


def _at(table: Mapping[str, Any], keys: tuple[str, ...]) -> Any:
    value: Any = table
    for key in keys:
        value = value.get(key) if isinstance(value, Mapping) else None
    return value
