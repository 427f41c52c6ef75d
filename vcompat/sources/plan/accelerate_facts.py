"""The facts that `accelerate launch` determines: processes, devices, precision, DeepSpeed and FSDP."""

from __future__ import annotations

from typing import Any

from vcompat.facts.facts import Facts
from vcompat.sources.plan.accelerate_config import DEFAULT_ZERO_STAGE, SHARDING
from vcompat.sources.plan.accelerate_options import AccelerateOptions, Option, number
from vcompat.sources.plan.settings import state

_DEEPSPEED, _FSDP = "deepspeed_config", "fsdp_config"
_SHARDED = ("plan.deepspeed_stage", "plan.fsdp", "plan.fsdp_version", "plan.fsdp_sharding")
_OFFLOAD = ("plan.optimizer_offload", "plan.parameter_offload")


def accelerate_facts(options: AccelerateOptions) -> Facts:
    """Return the facts that the options determine."""
    facts = Facts()
    backend = options.backend()
    _record(facts, "plan.distributed_type", backend, options)
    _processes(facts, options, backend)
    _precision(facts, options)
    _devices(facts, options)
    if options.given.get("cpu"):
        state(facts, "plan.use_cpu", True, options.where, "--cpu")
    elif options.config is not None:
        _record(facts, "plan.use_cpu", options.get("use_cpu", False), options)
    if backend is None:
        for fact in (*_SHARDED, *_OFFLOAD, "plan.deepspeed_accumulation_steps"):
            _record(facts, fact, None, options)
    elif backend.value == "DEEPSPEED":
        _without_fsdp(facts, backend)
        _deepspeed(facts, options)
    elif backend.value == "FSDP":
        state(facts, "plan.deepspeed_stage", 0, backend.place, "FSDP")
        _fsdp(facts, options, backend)
    else:
        state(facts, "plan.deepspeed_stage", 0, backend.place, f"distributed_type is {backend.value}")
        _without_fsdp(facts, backend)
    return facts


def _record(facts: Facts, fact: str, option: Option | None, options: AccelerateOptions) -> None:
    """Record the value of an option, or that it is not known."""
    if option is None:
        why = options.why_open or "computed at run time"
        facts.forget(fact, f"{options.where}: {why}", options.where)
    else:
        state(facts, fact, _number(option.value), option.place, option.remark)


def _number(value: Any) -> Any:
    return int(value) if isinstance(value, str) and value.isdigit() and len(value) < 10 else value


def _processes(facts: Facts, options: AccelerateOptions, backend: Option | None) -> None:
    machines, processes = options.get("num_machines", 1), options.get("num_processes")
    _record(facts, "plan.num_machines", machines, options)
    single = backend is not None and backend.value == "NO"
    if single and "mpirun_hostfile" not in options.given and not options.why_open:
        state(facts, "plan.world_size", 1, backend.place if backend else options.where, "one process")
        state(facts, "plan.processes_per_machine", 1, backend.place if backend else options.where, "one process")
        return
    if processes is None or number(processes) is None:
        why = options.why_open or "accelerate starts one process per GPU"
        for fact in ("plan.world_size", "plan.processes_per_machine"):
            facts.forget(fact, f"{options.where}: {why}", options.where)
        return
    total, count = number(processes) or 0, number(machines)
    filtered = any(name in options.given for name in ("deepspeed_inclusion_filter", "deepspeed_exclusion_filter"))
    if filtered:
        facts.forget("plan.world_size", f"{options.where}: DeepSpeed selects the devices", options.where)
        return
    # Each machine starts the same number of processes.
    each = total // count if count else None
    world = each * count if each is not None and count else total
    state(facts, "plan.world_size", world, processes.place, processes.remark)
    if each is not None:
        state(facts, "plan.processes_per_machine", each, processes.place, processes.remark)


