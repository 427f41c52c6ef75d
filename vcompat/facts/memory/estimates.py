"""Memory facts of a run: `memory.allocation` for a plan; the share, weights and cache of vLLM if it is colocated.

Each need is a lower bound, so a run that does not fit by the estimate does not fit. The logits are the exception: they
are those of completions that are as long as they may be. The size of vLLM's cache is an
upper bound: vLLM's share minus its weights. What is not known counts as the smaller of its possible values.

The parameter count is within 2 % of the real model if its config.json is available. Otherwise it is the lower bound
inferred from the model name.
"""

from __future__ import annotations

from typing import NamedTuple

from packaging.version import Version

from vcompat.facts.facts import Facts, number, smallest
from vcompat.facts.memory.data_types import trainer_dtype
from vcompat.facts.memory.logits import estimated_logits
from vcompat.facts.memory.trainer_memory import (
    BYTES,
    DEFAULT_OPTIMIZER,
    MIB,
    Setup,
    Trainer,
    allocation,
    peak_mib,
    peak_of_loss,
)

#: PEFT's target modules if LoraConfig names none, for architectures whose entry never changed.
_DEFAULT_TARGETS = ("q_proj", "v_proj")
_HAVE_DEFAULT_TARGETS = ("LlamaForCausalLM", "MistralForCausalLM", "Qwen2ForCausalLM", "GemmaForCausalLM")
#: LoraConfig's word for every linear layer except the output layer.
_ALL_LINEAR = "all-linear"
#: The first release of TRL that skips the reference model if beta is 0.
_SKIPS_REFERENCE = Version("0.16.0")
#: The first release of TRL whose trainer tells vLLM that its own weights are quantized.
_QUANTIZES_VLLM = Version("0.26.0")


#: The first release of TRL that loads a model by name with ``device_map="auto"``.
_DIVIDES = Version("0.26.0")
#: The values of ``device_map`` that divide a model among the GPUs.
_DIVIDING = ("auto", "balanced", "balanced_low_0", "sequential")
#: The least bits per weight of a model that transformers quantizes while loading it, with bitsandbytes.
_LEAST_BITS = 4


class _Sharding(NamedTuple):
    """The backend of `memory.Setup`, its ZeRO stage, whether FSDP shards, and over how many processes."""

    backend: str
    stage: int = 0
    sharded: bool = True
    processes: int = 1


def estimate(facts: Facts) -> dict[str, tuple[float, str]]:
    """Return the memory facts that follow from `facts`, each with its source.

    Facts that cannot be estimated are left out. Sizes are in MiB.
    """
    estimates: dict[str, tuple[float, str]] = {}
    is_alone = has_no_engine(facts)
    if not is_alone and not (facts.value("plan.use_vllm") is True and facts.value("plan.vllm_mode") == "colocate"):
        return estimates
    memory, sizes = smallest(facts, "gpu.memory_mib"), facts.value("gpu.memory_mib")
    if is_alone and isinstance(sizes, tuple) and len(set(sizes)) > 1:
        memory = None  # Which GPUs the trainer has and which vLLM's server is not known.
    vllm = 0.0 if is_alone else _of_engine(facts, memory, estimates)
    parameters = number(facts, "plan.model_parameters")
    trainer = trainer_bytes(facts, parameters) if parameters is not None else None
    if trainer is not None:
        whole = sum(trainer) / MIB
        parts = ", ".join(f"{name} {value / MIB:,.0f}" for name, value in trainer._asdict().items() if value)
        estimates["plan.trainer_mib"] = (round(whole), f"lower bound: {parts or 'nothing on the GPU'} MiB")
        if vllm is not None and memory:
            asleep = may_sleep(facts)
            engine = f", vLLM {vllm:,.0f} MiB{' (freed in sleep mode)' if asleep else ''}" if not is_alone else ""
            estimates["plan.memory_share"] = (
                round(peak_mib(trainer, vllm, asleep) / memory, 2),
                f"lower bound: trainer {whole:,.0f} MiB{engine}, of {memory:,.0f} MiB",
            )
            estimates |= _with_logits(facts, trainer, vllm, memory)
    return estimates


def has_no_engine(facts: Facts) -> bool:
    """Whether no vLLM shares the trainer's GPUs."""
    return facts.value("plan.use_vllm") is False or facts.value("plan.vllm_mode") == "server"


