"""vLLM's engine of a run: its generation, its sleep level, and the arguments that TRL gives to it."""

from __future__ import annotations

from packaging.version import Version

from vcompat.facts.facts import Facts

V0, V1 = "v0", "v1"


def set_engine(facts: Facts) -> None:
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


def set_sleep_level(facts: Facts) -> None:
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


def set_colocated_engine(facts: Facts) -> None:
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


def set_in_process_engine(facts: Facts) -> None:
    """Derive the engine arguments of TRL before 0.16.0, which runs vLLM in the main process."""
    trl = facts.value("packages.trl")
    if isinstance(trl, Version) and trl < Version("0.16.0") and facts.value("plan.use_vllm") is True:
        source = f"TRL {trl} uses vLLM's default"
        for setting in ("enable_chunked_prefill", "enable_sleep_mode", "kv_cache_dtype"):
            facts.offer(f"plan.{setting}", None, source)
        facts.offer("plan.distributed_executor_backend", None, source)
        facts.offer("plan.vllm_sleep_level", None, f"TRL {trl} has no sleep mode")
        facts.offer("plan.enable_prefix_caching", trl >= Version("0.15.0"), f"hard-coded in TRL {trl}")


def set_sequence(facts: Facts) -> None:
    """Derive the longest sequence of the engine: the limit that is set, else the model's own maximum length."""
    stated, model = facts.get("plan.max_model_len"), facts.get("plan.model_max_length")
    if stated is not None and stated.value is not None:
        facts.offer("plan.sequence_length", stated.value, stated.source, stated.place)
    elif stated is not None and model is not None:
        facts.offer("plan.sequence_length", model.value, f"{model.source}, no max_model_len is set", model.place)


def set_no_engine(facts: Facts) -> None:
    """Derive the engine arguments of a run without vLLM, whatever its framework."""
    if facts.value("plan.use_vllm") is False:
        facts.offer("plan.engine_dtype", None, _UNUSED)
        _set_elsewhere(facts, _UNUSED)


_UNUSED = "vLLM is not used"


def set_engine_elsewhere(facts: Facts) -> None:
    """Derive the engine arguments of TRL's server mode, which has no engine in the processes of the run."""
    if facts.value("plan.use_vllm") is True and facts.value("plan.vllm_mode") == "server":
        _set_elsewhere(facts, "`trl vllm-serve` uses vLLM's default")


def _set_elsewhere(facts: Facts, source: str) -> None:
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
