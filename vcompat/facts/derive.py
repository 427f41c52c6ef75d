"""Facts derived from other facts: the values that upstream releases use for settings that are not set.

A known fact is never replaced, and nothing is derived from an unknown fact. Each function derives one group of facts;
`derive` calls them in order of their dependencies.
"""

from __future__ import annotations

from collections.abc import Callable

from packaging.version import Version

from vcompat.facts.absent import set_absent
from vcompat.facts.alone import is_alone, presume_start
from vcompat.facts.attention import set_attention_backend
from vcompat.facts.bitsandbytes import set_bitsandbytes
from vcompat.facts.data_types import state_data_types
from vcompat.facts.defaults import common_defaults, defaults_of
from vcompat.facts.driver import set_runs_on_driver
from vcompat.facts.estimates import estimate
from vcompat.facts.facts import Facts
from vcompat.facts.frameworks import replaces_trl, set_unsloth
from vcompat.facts.ignored import drop_ignored
from vcompat.facts.kernels import set_kernels, set_vllm_build
from vcompat.facts.model_kinds import set_model_kinds
from vcompat.facts.presumption import RELEASE, Presumption
from vcompat.facts.ptx import set_ptx
from vcompat.facts.serving import set_model_support
from vcompat.facts.triton import set_triton
from vcompat.facts.value import FactValue, show_candidates

V0, V1 = "v0", "v1"
#: The packages from whose versions facts are derived.
DERIVED_FROM = frozenset({"trl", "transformers", "vllm", "torch", "bitsandbytes", "flashinfer", "triton"})


def derive(facts: Facts, takes_defaults: bool = False) -> Facts:
    """Return a copy of `facts` with the derived facts added.

    `takes_defaults` means that the run files set every setting that differs from TRL's defaults. What follows from
    likely facts is likely, and presumes what they do.
    """
    has_likely = facts.has_likely or (takes_defaults and facts.get("packages.trl") is None) or is_alone(facts)
    result = _derived(facts.certain() if has_likely else facts, takes_defaults)
    if has_likely:
        presumed = facts.presumed()
        presume_start(presumed)
        _likely_defaults(presumed, takes_defaults)
        result.add_presumed(_derived(presumed, takes_defaults))
    return result


def _derived(facts: Facts, takes_defaults: bool) -> Facts:
    result = facts.copy()
    drop_ignored(result)
    is_trls = not replaces_trl(result)
    if takes_defaults and is_trls:
        _trl_defaults(result)
    with result.attributing():
        set_unsloth(result, takes_defaults)
    for step in _STEPS:
        if step in _OF_TRLS_TRAINER and not is_trls:
            continue
        with result.attributing():
            step(result)
    return result


def _likely_defaults(facts: Facts, takes_defaults: bool) -> None:
    """Set TRL's defaults where the run files presumably set what differs from them, or where no release is known.

    Without a release, only those that all releases have which the project allows.
    """
    presumes = () if takes_defaults else facts.whole
    trl = facts.get("packages.trl")
    if presumes is None or (trl is not None and trl.value is None) or replaces_trl(facts):
        return
    configuration = str(facts.value("plan.configuration", "GRPOConfig"))
    if trl is not None:
        defaults = defaults_of(configuration, lambda package: facts.value(f"packages.{package}"))
        source = f"default of TRL {trl.value}"
        presumes = (*presumes, *trl.presumes)
    else:
        allowed = tuple(one for one in facts.candidates("packages.trl") if isinstance(one, Version))
        defaults = common_defaults(configuration, allowed)
        which = f"TRL {show_candidates(allowed)}" if allowed else "all recorded releases of TRL"
        source = f"default of {which}"
        presumes = (*presumes, Presumption(RELEASE, f"the release of TRL is among {which}"))
    for setting, value in defaults:
        facts.offer(f"plan.{setting}", value, source, presumes=presumes)


def _trl_defaults(facts: Facts) -> None:
    trl, configuration = facts.value("packages.trl"), facts.value("plan.configuration", "GRPOConfig")
    if isinstance(trl, Version):
        source = f"default of TRL {trl}"
        for setting, value in defaults_of(str(configuration), lambda package: facts.value(f"packages.{package}")):
            facts.offer(f"plan.{setting}", value, source)
        facts.offer("plan.loaded_in_bits", None, f"{source}: load_in_4bit and load_in_8bit are false")