def _precision(facts: Facts, options: AccelerateOptions) -> None:
    precision = options.get("mixed_precision", "no")
    if precision is not None:
        # YAML 1.1 parses an unquoted `no` as false. accelerate accepts that.
        value = "no" if precision.value in (False, None) else precision.value
        state(facts, "plan.mixed_precision", value, precision.place, precision.remark)
    else:
        _record(facts, "plan.mixed_precision", None, options)


def _devices(facts: Facts, options: AccelerateOptions) -> None:
    """Record the devices of `--gpu_ids`, for which accelerate sets CUDA_VISIBLE_DEVICES."""
    devices = options.get("gpu_ids")
    if devices is None:
        if "gpu_ids" in options.given:
            for fact in ("plan.trainer_devices", "env.CUDA_VISIBLE_DEVICES"):
                _record(facts, fact, None, options)
    elif devices.value is not None and str(devices.value).lower() != "all":
        text = str(devices.value)
        state(facts, "plan.trainer_devices", [device.strip() for device in text.split(",")], devices.place)
        facts.set("env.CUDA_VISIBLE_DEVICES", text, f"{devices.place}, gpu_ids", devices.place)


def _without_fsdp(facts: Facts, backend: Option) -> None:
    for fact in ("plan.fsdp", "plan.fsdp_version"):
        state(facts, fact, None, backend.place, f"distributed_type is {backend.value}")


def _deepspeed(facts: Facts, options: AccelerateOptions) -> None:
    file = options.get("deepspeed_config_file", None, _DEEPSPEED)
    if file is None or file.value is not None:
        for fact in ("plan.deepspeed_stage", *_OFFLOAD, "plan.deepspeed_accumulation_steps"):
            facts.forget(fact, f"{options.where}: set in DeepSpeed's configuration file", options.where)
        return
    _record(facts, "plan.deepspeed_stage", options.get("zero_stage", DEFAULT_ZERO_STAGE, _DEEPSPEED), options)
    steps = options.get("gradient_accumulation_steps", None, _DEEPSPEED)
    if steps is None or number(steps) is not None:
        _record(facts, "plan.deepspeed_accumulation_steps", steps, options)
    for name, fact in zip(("offload_optimizer_device", "offload_param_device"), _OFFLOAD, strict=True):
        _record(facts, fact, options.get(name, "none", _DEEPSPEED), options)


def _fsdp(facts: Facts, options: AccelerateOptions, backend: Option) -> None:
    state(facts, "plan.fsdp", "fsdp_config", backend.place)
    version = options.get("fsdp_version", 1, _FSDP)
    _record(facts, "plan.fsdp_version", version, options)
    _sharding(facts, options, number(version))
    offload = options.get("fsdp_offload_params", "false", _FSDP)
    for fact in _OFFLOAD:
        if offload is None:
            _record(facts, fact, None, options)
        else:
            device = "cpu" if str(offload.value).lower() in ("true", "1", "yes", "on") else "none"
            state(facts, fact, device, offload.place, offload.remark)


def _sharding(facts: Facts, options: AccelerateOptions, version: int | None) -> None:
    strategy = options.get("fsdp_sharding_strategy", None, _FSDP)
    reshard = options.get("fsdp_reshard_after_forward", None, _FSDP)
    used = {1: strategy, 2: reshard}.get(version or 0)
    if used is None:
        _record(facts, "plan.fsdp_sharding", None, options)
    elif used.value is None:
        state(facts, "plan.fsdp_sharding", "full", options.where, "accelerate's default")
    elif version == 1:
        _record_sharding(facts, SHARDING.get(str(used.value).upper()), used)
    else:
        _record_sharding(facts, {"true": "full", "false": "gradients"}.get(str(used.value).lower()), used)


def _record_sharding(facts: Facts, sharding: str | None, option: Option) -> None:
    if sharding is None:
        facts.forget("plan.fsdp_sharding", f"{option.place}: {option.value} is not known", option.place)
    else:
        state(facts, "plan.fsdp_sharding", sharding, option.place, option.remark)
