"""Reads accelerate's configuration file, as written by `accelerate config`."""

from __future__ import annotations

from vcompat.facts.facts import Facts
from vcompat.sources.plan.document import Document
from vcompat.sources.plan.part import Mention, Part
from vcompat.sources.plan.settings import state

#: The default ZeRO stage of accelerate's DeepSpeedPlugin (`ACCELERATE_DEEPSPEED_ZERO_STAGE`).
DEFAULT_ZERO_STAGE = 2

#: FSDP's sharding strategies, by accelerate's name and number.
SHARDING = {
    "FULL_SHARD": "full",
    "1": "full",
    "SHARD_GRAD_OP": "gradients",
    "2": "gradients",
    "NO_SHARD": "none",
    "3": "none",
    "HYBRID_SHARD": "full",
    "4": "full",
    "HYBRID_SHARD_ZERO2": "gradients",
    "5": "gradients",
}


def read_accelerate_config(document: Document) -> Part:
    """Read the number of processes and machines, mixed precision, and the DeepSpeed or FSDP settings."""
    facts = Facts()
    state(facts, "plan.launcher", "accelerate", document.place())
    for key, fact in (
        ("num_processes", "plan.world_size"),
        ("num_machines", "plan.num_machines"),
        ("distributed_type", "plan.distributed_type"),
        ("use_cpu", "plan.use_cpu"),
    ):
        if (value := document.get(key)) is not None:
            state(facts, fact, value, document.place(key))
    precision = document.get("mixed_precision")
    if precision is not None:
        # YAML 1.1 parses an unquoted `no` as false. accelerate accepts that.
        state(
            facts, "plan.mixed_precision", "no" if precision is False else precision, document.place("mixed_precision")
        )
    if isinstance(devices := document.get("gpu_ids"), str) and devices.lower() != "all":
        state(facts, "plan.trainer_devices", [d.strip() for d in devices.split(",")], document.place("gpu_ids"))
    kind = str(document.get("distributed_type") or "").upper()
    return Part(facts, mentions=tuple(_deepspeed(facts, document, kind) + _fsdp(facts, document, kind)))


def _deepspeed(facts: Facts, document: Document, kind: str) -> list[Mention]:
    if kind != "DEEPSPEED":
        if kind:
            state(facts, "plan.deepspeed_stage", 0, document.place("distributed_type"), f"distributed_type is {kind}")
        return []
    section = "deepspeed_config"
    file = document.get(section, "deepspeed_config_file")
    if isinstance(file, str):
        return [Mention(file, "deepspeed", document.place(section, "deepspeed_config_file"))]
    stage = document.get(section, "zero_stage")
    place = document.place(section, "zero_stage")
    remark = "" if stage is not None else "accelerate's default"
    state(facts, "plan.deepspeed_stage", DEFAULT_ZERO_STAGE if stage is None else stage, place, remark)
    accumulation = document.get(section, "gradient_accumulation_steps")
    if isinstance(accumulation, int):
        state(
            facts,
            "plan.deepspeed_accumulation_steps",
            accumulation,
            document.place(section, "gradient_accumulation_steps"),
        )
    for key, fact in (
        ("offload_optimizer_device", "plan.optimizer_offload"),
        ("offload_param_device", "plan.parameter_offload"),
    ):
        value = document.get(section, key)
        state(facts, fact, "none" if value is None else value, document.place(section, key))
    return []


def _fsdp(facts: Facts, document: Document, kind: str) -> list[Mention]:
    if kind != "FSDP":
        if kind:
            for fact in ("plan.fsdp", "plan.fsdp_version"):
                state(facts, fact, None, document.place("distributed_type"), f"distributed_type is {kind}")
        return []
    section = "fsdp_config"
    place = document.place(section)
    version = document.get(section, "fsdp_version")
    state(facts, "plan.fsdp", "fsdp_config", place)
    state(facts, "plan.fsdp_version", 1 if version is None else version, document.place(section, "fsdp_version"))
    if (strategy := document.get(section, "fsdp_sharding_strategy")) is not None:
        where, sharding = document.place(section, "fsdp_sharding_strategy"), SHARDING.get(str(strategy).upper())
        if sharding is None:
            facts.forget("plan.fsdp_sharding", f"{where}: {strategy} is not known", where)
        else:
            state(facts, "plan.fsdp_sharding", sharding, where)
    elif (reshard := document.get(section, "fsdp_reshard_after_forward")) is not None:
        sharding = SHARDING.get(str(reshard).upper(), "full" if str(reshard).lower() == "true" else "gradients")
        state(facts, "plan.fsdp_sharding", sharding, document.place(section, "fsdp_reshard_after_forward"))
    else:
        state(facts, "plan.fsdp_sharding", "full", place, "accelerate's default")
    offloaded = "cpu" if document.get(section, "fsdp_offload_params") is True else "none"
    for fact in ("plan.optimizer_offload", "plan.parameter_offload"):
        state(facts, fact, offloaded, document.place(section, "fsdp_offload_params"))
    return []