def _of_engine(facts: Facts, memory: float | None, estimates: dict[str, tuple[float, str]]) -> float | None:
    """Add the facts of a colocated vLLM to `estimates`; return its share in MiB, None if that is not known."""
    share = number(facts, "plan.vllm_gpu_memory_utilization")
    if share is not None and memory is not None:
        source = f"vllm_gpu_memory_utilization {share:g} x {memory:.0f} MiB"
        estimates["plan.vllm_share_mib"] = (round(share * memory), source)
    vllm = estimates["plan.vllm_share_mib"][0] if estimates else None
    estimates |= _of_vllm(facts, vllm)
    return vllm


def logits_of(facts: Facts) -> tuple[float, str] | None:
    """Return the MiB that the logits of the loss take on each GPU, and the source; None if that is not known."""
    sharding = _sharding(facts)
    logits = estimated_logits(facts, sharding is not None and sharding.backend == "zero")
    return (logits[0] / MIB, logits[1]) if logits is not None else None


def loss_mib(facts: Facts, trainer: Trainer, logits: float, share: float) -> float:
    """Return the most that a GPU holds in the loss, in MiB; `share` is vLLM's, 0 if it runs elsewhere."""
    sharding = _sharding(facts)
    whole = sharding is not None and sharding.backend in ("", "ddp")
    # Gradients of earlier micro-steps are there. How DeepSpeed and FSDP keep them differs, so theirs count as 0.
    accumulates = whole and (number(facts, "plan.gradient_accumulation_steps") or 1) > 1
    return peak_of_loss(trainer, logits, 0.0 if may_sleep(facts) else share, accumulates)


def _with_logits(facts: Facts, trainer: Trainer, share: float, memory: float) -> dict[str, tuple[float, str]]:
    """Return the facts of the logits, and of the memory that is needed with them."""
    logits = logits_of(facts)
    if logits is None:
        return {}
    need = max(peak_mib(trainer, share, may_sleep(facts)), loss_mib(facts, trainer, logits[0], share))
    source = f"logits of completions of full length {logits[0]:,.0f} MiB, of {memory:,.0f} MiB"
    return {
        "plan.logits_mib": (round(logits[0]), logits[1]),
        "plan.memory_share_with_logits": (round(need / memory, 2), source),
    }


def _of_vllm(facts: Facts, share: float | None) -> dict[str, tuple[float, str]]:
    """Return the facts of vLLM's weights and cache; `share` is its share in MiB."""
    estimates: dict[str, tuple[float, str]] = {}
    parameters, size = number(facts, "plan.model_parameters"), number(facts, "plan.tensor_parallel_size")
    each = _vllm_bytes(facts)
    if parameters is None or not size or each is None:
        return estimates
    source = f"lower bound: {parameters / 1e9:.3g} billion parameters x {each:g} bytes / tensor parallel size {size:g}"
    weights = round(parameters * each / size / MIB)
    estimates["plan.vllm_weights_mib"] = (weights, source)
    cache = number(facts, "plan.kv_bytes_per_token")
    if cache and share is not None:
        # Key-value heads are divided among the GPUs. With more GPUs than heads, heads are replicated.
        token = cache / min(size, number(facts, "plan.key_value_heads") or size)
        stored = str(facts.value("plan.kv_cache_dtype", ""))
        token = token / 2 if stored.startswith("fp8") or facts.is_open("plan.kv_cache_dtype") else token
        source = f"upper bound: vLLM's share minus its weights, {token:,.0f} bytes per token"
        estimates["plan.kv_cache_tokens"] = (max(0, int((share - weights) * MIB / token)), source)
    return estimates


def _vllm_bytes(facts: Facts) -> float | None:
    """Return the bytes per weight in vLLM; None if the weights are or might be quantized to an unknown size."""
    if facts.value("plan.quantization") is not None or facts.is_open("plan.quantization"):
        return None
    trl = facts.value("packages.trl")
    if not isinstance(trl, Version) or trl >= _QUANTIZES_VLLM:
        loaded = facts.get("plan.loaded_in_bits")
        if (loaded is not None and loaded.value is not None) or facts.is_open("plan.loaded_in_bits"):
            return None
    if _is_quantized(facts) is not False:
        bits = number(facts, "plan.model_bits")
        return bits / 8 if bits else None
    # An unknown data type counts as 16 bits. vLLM loads float32 checkpoints in 16 bits, too, unless the GPU cannot.
    return BYTES.get(str(facts.value("vllm.dtype", "")), 2)


