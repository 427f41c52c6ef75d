"""What an execution means in facts: for each training, the values that a stated fact may have."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from typing import Any

from vcompat.facts.vocabulary import VOCABULARY

Possible = dict[str, list[Any]]
"""The values of each fact that are true of a training: more than one if the script changes it after the trainer exists."""

#: Facts that are not the setting of their name.
_NOT_SETTINGS = ("plan.dtype", "plan.fsdp", "plan.deepspeed_stage", "plan.use_cache", "plan.model", "plan.trainer")
_ENGINE = (
    "tensor_parallel_size distributed_executor_backend enable_prefix_caching enable_chunked_prefill enable_sleep_mode "
    "max_model_len quantization kv_cache_dtype"
).split()


def trainings(events: list[dict[str, Any]]) -> list[Possible]:
    """Return the facts of each training; of each trainer, if none of them trains."""
    groups: dict[tuple[int, int], list[dict[str, Any]]] = {}
    for event in events:
        if event["event"] in ("construct", "train"):
            groups.setdefault((event["pid"], event["number"]), []).append(event)
    trained = [group for group in groups.values() if any(event["event"] == "train" for event in group)]
    engines = [event for event in events if event["event"] == "engine"]
    servers = [event for event in events if event["event"] == "server"]
    found = []
    for group in trained or list(groups.values()) or [[event] for event in engines]:
        facts: Possible = {}
        for event in group:
            for name, value in {**_of_trainer(event), **_of_launch(event), **_of_servers(servers)}.items():
                facts.setdefault(name, []).append(value)
        for engine in engines:
            _add_engine(facts, engine["arguments"])
        for name in ("trainer", "configuration"):
            facts[f"plan.{name}"] = [value for event in group for value in event.get(name, ())]
        facts["env"] = [event["env"] for event in group]
        found.append(facts)
    return found


def _of_trainer(event: Mapping[str, Any]) -> dict[str, Any]:
    if event["event"] == "engine":
        return {"plan.model": event["model"]} if isinstance(event["model"], str) else {}
    settings = event["settings"]
    facts = {
        f"plan.{name}": value
        for name, value in settings.items()
        if f"plan.{name}" in VOCABULARY and f"plan.{name}" not in _NOT_SETTINGS
    }
    facts["plan.peft"] = event["peft"]
    if event["modules_to_save"]:
        facts["plan.modules_to_save"] = event["modules_to_save"]
    if isinstance(event["model"], str):
        facts["plan.model"] = event["model"]
    if not event["env"].get("ACCELERATE_USE_FSDP"):
        facts["plan.fsdp"] = settings.get("fsdp") or None
    if event["env"].get("ACCELERATE_USE_CPU") == "True":
        facts["plan.use_cpu"] = True
    facts["plan.patched"] = event["patched"]
    facts["plan.trainer_devices"] = _devices(event["env"])
    return facts | _of_model(event) | _of_deepspeed(event["deepspeed"])


def _of_model(event: Mapping[str, Any]) -> dict[str, Any]:
    arguments, old = event["model_arguments"], None
    facts = {}
    if arguments is None:
        arguments = event["settings"].get("model_init_kwargs") or {}
        dtype = arguments.get("dtype") if isinstance(arguments, dict) else None
        old = arguments.get("torch_dtype") if isinstance(arguments, dict) else None
    else:
        dtype = arguments.get("dtype", arguments.get("torch_dtype")) if isinstance(arguments, dict) else None
    if isinstance(old, str):
        facts["plan.init_torch_dtype"] = old
    if isinstance(dtype, str) and dtype != "auto":
        facts["plan.dtype"] = dtype
    if isinstance(arguments, dict) and "use_cache" in arguments:
        facts["plan.use_cache"] = arguments["use_cache"]
    if isinstance(arguments, dict) and "fast_inference" in arguments:
        facts |= _of_unsloth(arguments)
    return facts


def _of_unsloth(arguments: Mapping[str, Any]) -> dict[str, Any]:
    names = ("max_seq_length", "fast_inference", "gpu_memory_utilization", "max_lora_rank")
    facts = {f"plan.{name}": arguments[name] for name in names if name in arguments}
    bits = 8 if arguments["load_in_8bit"] else 4 if arguments["load_in_4bit"] else None
    return {**facts, "plan.loaded_in_bits": bits}


def _of_deepspeed(configuration: Any) -> dict[str, Any]:
    if configuration is None:
        return {"plan.deepspeed_stage": 0}
    zero = configuration.get("zero_optimization", {})
    facts = {"plan.deepspeed_stage": zero.get("stage", 0)}
    for name, section in (("optimizer_offload", "offload_optimizer"), ("parameter_offload", "offload_param")):
        facts[f"plan.{name}"] = (zero.get(section) or {}).get("device") or "none"
    for name, key in (
        ("micro_batch_size", "train_micro_batch_size_per_gpu"),
        ("accumulation_steps", "gradient_accumulation_steps"),
    ):
        if isinstance(configuration.get(key), int):
            facts[f"plan.deepspeed_{name}"] = configuration[key]
    for name in ("bf16", "fp16"):
        enabled = configuration.get(name, {}).get("enabled")
        if isinstance(enabled, bool):
            facts[f"plan.deepspeed_{name}"] = enabled
    return facts


def _of_launch(event: Mapping[str, Any]) -> dict[str, Any]:
    return {f"plan.{name}": value for name, value in event["launch"].items()}


def _of_servers(servers: list[dict[str, Any]]) -> dict[str, Any]:
    facts: dict[str, Any] = {"plan.server_started": bool(servers)}
    if servers:
        facts["plan.server_devices"] = _devices(servers[0]["env"])
        parser = argparse.ArgumentParser()
        parser.add_argument("--data_parallel_size", "--data-parallel-size", type=int, default=1)
        facts["plan.server_data_parallel_size"] = parser.parse_known_args(servers[0]["words"])[0].data_parallel_size
    return facts


def _devices(environment: Mapping[str, str]) -> list[str] | None:
    text = environment.get("CUDA_VISIBLE_DEVICES")
    return None if text is None else [item for item in text.split(",") if item]


def _add_engine(facts: Possible, arguments: Mapping[str, Any]) -> None:
    """Add the arguments of one engine. A fact has to be true of every engine, so the values go into one list each."""
    stated = {f"plan.{name}": arguments[name] for name in _ENGINE if name in arguments}
    if "seed" in arguments:
        stated["plan.llm_seed"] = arguments["seed"]
    if "speculative_config" in arguments:
        stated["plan.speculative_config"] = arguments["speculative_config"] is not None
    for name, value in stated.items():
        facts.setdefault(name, []).append(value)
