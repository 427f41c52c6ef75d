"""Facts that follow from other facts: what upstream does with a setting that nobody stated, release by release.

Nothing is derived over a fact that is known already, and nothing from a fact that is unknown. Each function
derives one thing; `derive` runs them in the order in which they need each other.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from packaging.version import Version

from vcompat.facts import Facts, FactValue
from vcompat.plan.defaults import defaults_of

V0, V1 = "v0", "v1"


def derive(facts: Facts, takes_defaults: bool = False) -> Facts:
    """Return `facts` with what follows from them.

    `takes_defaults` says that a script stated all settings it wants, so that the others have TRL's defaults.
    """
    result = facts.copy()
    if takes_defaults:
        _trl_defaults(result)
    for step in _STEPS:
        step(result)
    return result


def _trl_defaults(facts: Facts) -> None:
    trl = facts.value("packages.trl")
    if isinstance(trl, Version):
        for setting, value in defaults_of(trl):
            _offer(facts, f"plan.{setting}", value, f"default of TRL {trl}")


def _backend(facts: Facts) -> None:
    """A vLLM of which only the version is known: its local segment tells what it was built for."""
    known = facts.get("packages.vllm")
    vllm = known.value if known else None
    if known and vllm is None:
        _offer(facts, "vllm.backend", None, "vLLM is not installed")
    elif isinstance(vllm, Version):
        words = (vllm.local or "cuda").split(".")
        named = next((b for b in ("cpu", "rocm", "tpu", "xpu") if any(w.startswith(b) for w in words)), "cuda")
        _offer(facts, "vllm.backend", named, f"vLLM {vllm}")


def _torch_build(facts: Facts) -> None:
    """A torch of which only the version is known: wheels name their CUDA in the local segment, such as 2.6.0+cu124."""
    torch = facts.value("packages.torch")
    local = torch.local or "" if isinstance(torch, Version) else ""
    if local == "cpu" or (facts.get("packages.torch") is not None and torch is None):
        _offer(facts, "torch.cuda", None, f"torch {torch}" if torch else "torch is not installed")
    elif local.startswith("cu") and local[2:].isdigit():
        _offer(facts, "torch.cuda", Version(f"{local[2:-1]}.{local[-1]}"), f"torch {torch}")


def _cpu_run(facts: Facts) -> None:
    """A run on the CPU has no GPU, whatever the machine has."""
    if facts.value("vllm.backend") == "cpu" or facts.value("plan.use_cpu") is True:
        why = "vLLM is a CPU build" if facts.value("vllm.backend") == "cpu" else "the run uses the CPU"
        nothing: dict[str, FactValue] = {"gpu.count": 0, "torch.has_kernels": ()}
        nothing |= {f"gpu.{name}": () for name in ("compute_capability", "name", "memory_mib", "mig")}
        for fact, value in nothing.items():
            if not facts.is_by_hand(fact):
                facts.set(fact, value, why)
        for name in ("peer_access", "driver", "driver_cuda"):
            _offer(facts, f"gpu.{name}", None, why)


def _launcher(facts: Facts) -> None:
    """A rank knows its launcher and the number of ranks from the environment."""
    world_size = facts.value("env.WORLD_SIZE")
    if isinstance(world_size, str) and world_size.isdigit():
        _offer(facts, "plan.world_size", int(world_size), "env.WORLD_SIZE")
    if isinstance(facts.value("env.TORCHELASTIC_RUN_ID"), str):
        _offer(facts, "plan.launcher", "torchrun", "env.TORCHELASTIC_RUN_ID")
    elif isinstance(facts.value("env.RANK"), str):
        _offer(facts, "plan.launcher", "launcher", "env.RANK is set")


def _switched_off(facts: Facts) -> None:
    """``VCOMPAT_DISABLE`` takes patches away from those that the script asks for."""
    off = facts.value("env.VCOMPAT_DISABLE")
    patched = facts.get("plan.patched")
    if isinstance(off, str) and off and patched is not None and isinstance(patched.value, tuple):
        names = off.replace(",", " ").split()
        kept = () if "all" in names else tuple(p for p in patched.value if p not in names)
        facts.set("plan.patched", kept, f"{patched.source}, less VCOMPAT_DISABLE")


def _engine(facts: Facts) -> None:
    """Which engine generation vLLM runs: `EngineArgs._is_v1_supported_oracle` and its successors decide it."""
    vllm, wish = facts.value("packages.vllm"), facts.get("env.VLLM_USE_V1")
    if not isinstance(vllm, Version):
        return
    if vllm >= Version("0.11.0"):
        _offer(facts, "vllm.engine", V1, f"vLLM {vllm} has no other")
    elif vllm < Version("0.7.0"):
        _offer(facts, "vllm.engine", V0, f"vLLM {vllm} has no other")
    elif wish is None:
        return
    elif wish.value is not None:
        _offer(facts, "vllm.engine", V0 if wish.value == "0" else V1, "env.VLLM_USE_V1")
    elif vllm < Version("0.8.0"):
        _offer(facts, "vllm.engine", V0, f"default of vLLM {vllm}")
    elif vllm >= Version("0.10.2"):
        _offer(facts, "vllm.engine", V1, f"default of vLLM {vllm}")
    else:
        _engine_by_capability(facts, vllm)


def _engine_by_capability(facts: Facts, vllm: Version) -> None:
    """vLLM 0.8.0 - 0.10.1.1 fall back to V0 below compute capability 8.0."""
    known = facts.get("gpu.compute_capability")
    if known is not None and isinstance(known.value, tuple) and known.value:
        old = any(isinstance(c, Version) and c < Version("8.0") for c in known.value)
        why = "below compute capability 8.0" if old else "at compute capability 8.0 or above"
        _offer(facts, "vllm.engine", V0 if old else V1, f"vLLM {vllm} {why}")


def _kernels(facts: Facts) -> None:
    """Whether torch has machine code for each GPU: its major architecture and no newer minor, or PTX."""
    architectures, capabilities = facts.value("torch.architectures"), facts.value("gpu.compute_capability")
    if not (isinstance(architectures, tuple) and isinstance(capabilities, tuple) and architectures and capabilities):
        return
    names = [name for name in architectures if isinstance(name, str)]
    answers = tuple(_runs_on(names, c) for c in capabilities if isinstance(c, Version))
    _offer(facts, "torch.has_kernels", answers, "torch.architectures and gpu.compute_capability")


def _runs_on(architectures: Iterable[str], capability: Version) -> bool:
    for name in architectures:
        kind, _, number = name.partition("_")
        digits = number.rstrip("abcdefghijklmnopqrstuvwxyz")
        major, minor = int(digits[:-1]), int(digits[-1])
        exact_only = digits != number
        if exact_only and (major, minor) != (capability.major, capability.minor):
            continue
        if kind == "sm" and major == capability.major and minor <= capability.minor:
            return True
        if kind == "compute" and (major, minor) <= (capability.major, capability.minor):
            return True
    return False


def _sleep_level(facts: Facts) -> None:
    """The level at which TRL's colocate mode puts vLLM to sleep; none for an engine that cannot sleep."""
    engine = facts.get("plan.enable_sleep_mode")
    if engine is not None and engine.value is False:
        _offer(facts, "plan.vllm_sleep_level", None, f"{engine.source}: the engine has no sleep mode")
    trl, asleep = facts.value("packages.trl"), facts.get("plan.vllm_enable_sleep_mode")
    if isinstance(trl, Version) and asleep is not None:
        if not asleep.value:
            _offer(facts, "plan.vllm_sleep_level", None, "vLLM's sleep mode is off")
        elif trl >= Version("0.23.0"):
            _offer(facts, "plan.vllm_sleep_level", 1 if trl < Version("0.25.0") else 2, f"TRL {trl}")