def trainer_bytes(facts: Facts, parameters: float) -> Trainer | None:
    """Return the trainer's memory on each GPU; None if the sharding or the size of quantized weights is unknown."""
    sharding, each = _sharding(facts), _loaded_bytes(facts)
    adapts = facts.get("plan.peft")
    if sharding is None or each is None or adapts is None:
        return None
    if adapts.value is not True and (_is_quantized(facts) is not False or facts.is_open("plan.trainer_mib")):
        # Quantized weights cannot be trained. What the trainer makes of them, or how many are frozen, is not known.
        return None
    return allocation(
        Setup(
            parameters / gpus_of_model(facts),
            each,
            adapter=_adapter(facts) if adapts.value is True else None,
            adapter_bytes=_adapter_bytes(facts, sharding),
            optimizer=_optimizer(facts),
            backend=sharding.backend,
            stage=sharding.stage,
            sharded=sharding.sharded,
            mixed=_is_mixed(facts, sharding.backend),
            processes=sharding.processes,
            accumulates=(number(facts, "plan.gradient_accumulation_steps") or 1) > 1,
            keeps_16_bits=_may_keep_16_bits(facts),
            offloads_optimizer=sharding.backend in ("zero", "fsdp") and _may_offload(facts, "optimizer"),
            offloads_weights=(sharding.backend == "fsdp" or sharding.stage == 3) and _may_offload(facts, "parameter"),
            reference_bytes=_reference_bytes(facts, each, sharding, adapts.value is True),
        )
    )


def _sharding(facts: Facts) -> _Sharding | None:
    """Return how the trainer is sharded; None if that is not known."""
    stage, sharding = facts.value("plan.deepspeed_stage"), facts.value("plan.fsdp_sharding")
    world = number(facts, "plan.world_size")
    processes = int(world) if world else None
    if isinstance(stage, int) and stage > 0:
        return _Sharding("zero", stage, processes=processes) if processes else None
    if sharding in ("full", "gradients", "none"):
        return _Sharding("fsdp", sharded=sharding != "none", processes=processes) if processes else None
    if stage == 0 and facts.value("plan.fsdp") in (None, "", "no") and not facts.is_open("plan.fsdp"):
        # DeepSpeed without ZeRO casts and copies weights in ways that depend on its release.
        return None if facts.value("plan.deepspeed") else _Sharding("ddp" if processes and processes > 1 else "")
    return _Sharding("") if processes == 1 else None


def gpus_of_model(facts: Facts) -> int:
    """Return the GPUs among which a single process may divide the model, before sharding; 1 if it does not.

    From 0.26 on, TRL loads a model that it gets by name with ``device_map="auto"`` unless the processes are several.
    accelerate then gives each GPU about the same share of the layers. Without a device_map, the whole model is on one
    GPU, and transformers' Trainer copies it to the others. What is not known counts as divided.
    """
    gpus = number(facts, "gpu.count")
    if not gpus or gpus < 2 or number(facts, "plan.world_size") not in (1, None) or _starts_many(facts):
        return 1
    return 1 if _divides(facts) is False else int(gpus)


def is_divided(facts: Facts) -> bool:
    """Return whether a single process certainly divides the model, as `gpus_of_model` counts."""
    return number(facts, "plan.world_size") == 1 and _divides(facts) is True


def _divides(facts: Facts) -> bool | None:
    """Return whether a model that a single process loads is divided among its GPUs; None if that is not known.

    Under DeepSpeed, the releases of TRL that divide a model load it without a device_map.
    """
    stated, trl = facts.get("plan.device_map"), facts.value("packages.trl")
    is_new = trl >= _DIVIDES if isinstance(trl, Version) else None
    maps = stated is not None and stated.value is not None
    may_map = maps or facts.is_open("plan.device_map")
    if facts.value("plan.model_by_name") is True and _has_deepspeed(facts) and (is_new or not may_map):
        return False
    if stated is not None and maps:
        return stated.value in _DIVIDING
    if facts.is_open("plan.device_map"):
        return None
    if facts.value("plan.model_by_name") is True:
        return is_new
    return False if stated is not None else None


def _has_deepspeed(facts: Facts) -> bool:
    return bool(facts.value("plan.deepspeed_stage") or facts.value("plan.deepspeed"))


def _starts_many(facts: Facts) -> bool:
    return facts.value("plan.launcher") in ("torchrun", "accelerate", "deepspeed", "srun")


