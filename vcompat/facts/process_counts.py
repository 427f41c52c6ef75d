"""The processes of a run: how many there are, on which GPUs, how they share the model, and their batches."""

from __future__ import annotations

from packaging.version import Version

from vcompat.facts.facts import Facts
from vcompat.facts.value import FactValue


def set_launcher(facts: Facts) -> None:
    """Derive the launcher and the world size from the environment variables of a rank."""
    world_size = facts.value("env.WORLD_SIZE")
    if isinstance(world_size, str) and world_size.isdecimal() and len(world_size) < 10:
        facts.offer("plan.world_size", int(world_size), "env.WORLD_SIZE")
    if isinstance(facts.value("env.TORCHELASTIC_RUN_ID"), str):
        facts.offer("plan.launcher", "torchrun", "env.TORCHELASTIC_RUN_ID")
    elif isinstance(facts.value("env.RANK"), str):
        facts.offer("plan.launcher", "launcher", "env.RANK")


#: What is known of each GPU, in CUDA's order.
_OF_EACH = tuple(f"gpu.{name}" for name in ("compute_capability", "name", "memory_mib", "mig"))


def set_devices(facts: Facts) -> None:
    """Limit the GPUs to those that a run file names in ``CUDA_VISIBLE_DEVICES``; if it computes them, to some."""
    variable, count = "env.CUDA_VISIBLE_DEVICES", facts.value("gpu.count")
    known, place = facts.get(variable), facts.open_at(variable)
    if not isinstance(count, int):
        return
    if place is not None and count > 1 and not facts.is_by_hand("gpu.count"):
        facts.forget("gpu.count", f"of {count} GPUs: {facts.why_unknown(variable)}", place, range(count + 1))
        for name in _OF_EACH:
            each = facts.value(name)
            if isinstance(each, tuple) and len(set(each)) > 1:
                facts.forget(name, facts.why_unknown("gpu.count"), place)
    if known is None or known.place is None or not isinstance(known.value, str):
        return
    devices = [device for device in known.value.split(",") if device.strip()]
    if len(devices) < count:
        facts.set("gpu.count", len(devices), f"CUDA_VISIBLE_DEVICES in {known.source}", known.place)
        for name in _OF_EACH:
            values = facts.get(name)
            if values is not None and isinstance(values.value, tuple):
                facts.set(name, values.value[: len(devices)], values.source, values.place)


