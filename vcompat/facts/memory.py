"""How much of a GPU colocated training takes: an estimate from below, from the model's size and the configuration.

Counted are weights, gradients, the optimizer's state and vLLM's share. Not counted are activations, CUDA's own context
(some 0.5 GiB a process), buffers of collectives and fragmentation: the real need is larger, so that what does not fit
by this estimate does not fit. vLLM's cache is what is left of its share, estimated from above. The count of parameters
is within 2 % of the real model where its config.json is at hand; where only its name says a size, the least that the
name stands for is taken, and so is the smaller of data types that are not known.
"""

from __future__ import annotations

from typing import NamedTuple

from vcompat.facts.facts import Facts

MIB = 1024 * 1024
#: Bytes of one number.
_BYTES = {"float32": 4, "float": 4, "bfloat16": 2, "float16": 2, "half": 2, "float64": 8}
#: Optimizers that keep two numbers of the weights' own type for each parameter; of others nothing is counted.
_ADAM = ("adamw", "adam")
#: What an adapter trains, as a share of the model, and bytes for each of its parameters (float32, gradient, moments).
_ADAPTER_SHARE, _ADAPTER_BYTES = 0.002, 16


class Trainer(NamedTuple):
    """What the trainer keeps on each GPU, in bytes."""

    weights: float
    gradients: float
    optimizer: float


def estimate(facts: Facts) -> dict[str, tuple[float, str]]:
    """The facts of memory that follow, each with its source; none of what is not known."""
    found: dict[str, tuple[float, str]] = {}
    if facts.value("plan.use_vllm") is not True or facts.value("plan.vllm_mode") != "colocate":
        return found
    memory, parameters = smallest(facts, "gpu.memory_mib"), number(facts, "plan.model_parameters")
    share, size = number(facts, "plan.vllm_gpu_memory_utilization"), number(facts, "plan.tensor_parallel_size")
    if share is not None and memory is not None:
        found["plan.vllm_share_mib"] = (
            round(share * memory),
            f"vllm_gpu_memory_utilization {share:g} of {memory:.0f} MiB",
        )
    if parameters is not None and size and facts.value("plan.quantization") is None:
        weights = _vllm_weight_bytes(facts)
        if weights is not None:
            source = f"{parameters / 1e9:.3g} billion parameters of {weights:g} bytes / tensor parallel size {size:g}"
            found["plan.vllm_weights_mib"] = (round(parameters * weights / size / MIB), source)
    cache = number(facts, "plan.kv_bytes_per_token")
    if cache and size and {"plan.vllm_share_mib", "plan.vllm_weights_mib"} <= found.keys():
        # Heads divide among the GPUs as far as there are heads; beyond, each has a copy.
        each = cache / min(size, number(facts, "plan.key_value_heads") or size)
        each = each / 2 if str(facts.value("plan.kv_cache_dtype", "")).startswith("fp8") else each
        room = (found["plan.vllm_share_mib"][0] - found["plan.vllm_weights_mib"][0]) * MIB
        source = f"estimated from above: what vLLM's weights leave of its share, {each:,.0f} bytes a token"
        found["plan.kv_cache_tokens"] = (max(0, int(room / each)), source)
    trainer = trainer_bytes(facts, parameters) if parameters is not None else None
    if trainer is not None and parameters is not None:
        whole = sum(trainer) / MIB
        parts = ", ".join(f"{name} {value / MIB:,.0f}" for name, value in trainer._asdict().items())
        found["plan.trainer_mib"] = (round(whole), f"estimated from below: {parts} MiB")
        if "plan.vllm_share_mib" in found and memory:
            vllm, asleep = found["plan.vllm_share_mib"][0], facts.value("plan.vllm_enable_sleep_mode") is True
            most = peak_mib(trainer, vllm, asleep)
            found["plan.memory_share"] = (
                round(most / memory, 2),
                f"estimated from below: trainer {whole:,.0f} MiB, vLLM {vllm:,.0f} MiB"
                f"{', in turns' if asleep else ''}, of {memory:,.0f} MiB",
            )
    return found


def peak_mib(trainer: Trainer, vllm_share: float, asleep: bool) -> float:
    """The largest sum at one time of what the trainer keeps and of vLLM's share in MiB, in MiB.

    While vLLM sleeps (`asleep`), it frees its share. Weights and optimizer state stay while it generates; gradients do
    not exist then.
    """
    if not asleep:
        return vllm_share + sum(trainer) / MIB
    return max(sum(trainer) / MIB, vllm_share + (trainer.weights + trainer.optimizer) / MIB)


def _vllm_weight_bytes(facts: Facts) -> float | None:
    """Bytes of one of vLLM's weights; None for a quantized checkpoint."""
    if facts.value("plan.model_quantization") is not None:
        return None
    # vLLM halves float32 checkpoints unless it is told otherwise; what is not known is taken to be 16 bits.
    return 2


def trainer_bytes(facts: Facts, parameters: float) -> Trainer | None:
    """What the trainer keeps on each GPU; None where how it is spread is not known."""
    spread = _spread(facts)
    if spread is None:
        return None
    over_weights, over_gradients, over_optimizer = spread
    each = _BYTES.get(str(facts.value("plan.dtype", "")), 2)
    if facts.value("plan.peft") is not False:
        if facts.value("plan.peft") is None:
            return None
        # The base model stands still; quantized ones take a quarter.
        base = each if facts.value("plan.model_quantization") is None else 0.5
        return Trainer(parameters * base / over_weights, 0, parameters * _ADAPTER_SHARE * _ADAPTER_BYTES)
    stage = facts.value("plan.deepspeed_stage")
    optimizer = str(facts.value("plan.optim", "adamw_torch")).lower()
    mixed = isinstance(stage, int) and stage > 0 and _is_mixed(facts)
    # DeepSpeed keeps 16-bit weights and, in float32, a copy and both moments; others two moments like the weights.
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


def _is_mixed(facts: Facts) -> bool:
    return any(
        facts.value(f"plan.{name}") is True for name in ("deepspeed_bf16", "deepspeed_fp16", "bf16", "fp16")
    ) or (facts.value("plan.mixed_precision") in ("bf16", "fp16"))


def _spread(facts: Facts) -> tuple[float, float, float] | None:
    """Over how many GPUs weights, gradients and optimizer are spread: DeepSpeed's stages, FSDP's sharding."""
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
    """The smallest of the numbers that the visible GPUs have."""
    values = facts.value(name)
    numbers = [v for v in values if isinstance(v, int | float)] if isinstance(values, tuple) else []
    return min(numbers, default=None)