#: Packages that an installer chooses with another one, so that those at hand say nothing about another release of it.
_COMPANIONS = {
    "transformers": ("tokenizers", "huggingface-hub"),
    "torch": ("torchvision", "torchaudio", "triton", "nccl"),
    "vllm": ("flashinfer", "flashinfer-cubin", "compressed-tensors", "xformers", "numba", "openai"),
}


def _companions(facts: Facts) -> None:
    """Make unknown what is installed beside a package whose release the user states instead of the installed one."""
    for package, companions in _COMPANIONS.items():
        for name in companions if facts.is_by_hand(f"packages.{package}") else ():
            if facts.recorded(f"packages.{name}") is not None and not facts.is_by_hand(f"packages.{name}"):
                facts.forget(f"packages.{name}", f"installed with another release of {package}")


def _backend(facts: Facts) -> None:
    """Derive vLLM's backend from its version: the local segment names the backend that the build is for."""
    known = facts.get("packages.vllm")
    vllm = known.value if known else None
    if known and vllm is None:
        facts.offer("vllm.backend", None, "vLLM is not installed")
    elif isinstance(vllm, Version):
        words = (vllm.local or "cuda").split(".")
        named = next((b for b in ("cpu", "rocm", "tpu", "xpu") if any(w.startswith(b) for w in words)), "cuda")
        facts.offer("vllm.backend", named, f"vLLM {vllm}")


def _torch_build(facts: Facts) -> None:
    """Derive the CUDA version of torch from its version: the local segment names it, as in 2.6.0+cu124."""
    torch = facts.value("packages.torch")
    local = torch.local or "" if isinstance(torch, Version) else ""
    if local.startswith(("cpu", "rocm", "xpu")) or (facts.get("packages.torch") is not None and torch is None):
        facts.offer("torch.cuda", None, f"torch {torch}" if torch else "torch is not installed")
    elif local.startswith("cu") and local[2:].isdecimal():
        facts.offer("torch.cuda", Version(f"{local[2:-1]}.{local[-1]}"), f"torch {torch}")


def _cpu_run(facts: Facts) -> None:
    """Set the GPU facts of a run on the CPU, which uses no GPU of the machine."""
    if facts.value("vllm.backend") == "cpu" or facts.value("plan.use_cpu") is True:
        why = "vLLM is a CPU build" if facts.value("vllm.backend") == "cpu" else "the run uses the CPU"
        nothing: dict[str, FactValue] = {"gpu.count": 0, "torch.has_kernels": (), "vllm.has_kernels": ()}
        nothing |= {f"gpu.{name}": () for name in ("compute_capability", "name", "memory_mib", "mig")}
        for fact, value in nothing.items():
            if not facts.is_by_hand(fact):
                facts.set(fact, value, why)
        for name in ("peer_access", "driver", "driver_cuda"):
            facts.offer(f"gpu.{name}", None, why)


def _launcher(facts: Facts) -> None:
    """Derive the launcher and the world size from the environment variables of a rank."""
    world_size = facts.value("env.WORLD_SIZE")
    if isinstance(world_size, str) and world_size.isdecimal() and len(world_size) < 10:
        facts.offer("plan.world_size", int(world_size), "env.WORLD_SIZE")
    if isinstance(facts.value("env.TORCHELASTIC_RUN_ID"), str):
        facts.offer("plan.launcher", "torchrun", "env.TORCHELASTIC_RUN_ID")
    elif isinstance(facts.value("env.RANK"), str):
        facts.offer("plan.launcher", "launcher", "env.RANK")


def _devices(facts: Facts) -> None:
    """Limit the GPUs of a target to those that a run file names in ``CUDA_VISIBLE_DEVICES``."""
    known = facts.get("env.CUDA_VISIBLE_DEVICES")
    count = facts.value("gpu.count")
    if known is None or known.place is None or not isinstance(known.value, str) or not isinstance(count, int):
        return
    devices = [device for device in known.value.split(",") if device.strip()]
    if len(devices) < count:
        facts.set("gpu.count", len(devices), f"CUDA_VISIBLE_DEVICES in {known.source}", known.place)
        for name in ("compute_capability", "name", "memory_mib", "mig"):
            values = facts.get(f"gpu.{name}")
            if values is not None and isinstance(values.value, tuple):
                facts.set(f"gpu.{name}", values.value[: len(devices)], values.source, values.place)