def _colocated_engine(facts: Facts) -> None:
    """How TRL builds the engine in colocate mode: one engine a rank, seeded by its data-parallel group."""
    if facts.value("plan.use_vllm") is not True or facts.value("plan.vllm_mode") != "colocate":
        return
    source = "TRL's colocate mode"
    _offer(facts, "plan.distributed_executor_backend", "external_launcher", source)
    size = facts.get("plan.vllm_tensor_parallel_size")
    if size is not None:
        _offer(facts, "plan.tensor_parallel_size", size.value, source)
    _offer(facts, "plan.llm_seed", 0, f"{source} passes the number of the data-parallel group")
    asleep = facts.get("plan.vllm_enable_sleep_mode")
    if asleep is not None:
        _offer(facts, "plan.enable_sleep_mode", bool(asleep.value), source)
    for setting in ("enable_prefix_caching", "enable_chunked_prefill", "kv_cache_dtype"):
        _offer(facts, f"plan.{setting}", None, f"{source} leaves it to vLLM")
    _offer(facts, "plan.speculative_config", False, f"{source} uses no draft model")
    _longest_sequence(facts)


def _in_process_engine(facts: Facts) -> None:
    """How TRL builds the engine before it had a colocate mode."""
    trl = facts.value("packages.trl")
    if isinstance(trl, Version) and trl < Version("0.16.0") and facts.value("plan.use_vllm") is True:
        source = f"TRL {trl} leaves it to vLLM"
        for setting in ("enable_chunked_prefill", "enable_sleep_mode", "kv_cache_dtype"):
            _offer(facts, f"plan.{setting}", None, source)
        _offer(facts, "plan.distributed_executor_backend", None, source)
        _offer(facts, "plan.vllm_sleep_level", None, f"TRL {trl} has no sleep mode")
        _offer(facts, "plan.enable_prefix_caching", trl >= Version("0.15.0"), f"TRL {trl} fixes it")


def _longest_sequence(facts: Facts) -> None:
    """TRL 0.18 - 0.25 give the engine room for a prompt and a completion, later releases for what the setting says."""
    trl = facts.value("packages.trl")
    if not isinstance(trl, Version):
        return
    if trl >= Version("0.26.0"):
        known = facts.get("plan.vllm_max_model_length")
        if known is not None:
            _offer(facts, "plan.max_model_len", known.value, f"TRL {trl}: vllm_max_model_length")
        return
    prompt, completion = facts.value("plan.max_prompt_length"), facts.value("plan.max_completion_length")
    if isinstance(prompt, int | float) and isinstance(completion, int | float):
        source = f"TRL {trl}: max_prompt_length + max_completion_length"
        _offer(facts, "plan.max_model_len", prompt + completion, source)


def _offer(facts: Facts, name: str, value: object, source: str) -> None:
    """Record a derived fact unless it is known, or was found to be unknowable."""
    if facts.get(name) is None and name not in facts.reasons:
        facts.set(name, value, source)  # type: ignore[arg-type]


_STEPS: tuple[Callable[[Facts], None], ...] = (
    _backend,
    _torch_build,
    _cpu_run,
    _launcher,
    _switched_off,
    _engine,
    _kernels,
    _sleep_level,
    _colocated_engine,
    _in_process_engine,
)
