"""Configuration files: accelerate's, DeepSpeed's and TRL's."""

from __future__ import annotations

import json
from typing import Any

import yaml

from tests.oracle.chance import Chance
from tests.oracle.spelling import SETTINGS, VARIABLES, settings

_KINDS = ("MULTI_GPU", "DEEPSPEED", "FSDP", "NO")


def accelerate(chance: Chance, kinds: tuple[str, ...] = _KINDS) -> str:
    """Return a configuration of accelerate."""
    processes = chance.choice((2, 4, 8))
    content: dict[str, Any] = {
        "compute_environment": "LOCAL_MACHINE",
        "debug": False,
        "distributed_type": chance.choice(kinds),
        "downcast_bf16": "no",
        "machine_rank": 0,
        "main_training_function": "main",
        "mixed_precision": chance.choice(("no", "bf16", "fp16")),
        "num_machines": 1,
        "num_processes": processes,
        "rdzv_backend": "static",
        "same_network": True,
        "use_cpu": False,
    }
    if content["distributed_type"] == "DEEPSPEED":
        content["deepspeed_config"] = chance.choice(
            (_zero(chance), {"deepspeed_config_file": "ds.json", "zero3_init_flag": False})
        )
    if content["distributed_type"] == "FSDP":
        version = chance.choice((1, 2))
        content["fsdp_config"] = {"fsdp_version": version, "fsdp_auto_wrap_policy": "TRANSFORMER_BASED_WRAP"}
        content["fsdp_config"] |= (
            {"fsdp_sharding_strategy": "FULL_SHARD"} if version == 1 else {"fsdp_reshard_after_forward": True}
        )
    if content["distributed_type"] == "NO":
        content["num_processes"] = 1
    if chance.happens(20):
        content["gpu_ids"] = chance.choice(("all", "0,1"))
    for name in chance.some(sorted(content), chance.number(0, 2)):
        if name not in ("compute_environment", "distributed_type", "num_processes"):
            del content[name]
    return str(yaml.safe_dump(content, sort_keys=False))


def _zero(chance: Chance) -> dict[str, Any]:
    return {
        "gradient_accumulation_steps": chance.choice((1, 4)),
        "offload_optimizer_device": chance.choice(("none", "cpu")),
        "offload_param_device": "none",
        "zero3_init_flag": True,
        "zero_stage": chance.choice((1, 2, 3)),
    }


def deepspeed(chance: Chance) -> str:
    """Return a configuration of DeepSpeed."""
    zero: dict[str, Any] = {"stage": chance.choice((0, 1, 2, 3))}
    if chance.happens(40):
        zero["offload_optimizer"] = {"device": chance.choice(("cpu", "none"))}
    content = {
        "bf16": {"enabled": chance.choice((True, False, "auto"))},
        "zero_optimization": zero,
        "train_micro_batch_size_per_gpu": chance.choice(("auto", 2)),
        "gradient_accumulation_steps": chance.choice(("auto", 4)),
    }
    return json.dumps(content, indent=2)


def trl(chance: Chance, required: dict[str, Any]) -> str:
    """Return a configuration for TrlParser with `required` and other settings."""
    content = {**required, **settings(chance)}
    if chance.happens(30):
        variable = chance.choice(sorted(VARIABLES))
        content["env"] = {variable: chance.choice(VARIABLES[variable])}
    text = str(yaml.safe_dump(content, sort_keys=False))
    if chance.happens(20):
        name = chance.choice(sorted(SETTINGS))
        text += f"# {name}: {chance.choice(SETTINGS[name])}\n"
    return text