def _processes(facts: Facts) -> None:
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


def _plain_parallelism(facts: Facts) -> None:
    """Derive that DeepSpeed and FSDP are off: without accelerate's file, only TrainingArguments enables them."""
    launcher, deepspeed = facts.value("plan.launcher"), facts.get("plan.deepspeed")
    if launcher not in ("python", "torchrun", "srun", "deepspeed") or facts.get("plan.configuration") is None:
        return
    if deepspeed is None and not facts.is_open("plan.deepspeed"):
        facts.offer("plan.deepspeed_stage", 0, f"launched with {launcher}, no DeepSpeed configuration is set")
    if facts.get("plan.fsdp") is None:
        facts.offer("plan.fsdp", None, f"launched with {launcher}, FSDP is not enabled")


#: The settings that transformers substitutes for "auto" in DeepSpeed's configuration
#: (`HfTrainerDeepSpeedConfig.trainer_config_process`).
_AUTOMATIC = {
    "deepspeed_micro_batch_size": "per_device_train_batch_size",
    "deepspeed_accumulation_steps": "gradient_accumulation_steps",
    "deepspeed_bf16": "bf16",
    "deepspeed_fp16": "fp16",
}


def _deepspeed_auto(facts: Facts) -> None:
    automatic = facts.get("plan.deepspeed_auto")
    for name in automatic.value if automatic and isinstance(automatic.value, tuple) else ():
        setting = facts.get(f"plan.{_AUTOMATIC.get(str(name), '')}")
        if automatic and setting is not None:
            source = f'"auto" in {automatic.source}: {setting.source}'
            facts.offer(f"plan.{name}", setting.value, source)
    if automatic is None and facts.get("plan.deepspeed_stage") is not None:
        for name in _AUTOMATIC:
            facts.offer(f"plan.{name}", None, "no DeepSpeed configuration file")


def _batches(facts: Facts) -> None:
    """Derive the batch sizes as TRL does: `GRPOConfig.__post_init__`, before 0.18 `GRPOTrainer.__init__`."""
    trl, configuration = facts.value("packages.trl"), facts.value("plan.configuration", "GRPOConfig")
    each, processes = facts.value("plan.per_device_train_batch_size"), facts.value("plan.world_size")
    if not (isinstance(each, int) and isinstance(processes, int) and isinstance(trl, Version)):
        return
    facts.offer("plan.global_batch_size", each * processes, "per_device_train_batch_size x world size")
    stated, steps = facts.get("plan.generation_batch_size"), facts.get("plan.steps_per_generation")
    if configuration != "GRPOConfig" or (stated is not None and stated.value is not None):
        return
    if trl >= Version("0.18.0") and steps is None:
        return
    if steps is None or steps.value is None:
        steps = facts.get("plan.gradient_accumulation_steps") if trl >= Version("0.17.0") else None
        factor = steps.value if steps else 1 if trl < Version("0.17.0") else None
    else:
        factor = steps.value
    if isinstance(factor, int) and not facts.is_open("plan.generation_batch_size"):
        how = "per_device_train_batch_size x world size" + (
            " x steps per generation" if trl >= Version("0.17.0") else ""
        )
        facts.set("plan.generation_batch_size", each * processes * factor, f"TRL {trl}: {how}")


def _patched_everywhere(facts: Facts) -> None:
    """Add the patches that each Python process gets to those that the script applies, unless it undoes patches."""
    everywhere, own = facts.get("host.patched"), facts.get("plan.patched")
    if everywhere is None or not isinstance(everywhere.value, tuple) or not everywhere.value:
        return
    if facts.is_by_hand("plan.patched") or facts.is_unknown_by_hand("plan.patched"):
        return
    if own is None and "unpatch" in facts.why_unknown("plan.patched"):
        return
    both = dict.fromkeys((*(own.value if own and isinstance(own.value, tuple) else ()), *everywhere.value))
    facts.set("plan.patched", tuple(both), everywhere.source)


