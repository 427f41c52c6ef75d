"""Lower bound of the GPU memory of colocated training, estimated from the model's size and the configuration.

The estimate includes weights, gradients, optimizer state and vLLM's share. It does not include activations, the CUDA
context (about 0.5 GiB per process), communication buffers and fragmentation. The real need is larger, so a run that
does not fit by this estimate does not fit. The size of vLLM's cache is an upper bound: vLLM's share minus its weights.

The parameter count is within 2 % of the real model if its config.json is available. Otherwise it is the lower bound
inferred from the model name. For an unknown data type, the smaller one is used.
"""

from __future__ import annotations

from typing import NamedTuple

from vcompat.facts.facts import Facts

MIB = 1024 * 1024
#: Bytes per number, by data type.
_BYTES = {"float32": 4, "float": 4, "bfloat16": 2, "float16": 2, "half": 2, "float64": 8}
#: Optimizers with two moments per parameter, in the data type of the weights. Other optimizers count as 0.
_ADAM = ("adamw", "adam")
#: Adapter parameters as a share of the model, and bytes per adapter parameter (float32 weight, gradient, moments).
_ADAPTER_SHARE, _ADAPTER_BYTES = 0.002, 16


class Trainer(NamedTuple):
    """Memory of the trainer on each GPU, in bytes."""

    weights: float
    gradients: float
    optimizer: float


def estimate(facts: Facts) -> dict[str, tuple[float, str]]:
    """Return the memory facts that follow from `facts`, each with its source.

    Facts that cannot be estimated are left out. Sizes are in MiB.
    """
    found: dict[str, tuple[float, str]] = {}
    if facts.value("plan.use_vllm") is not True or facts.value("plan.vllm_mode") != "colocate":
        return found
    memory, parameters = smallest(facts, "gpu.memory_mib"), number(facts, "plan.model_parameters")
    share, size = number(facts, "plan.vllm_gpu_memory_utilization"), number(facts, "plan.tensor_parallel_size")
    if share is not None and memory is not None:
        found["plan.vllm_share_mib"] = (
            round(share * memory),
            f"vllm_gpu_memory_utilization {share:g} x {memory:.0f} MiB",
        )
    if parameters is not None and size and facts.value("plan.quantization") is None:
        weights = _vllm_weight_bytes(facts)
        if weights is not None:
            source = f"{parameters / 1e9:.3g} billion parameters x {weights:g} bytes / tensor parallel size {size:g}"
            found["plan.vllm_weights_mib"] = (round(parameters * weights / size / MIB), source)
    cache = number(facts, "plan.kv_bytes_per_token")
    if cache and size and {"plan.vllm_share_mib", "plan.vllm_weights_mib"} <= found.keys():
        # Key-value heads are divided among the GPUs. With more GPUs than heads, heads are replicated.
        each = cache / min(size, number(facts, "plan.key_value_heads") or size)
        each = each / 2 if str(facts.value("plan.kv_cache_dtype", "")).startswith("fp8") else each
        room = (found["plan.vllm_share_mib"][0] - found["plan.vllm_weights_mib"][0]) * MIB
        source = f"upper bound: vLLM's share minus its weights, {each:,.0f} bytes per token"
        found["plan.kv_cache_tokens"] = (max(0, int(room / each)), source)
    trainer = trainer_bytes(facts, parameters) if parameters is not None else None
    if trainer is not None and parameters is not None:
        whole = sum(trainer) / MIB
        parts = ", ".join(f"{name} {value / MIB:,.0f}" for name, value in trainer._asdict().items())
        found["plan.trainer_mib"] = (round(whole), f"lower bound: {parts} MiB")
        if "plan.vllm_share_mib" in found and memory:
            vllm, asleep = found["plan.vllm_share_mib"][0], facts.value("plan.vllm_enable_sleep_mode") is True
            most = peak_mib(trainer, vllm, asleep)
            found["plan.memory_share"] = (
                round(most / memory, 2),
                f"lower bound: trainer {whole:,.0f} MiB, vLLM {vllm:,.0f} MiB"
                f"{' (freed in sleep mode)' if asleep else ''}, of {memory:,.0f} MiB",
            )
    return found


