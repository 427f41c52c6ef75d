"""The facts that `accelerate launch` determines: processes, devices, precision, DeepSpeed and FSDP."""

from __future__ import annotations

from vcompat.facts.facts import Facts
from vcompat.sources.reading.launchers.accelerate_options import AccelerateOptions, Option, number
from vcompat.sources.reading.settings import state

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
#: The words for flags, in lower case.
_FLAGS = {
    **dict.fromkeys(("y", "yes", "t", "true", "on", "1"), True),
    **dict.fromkeys(("n", "no", "f", "false", "off", "0"), False),
}
_DEEPSPEED, _FSDP = "deepspeed_config", "fsdp_config"
_SHARDED = ("plan.deepspeed_stage", "plan.fsdp", "plan.fsdp_version", "plan.fsdp_sharding")
_OFFLOAD = ("plan.optimizer_offload", "plan.parameter_offload")


def accelerate_facts(options: AccelerateOptions) -> Facts:
    """Return the facts that the options determine."""
    facts = Facts()
    backend = options.backend()
    if backend is None and options.config is None and not options.why_open:
        # Without a file and such an option, accelerate uses no more than several GPUs.
        backend = Option("MULTI_GPU or NO", options.where)
        facts.forget("plan.distributed_type", f"{options.where}: accelerate counts the GPUs", options.where)
    else:
        _record(facts, "plan.distributed_type", backend, options)
    _processes(facts, options, backend)
    _precision(facts, options)
    _devices(facts, options)
    if options.given.get("cpu"):
        state(facts, "plan.use_cpu", True, options.where, "--cpu")
    elif options.config is not None:
        _record(facts, "plan.use_cpu", options.get("use_cpu"), options)
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
        state(facts, fact, option.value, option.place, option.remark)


def _processes(facts: Facts, options: AccelerateOptions, backend: Option | None) -> None:
    machines, processes = options.get("num_machines", 1), options.get("num_processes")
    _record(facts, "plan.num_machines", machines, options)
    can_be_mpi = options.why_open or "mpirun_hostfile" in options.given
    if backend is not None and backend.value == "NO" and not can_be_mpi:
        for fact in ("plan.world_size", "plan.processes_per_machine"):
            state(facts, fact, 1, backend.place, "one process")
        return
    total, count = number(processes), number(machines)
    if processes is None or total is None:
        why = options.why_open or "accelerate starts one process per GPU"
        for fact in ("plan.world_size", "plan.processes_per_machine"):
            facts.forget(fact, f"{options.where}: {why}", options.where)
        return
    if "deepspeed_inclusion_filter" in options.given or "deepspeed_exclusion_filter" in options.given:
        facts.forget("plan.world_size", f"{options.where}: DeepSpeed selects the devices", options.where)
        return
    # Each machine starts the same number of processes.
    world = total // count * count if count else total
    state(facts, "plan.world_size", world, processes.place, processes.remark)
    if count:
        state(facts, "plan.processes_per_machine", total // count, processes.place, processes.remark)


def _precision(facts: Facts, options: AccelerateOptions) -> None:
    precision = options.get("mixed_precision", "no")
    if precision is not None and precision.value is False:
        # YAML 1.1 parses an unquoted `no` as false. accelerate accepts that.
        precision = precision._replace(value="no")
    _record(facts, "plan.mixed_precision", precision, options)


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
    _record(facts, "plan.optimizer_offload", options.get("offload_optimizer_device", "none", _DEEPSPEED), options)
    _record(facts, "plan.parameter_offload", options.get("offload_param_device", "none", _DEEPSPEED), options)


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
            _record_one_of(facts, fact, _by_flag(offload, "cpu", "none"), offload)


def _by_flag(option: Option, if_true: str, if_false: str) -> str | None:
    """Return what a flag stands for; None if accelerate's `str_to_bool` does not take its value."""
    flag = _FLAGS.get(str(option.value).lower())
    return None if flag is None else if_true if flag else if_false


def _sharding(facts: Facts, options: AccelerateOptions, version: int | None) -> None:
    strategy = options.get("fsdp_sharding_strategy", "FULL_SHARD", _FSDP)
    reshard = options.get("fsdp_reshard_after_forward", "true", _FSDP)
    used = strategy if version == 1 else reshard if version == 2 else None
    if used is None:
        _record(facts, "plan.fsdp_sharding", None, options)
    elif version == 1:
        _record_one_of(facts, "plan.fsdp_sharding", SHARDING.get(str(used.value).upper()), used)
    else:
        _record_one_of(facts, "plan.fsdp_sharding", _by_flag(used, "full", "gradients"), used)


def _record_one_of(facts: Facts, fact: str, value: str | None, option: Option) -> None:
    """Record what the value of `option` stands for; None if accelerate does not know it."""
    if value is None:
        facts.forget(fact, f"{option.place}: {option.value} is not known", option.place)
    else:
        state(facts, fact, value, option.place, option.remark)