def _switched_off(facts: Facts) -> None:
    """Remove the patches that ``VCOMPAT_DISABLE`` names from those that the script applies."""
    off = facts.value("env.VCOMPAT_DISABLE")
    patched = facts.get("plan.patched")
    if isinstance(off, str) and off and patched is not None and isinstance(patched.value, tuple):
        names = off.replace(",", " ").split()
        kept = () if "all" in names else tuple(p for p in patched.value if p not in names)
        source = f"{patched.source}, except those in VCOMPAT_DISABLE"
        facts.set("plan.patched", kept, source, patched.place)


def _engine(facts: Facts) -> None:
    """Derive vLLM's engine generation, as `EngineArgs._is_v1_supported_oracle` and its successors select it."""
    vllm, wish = facts.value("packages.vllm"), facts.get("env.VLLM_USE_V1")
    if not isinstance(vllm, Version):
        return
    if vllm >= Version("0.11.0"):
        facts.offer("vllm.engine", V1, f"the only engine of vLLM {vllm}")
    elif vllm < Version("0.7.0"):
        facts.offer("vllm.engine", V0, f"the only engine of vLLM {vllm}")
    elif wish is None:
        return
    elif wish.value is not None:
        facts.offer("vllm.engine", V0 if wish.value == "0" else V1, "env.VLLM_USE_V1")
    elif vllm < Version("0.8.0"):
        facts.offer("vllm.engine", V0, f"default of vLLM {vllm}")
    elif vllm >= Version("0.10.2"):
        facts.offer("vllm.engine", V1, f"default of vLLM {vllm}")
    elif not _falls_back(facts):
        _engine_by_capability(facts, vllm)


def _falls_back(facts: Facts) -> bool:
    """Whether a setting can make vLLM 0.8.0 - 0.10.1.1 use V0 on any GPU: a backend that V1 lacks, or float32."""
    backend, dtype = facts.value("env.VLLM_ATTENTION_BACKEND"), facts.value("plan.engine_dtype")
    return isinstance(backend, str) or dtype in ("float32", "float")


def _engine_by_capability(facts: Facts, vllm: Version) -> None:
    """Derive the engine of vLLM 0.8.0 - 0.10.1.1, which fall back to V0 below compute capability 8.0."""
    known = facts.get("gpu.compute_capability")
    if known is not None and isinstance(known.value, tuple) and known.value:
        old = any(isinstance(c, Version) and c < Version("8.0") for c in known.value)
        why = "below compute capability 8.0" if old else "at compute capability 8.0 or higher"
        facts.offer("vllm.engine", V0 if old else V1, f"default of vLLM {vllm} {why}")


def _sleep_level(facts: Facts) -> None:
    """Derive the sleep level that TRL's colocate mode uses; none without sleep mode."""
    engine = facts.get("plan.enable_sleep_mode")
    if engine is not None and engine.value is False:
        facts.offer("plan.vllm_sleep_level", None, f"{engine.source}, sleep mode is disabled")
    trl, asleep = facts.value("packages.trl"), facts.get("plan.vllm_enable_sleep_mode")
    facts.leave_open("plan.vllm_sleep_level", "plan.vllm_enable_sleep_mode")
    if isinstance(trl, Version) and asleep is not None:
        if not asleep.value:
            facts.offer("plan.vllm_sleep_level", None, "sleep mode is disabled")
        elif trl >= Version("0.23.0"):
            level = 1 if trl < Version("0.25.0") else 2
            facts.offer("plan.vllm_sleep_level", level, f"sleep level of TRL {trl}", asleep.place)


def _colocated_engine(facts: Facts) -> None:
    """Derive the engine arguments of TRL's colocate mode: one engine per rank, seeded per data-parallel group."""
    if facts.value("plan.use_vllm") is not True or facts.value("plan.vllm_mode") != "colocate":
        return
    source = "TRL's colocate mode"
    facts.offer("plan.distributed_executor_backend", "external_launcher", source)
    size = facts.get("plan.vllm_tensor_parallel_size")
    if size is not None:
        facts.offer("plan.tensor_parallel_size", size.value, source, size.place)
    facts.leave_open("plan.tensor_parallel_size", "plan.vllm_tensor_parallel_size")
    facts.leave_open("plan.enable_sleep_mode", "plan.vllm_enable_sleep_mode")
    facts.offer("plan.llm_seed", 0, f"{source} passes the index of the data-parallel group")
    asleep = facts.get("plan.vllm_enable_sleep_mode")
    if asleep is not None:
        facts.offer("plan.enable_sleep_mode", bool(asleep.value), source, asleep.place)
    for setting in ("enable_prefix_caching", "enable_chunked_prefill", "kv_cache_dtype"):
        facts.offer(f"plan.{setting}", None, f"{source} uses vLLM's default")
    facts.offer("plan.speculative_config", False, f"{source} does not use a draft model")
    _longest_sequence(facts)