def _loaded_bytes(facts: Facts) -> float | None:
    """Return the bytes per weight of the model as loaded; None if it is quantized to an unknown size."""
    loaded = facts.get("plan.loaded_in_bits")
    if facts.value("plan.peft") is True and (loaded is None or loaded.value is not None):
        if loaded is not None and isinstance(loaded.value, int | float):
            return loaded.value / 8
        if facts.is_open("plan.loaded_in_bits") and _is_quantized(facts) is False:
            return _LEAST_BITS / 8
    if _is_quantized(facts) is not False:
        bits = number(facts, "plan.model_bits")
        return bits / 8 if bits else None
    dtype, _ = trainer_dtype(facts)
    return BYTES.get(dtype or "", 2)


def _is_quantized(facts: Facts) -> bool | None:
    """Return whether the checkpoint is quantized; None if its name suggests it, and False if nothing does."""
    if facts.get("plan.model_quantization") is None and facts.is_open("plan.model_quantization"):
        return None
    return facts.value("plan.model_quantization") is not None


def _adapter(facts: Facts) -> float:
    """Return the parameters of the adapter; 0 if they are not known."""
    rank, sizes = number(facts, "plan.lora_rank"), facts.value("plan.linear_sizes")
    targets = facts.get("plan.lora_targets")
    if not rank or not isinstance(sizes, tuple) or targets is None or not isinstance(targets.value, tuple):
        return 0
    names = {str(name) for name in targets.value}
    if not names:
        known = facts.value("plan.model_architecture") in _HAVE_DEFAULT_TARGETS
        names = set(_DEFAULT_TARGETS) if known else set()
    total = 0
    for entry in sizes:
        name, _, size = str(entry).partition("=")
        if name in names or _ALL_LINEAR in names:
            total += int(size)
    return rank * total


def _adapter_bytes(facts: Facts, sharding: _Sharding) -> float:
    """Return the bytes per weight of the adapter: 4, unless TRL or DeepSpeed might have it in 16 bits."""
    quantized = _is_quantized(facts) is not False or facts.value("plan.loaded_in_bits") is not None
    return 2 if quantized or sharding.backend == "zero" or facts.is_open("plan.loaded_in_bits") else 4


def _optimizer(facts: Facts) -> str:
    """Return the optimizer; transformers' default unless a setting that is not known may replace it."""
    return "" if facts.is_open("plan.optim") else str(facts.value("plan.optim") or DEFAULT_OPTIMIZER)


def _is_mixed(facts: Facts, backend: str) -> bool:
    """Return whether mixed precision is used; if that is not known, the answer that makes the weights smaller.

    Under DeepSpeed mixed precision makes the weights smaller, under FSDP larger. Elsewhere it does not change them.
    """
    names = ["bf16", "fp16"] + (["deepspeed_bf16", "deepspeed_fp16"] if backend == "zero" else [])
    if any(facts.value(f"plan.{name}") is True for name in names):
        return True
    if facts.value("plan.mixed_precision") in ("bf16", "fp16"):
        return True
    if facts.value("plan.launcher") == "accelerate" or facts.is_open("plan.mixed_precision"):
        names.append("mixed_precision")
    return backend == "zero" and any(facts.get(f"plan.{name}") is None for name in names)


def _may_offload(facts: Facts, what: str) -> bool:
    name = f"plan.{what}_offload"
    return facts.is_open(name) or facts.value(name, "none") not in ("none", None)


def _may_keep_16_bits(facts: Facts) -> bool:
    """Whether DeepSpeed's optimizer keeps everything in bfloat16, or might.

    DeepSpeed refuses 16-bit master weights without that unless the optimizer is in host memory.
    """
    name = "plan.deepspeed_bf16_optimizer_states"
    return facts.is_open(name) or facts.value(name) is True


def _reference_bytes(facts: Facts, each: float, sharding: _Sharding, adapts: bool) -> float:
    """Return the bytes per weight of the reference model, 0 if there might be none.

    TRL loads it if beta is not 0. With an adapter, the model without the adapter is the reference.
    """
    trl, beta = facts.value("packages.trl"), number(facts, "plan.beta")
    if adapts or not isinstance(trl, Version) or beta is None or (beta == 0 and trl >= _SKIPS_REFERENCE):
        return 0
    smaller = sharding.backend == "zero" or facts.value("plan.model_by_name") is not True
    return min(each, 2) if smaller else each


def may_sleep(facts: Facts) -> bool:
    """Whether vLLM sleeps while the trainer steps, or might."""
    asleep = facts.get("plan.vllm_enable_sleep_mode")
    return asleep is None or asleep.value is True