def set_processes(facts: Facts) -> None:
    """Derive the world size from launchers that start one process per GPU, and the processes per machine."""
    launcher, gpus = facts.value("plan.launcher"), facts.value("gpu.count")
    machines = facts.value("plan.num_machines")
    if launcher == "python":
        facts.offer("plan.world_size", 1, "python starts one process")
    if launcher in ("accelerate", "deepspeed") and isinstance(gpus, int) and gpus:
        facts.offer(
            "plan.world_size",
            gpus * (machines if isinstance(machines, int) else 1),
            f"{launcher} starts one process per GPU",
        )
    world_size = facts.value("plan.world_size")
    if isinstance(world_size, int) and isinstance(gpus, int) and 0 < world_size <= gpus:
        facts.offer("plan.num_machines", 1, "plan.world_size is at most gpu.count")
        machines = facts.value("plan.num_machines")
    if isinstance(world_size, int) and isinstance(machines, int) and machines and world_size % machines == 0:
        facts.offer("plan.processes_per_machine", world_size // machines, "plan.world_size / plan.num_machines")


def set_plain_parallelism(facts: Facts) -> None:
    """Derive that DeepSpeed and FSDP are off: without accelerate's file, only TrainingArguments enables them."""
    launcher, deepspeed = facts.value("plan.launcher"), facts.get("plan.deepspeed")
    if launcher not in ("python", "modal", "torchrun", "srun", "deepspeed") or facts.get("plan.configuration") is None:
        return
    if deepspeed is None and not facts.is_open("plan.deepspeed"):
        facts.offer("plan.deepspeed_stage", 0, f"launched with {launcher}, no DeepSpeed configuration is set")
    if facts.get("plan.fsdp") is None:
        facts.offer("plan.fsdp", None, f"launched with {launcher}, FSDP is not enabled")


#: The settings that transformers substitutes for "auto" in DeepSpeed's configuration
#: (`HfTrainerDeepSpeedConfig.trainer_config_process`).
AUTOMATIC = {
    "deepspeed_micro_batch_size": "per_device_train_batch_size",
    "deepspeed_accumulation_steps": "gradient_accumulation_steps",
    "deepspeed_bf16": "bf16",
    "deepspeed_fp16": "fp16",
}


def set_deepspeed_auto(facts: Facts) -> None:
    """Derive what "auto" in DeepSpeed's configuration stands for."""
    automatic = facts.get("plan.deepspeed_auto")
    for name in automatic.value if automatic and isinstance(automatic.value, tuple) else ():
        setting = facts.get(f"plan.{AUTOMATIC.get(str(name), '')}")
        if automatic and setting is not None:
            source = f'"auto" in {automatic.source}: {setting.source}'
            facts.offer(f"plan.{name}", setting.value, source)
    if automatic is None and facts.get("plan.deepspeed_stage") is not None:
        for name in AUTOMATIC:
            facts.offer(f"plan.{name}", None, "no DeepSpeed configuration file")


def set_after_init(facts: Facts) -> None:
    """Derive what a configuration of TRL makes of settings that are None: its ``__post_init__``.

    GRPOConfig sets bf16 since 0.19, where its default became None, and steps_per_generation since 0.18. Without what
    they follow from, they are not known.
    """
    trl, configuration = facts.value("packages.trl"), facts.value("plan.configuration", "GRPOConfig")
    if configuration != "GRPOConfig" or (isinstance(trl, Version) and trl < Version("0.18.0")):
        return
    known = trl if isinstance(trl, Version) else None
    if _is_none(facts, "plan.bf16") and (known is None or known >= Version("0.19.0")):
        half = facts.get("plan.fp16") if known is not None else None
        _follow(facts, "plan.bf16", None if half is None else not half.value, "fp16")
    states_batch = facts.get("plan.generation_batch_size") is not None or facts.is_open("plan.generation_batch_size")
    if _is_none(facts, "plan.steps_per_generation") and states_batch:
        _follow(facts, "plan.steps_per_generation", _steps(facts) if known is not None else None, "the batch sizes")


def _steps(facts: Facts) -> FactValue:
    """Return how many micro-steps use one generation, if that is not stated; None if it is not known."""
    batch, accumulated = facts.get("plan.generation_batch_size"), facts.get("plan.gradient_accumulation_steps")
    if batch is not None and batch.value is None:
        return accumulated.value if accumulated is not None else None
    each, processes = facts.value("plan.per_device_train_batch_size"), facts.value("plan.world_size")
    if batch is None or not (isinstance(batch.value, int) and isinstance(each, int) and isinstance(processes, int)):
        return None
    return batch.value // (each * processes) if each * processes else None


def _follow(facts: Facts, name: str, value: FactValue, setting: str) -> None:
    """Set what TRL sets by another setting; forget it if that is not known."""
    if value is None and not facts.is_by_hand(name):
        facts.forget(name, f"TRL sets it by {setting}, which is not known, or in some releases only")
    elif value is not None:
        facts.set(name, value, f"TRL {facts.value('packages.trl')}: by {setting}")


def _is_none(facts: Facts, name: str) -> bool:
    known = facts.get(name)
    return known is not None and known.value is None


def set_batches(facts: Facts) -> None:
    """Derive the batch sizes as TRL does: `GRPOConfig.__post_init__`, before 0.18 `GRPOTrainer.__init__`."""
    trl = facts.value("packages.trl")
    each, processes = facts.value("plan.per_device_train_batch_size"), facts.value("plan.world_size")
    evaluated = facts.value("plan.per_device_eval_batch_size")
    if isinstance(evaluated, int) and isinstance(processes, int):
        facts.offer("plan.global_eval_batch_size", evaluated * processes, "per_device_eval_batch_size x world size")
    if not (isinstance(each, int) and isinstance(processes, int) and isinstance(trl, Version)):
        return
    facts.offer("plan.global_batch_size", each * processes, "per_device_train_batch_size x world size")
    stated = facts.get("plan.generation_batch_size")
    is_given = facts.is_open("plan.generation_batch_size") or (stated is not None and stated.value is not None)
    if is_given or facts.value("plan.configuration", "GRPOConfig") != "GRPOConfig":
        return
    steps = _steps_per_generation(facts, trl)
    if steps is not None:
        how = "per_device_train_batch_size x world size"
        how += " x steps per generation" if trl >= Version("0.17.0") else ""
        facts.set("plan.generation_batch_size", each * processes * steps, f"TRL {trl}: {how}")


def _steps_per_generation(facts: Facts, trl: Version) -> int | None:
    """Return how many batches of the trainer one generation fills; None if it is not known."""
    if trl.is_devrelease and Version(trl.base_version) in (Version("0.17.0"), Version("0.18.0")):
        return None
    steps = facts.get("plan.steps_per_generation")
    if steps is None and trl >= Version("0.18.0"):
        return None
    if steps is None or steps.value is None:
        if trl < Version("0.17.0"):
            return 1
        steps = facts.get("plan.gradient_accumulation_steps")
    return steps.value if steps is not None and isinstance(steps.value, int) else None