def _in_process_engine(facts: Facts) -> None:
    """Derive the engine arguments of TRL before 0.16.0, which runs vLLM in the main process."""
    trl = facts.value("packages.trl")
    if isinstance(trl, Version) and trl < Version("0.16.0") and facts.value("plan.use_vllm") is True:
        source = f"TRL {trl} uses vLLM's default"
        for setting in ("enable_chunked_prefill", "enable_sleep_mode", "kv_cache_dtype"):
            facts.offer(f"plan.{setting}", None, source)
        facts.offer("plan.distributed_executor_backend", None, source)
        facts.offer("plan.vllm_sleep_level", None, f"TRL {trl} has no sleep mode")
        facts.offer("plan.enable_prefix_caching", trl >= Version("0.15.0"), f"hard-coded in TRL {trl}")


def _sequence(facts: Facts) -> None:
    """Derive the longest sequence of the engine: the limit that is set, else the model's own maximum length."""
    stated, model = facts.get("plan.max_model_len"), facts.get("plan.model_max_length")
    if stated is not None and stated.value is not None:
        facts.offer("plan.sequence_length", stated.value, stated.source, stated.place)
    elif stated is not None and model is not None:
        facts.offer("plan.sequence_length", model.value, f"{model.source}, no max_model_len is set", model.place)


def _engine_elsewhere(facts: Facts) -> None:
    """Derive the engine arguments of a run without an engine in its processes: no vLLM, or server mode."""
    used = facts.value("plan.use_vllm")
    if used is False:
        source = "vLLM is not used"
        facts.offer("plan.engine_dtype", None, source)
    elif used is True and facts.value("plan.vllm_mode") == "server":
        source = "`trl vllm-serve` uses vLLM's default"
    else:
        return
    facts.offer("plan.distributed_executor_backend", None, source)
    facts.offer("plan.enable_sleep_mode", False, source)
    facts.offer("plan.vllm_sleep_level", None, source)


def _longest_sequence(facts: Facts) -> None:
    """Derive max_model_len: TRL 0.18 - 0.25 add both length limits, later releases use vllm_max_model_length."""
    trl = facts.value("packages.trl")
    if not isinstance(trl, Version):
        return
    if trl >= Version("0.26.0"):
        known = facts.get("plan.vllm_max_model_length")
        if known is not None:
            facts.offer("plan.max_model_len", known.value, f"TRL {trl}: vllm_max_model_length")
        return
    prompt, completion = facts.value("plan.max_prompt_length"), facts.value("plan.max_completion_length")
    if isinstance(prompt, int | float) and isinstance(completion, int | float):
        source = f"TRL {trl}: max_prompt_length + max_completion_length"
        facts.offer("plan.max_model_len", prompt + completion, source)


def _memory(facts: Facts) -> None:
    """Add the estimated memory facts."""
    share = facts.get("plan.vllm_gpu_memory_utilization")
    for name, (value, source) in estimate(facts).items():
        # All of these estimates depend on this setting, so findings point to it.
        facts.offer(name, value, source, share.place if share else None)


_STEPS: tuple[Callable[[Facts], None], ...] = (
    _companions,
    _backend,
    _torch_build,
    set_vllm_build,
    _devices,
    _cpu_run,
    set_runs_on_driver,
    _launcher,
    _processes,
    _plain_parallelism,
    _deepspeed_auto,
    _batches,
    set_absent,
    _patched_everywhere,
    _switched_off,
    _engine,
    set_triton,
    set_kernels,
    set_bitsandbytes,
    set_ptx,
    _sleep_level,
    _colocated_engine,
    _in_process_engine,
    _engine_elsewhere,
    state_data_types,
    set_attention_backend,
    set_model_support,
    set_model_kinds,
    _sequence,
    _memory,
)
#: Steps that follow the code of TRL's trainers: they say nothing about the trainer of another framework.
_OF_TRLS_TRAINER = frozenset(
    {_batches, _sleep_level, _colocated_engine, _in_process_engine, _engine_elsewhere, _memory}
)