def peak_mib(trainer: Trainer, vllm_share: float, asleep: bool) -> float:
    """The largest sum at one time of what the trainer keeps and of vLLM's share in MiB, in MiB.

    With sleep mode (`asleep`), vLLM's share and the gradients are never allocated at the same time. Weights and
    optimizer state stay allocated while vLLM generates.
    """
    if not asleep:
        return vllm_share + sum(trainer) / MIB
    return max(sum(trainer) / MIB, vllm_share + (trainer.weights + trainer.optimizer) / MIB)


def _vllm_weight_bytes(facts: Facts) -> float | None:
    """Return the bytes per weight in vLLM; None for a checkpoint that is or might be quantized."""
    if _is_quantized(facts) is not False:
        return None
    # vLLM loads float32 checkpoints in 16 bits by default. An unknown data type counts as 16 bits.
    return 2


def trainer_bytes(facts: Facts, parameters: float) -> Trainer | None:
    """Return the trainer's memory on each GPU; None if the sharding or the size of quantized weights is unknown."""
    spread, quantized = _spread(facts), _is_quantized(facts)
    if spread is None or quantized is None:
        return None
    over_weights, over_gradients, over_optimizer = spread
    each = _BYTES.get(str(facts.value("plan.dtype", "")), 2)
    if facts.value("plan.peft") is not False:
        if facts.value("plan.peft") is None:
            return None
        # The base model is frozen. A quantized one takes a quarter of its 16-bit size.
        base = 0.5 if quantized else each
        return Trainer(parameters * base / over_weights, 0, parameters * _ADAPTER_SHARE * _ADAPTER_BYTES)
    if quantized:
        # Quantized weights cannot be trained. What the trainer makes of them is not known.
        return None
    stage = facts.value("plan.deepspeed_stage")
    optimizer = str(facts.value("plan.optim", "adamw_torch")).lower()
    mixed = isinstance(stage, int) and stage > 0 and _is_mixed(facts)
    # DeepSpeed keeps 16-bit weights, plus a copy and both moments in float32. Without DeepSpeed, both moments have the
    # data type of the weights.
    state = 12 if mixed else 2 * each
    if "8bit" in optimizer:
        state = 2
    elif not optimizer.startswith(_ADAM):
        state = 0
    weights = 2 if mixed else each
    on_gpu = facts.value("plan.optimizer_offload", "none") in ("none", None)
    kept = facts.value("plan.parameter_offload", "none") in ("none", None)
    return Trainer(
        parameters * weights / over_weights * kept,
        parameters * weights / over_gradients * on_gpu,
        parameters * state / over_optimizer * on_gpu,
    )


def _is_quantized(facts: Facts) -> bool | None:
    """Return whether the checkpoint is quantized; None if its name suggests it, and False if nothing does."""
    if facts.get("plan.model_quantization") is None and "plan.model_quantization" in facts.reasons:
        return None
    return facts.value("plan.model_quantization") is not None


def _is_mixed(facts: Facts) -> bool:
    return any(
        facts.value(f"plan.{name}") is True for name in ("deepspeed_bf16", "deepspeed_fp16", "bf16", "fp16")
    ) or (facts.value("plan.mixed_precision") in ("bf16", "fp16"))


def _spread(facts: Facts) -> tuple[float, float, float] | None:
    """Return the number of GPUs that weights, gradients and optimizer state are sharded over; None if unknown."""
    stage, sharding = facts.value("plan.deepspeed_stage"), facts.value("plan.fsdp_sharding")
    processes = number(facts, "plan.world_size")
    if stage == 0 and sharding is None and facts.value("plan.fsdp") in (None, "", "no"):
        return (1, 1, 1)
    if processes is None or not processes:
        return None
    if sharding == "full":
        return (processes, processes, processes)
    if sharding == "gradients":
        return (1, processes, processes)
    if sharding == "none":
        return (1, 1, 1)
    if isinstance(stage, int):
        return (
            processes if stage >= 3 else 1,
            processes if stage >= 2 else 1,
            processes if stage >= 1 else 1,
        )
    return (1, 1, 1) if processes == 1 else None


def number(facts: Facts, name: str) -> float | None:
    """The value of a fact that is a number; None if it is unknown or nothing."""
    value = facts.value(name)
    return value if isinstance(value, int | float) and not isinstance(value, bool) else None


def smallest(facts: Facts, name: str) -> float | None:
    """Return the smallest value among the visible GPUs."""
    values = facts.value(name)
    numbers = [v for v in values if isinstance(v, int | float)] if isinstance(values, tuple) else []
    return min(numbers, default=None)
