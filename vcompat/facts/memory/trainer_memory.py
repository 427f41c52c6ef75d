"""Memory that a trainer keeps on each GPU: weights, gradients, optimizer state, buffers of data parallelism.

`allocation` is a pure function of a `Setup`. `tests/upstream/test_trainer_memory.py` compares it with the tensors of
real trainers after a real step: transformers' Trainer and TRL's GRPOTrainer, alone, under DDP, FSDP and DeepSpeed.

What it leaves out makes it a lower bound: activations, the CUDA context (about 0.5 GiB per process), fragmentation,
buffers of the model (such as rotary tables), counters of the optimizer (4 bytes per tensor), weights that FSDP or
ZeRO-3 gathers for a moment, and DeepSpeed's buckets (`reduce_bucket_size`).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

MIB = 1024 * 1024
#: Bytes per number, by data type.
BYTES: Mapping[str, int] = {"float32": 4, "float": 4, "bfloat16": 2, "float16": 2, "half": 2, "float64": 8}

#: Names of optimizers whose state has the data type of what they update, and their numbers per weight.
_LIKE_WEIGHTS: Mapping[str, int] = {
    "adamw_torch": 2,
    "adamw_torch_fused": 2,
    "adamw_hf": 2,
    "adagrad": 1,
    "rmsprop": 1,
    "sgd": 0,
}
#: Optimizers of bitsandbytes with a state of their own data type: bytes per weight. Those of 8 bits keep 32 bits for
#: embeddings and for tensors of less than 4096 numbers, so 1 byte per number is a lower bound.
_OWN_TYPE: Mapping[str, int] = {"adamw_8bit": 2, "adamw_bnb_8bit": 2, "lion_8bit": 1, "lion_32bit": 4}
#: The name of transformers' default optimizer in this table; the fused one, the newer default, keeps the same state.
DEFAULT_OPTIMIZER = "adamw_torch"


#: Numbers that ZeRO-3 updates at a time: the default of DeepSpeed's `sub_group_size`.
_SUB_GROUP = 1_000_000_000


class Trainer(NamedTuple):
    """Memory of the trainer on each GPU, in bytes."""

    weights: float
    """Weights of the model, of an adapter and of a reference model."""
    gradients: float
    """The most that gradients take at one time, from the backward pass to the optimizer's step."""
    optimizer: float
    """The optimizer's state, and the weights that DeepSpeed keeps in float32 for it."""
    buffers: float = 0
    """Buffers that stay allocated: DDP's buckets of gradients, and ZeRO-3's own gradients."""


class Setup(NamedTuple):
    """What decides the memory of the trainer. The defaults are those of one process that trains every weight."""

    parameters: float
    """Parameters of the model without an adapter. Tied embeddings count once."""
    weight_bytes: float
    """Bytes per weight as loaded."""
    adapter: float | None = None
    """Parameters of the adapter that is trained instead of the model; None if the model is trained."""
    adapter_bytes: float = 4
    """Bytes per weight of the adapter. PEFT makes adapters float32 unless it is told not to."""
    optimizer: str = DEFAULT_OPTIMIZER
    """`TrainingArguments.optim`. The state of an optimizer that is not in the tables counts as 0."""
    backend: str = ""
    """``zero``, ``fsdp``, ``ddp``; empty for a process of its own."""
    stage: int = 0
    """ZeRO stage, 1 to 3."""
    sharded: bool = True
    """Whether FSDP shards anything (not with NO_SHARD)."""
    mixed: bool = False
    """Whether the trainer uses mixed precision in bfloat16 or float16."""
    processes: int = 1
    """Processes that share what is sharded."""
    accumulates: bool = False
    """Whether gradients are accumulated over several micro-steps."""
    keeps_16_bits: bool = False
    """Whether DeepSpeed's optimizer has weights, gradients and state in bfloat16 (`bf16_optimizer_states`)."""
    offloads_optimizer: bool = False
    """Whether the optimizer's state and the gradients are in host memory."""
    offloads_weights: bool = False
    """Whether the weights are in host memory."""
    reference_bytes: float = 0
    """Bytes per weight of the reference model; 0 without one."""


class _Spread(NamedTuple):
    """Over how many processes each part is sharded."""

    weights: int
    gradients: int
    optimizer: int


def allocation(setup: Setup) -> Trainer:
    """Return the memory that `setup` takes on each GPU."""
    spread = _spread(setup)
    frozen = setup.parameters if setup.adapter is not None else 0.0
    trained = setup.parameters if setup.adapter is None else setup.adapter
    frozen_bytes, trained_bytes = _bytes_per_weight(setup)
    weights = (frozen * frozen_bytes + trained * trained_bytes) / spread.weights
    weights += setup.parameters * setup.reference_bytes / _spread_of_reference(setup)
    gradients = trained * trained_bytes / spread.gradients
    optimizer = trained * _state_bytes(setup, trained_bytes) / spread.optimizer
    buffers = gradients if setup.backend == "ddp" else 0.0
    if setup.backend == "zero" and setup.keeps_16_bits:
        # The step needs no other gradients.
        gradients, buffers = (0.0, gradients) if setup.stage >= 3 else (gradients, buffers)
    elif setup.backend == "zero":
        # For its step, DeepSpeed converts gradients to float32: all of them, with ZeRO-3 a group at a time.
        converted = trained * 4 / spread.optimizer
        if setup.stage >= 3:
            gradients, buffers = min(converted, _SUB_GROUP * 4), gradients
        else:
            gradients = max(gradients, converted)
    if setup.offloads_optimizer:
        gradients = optimizer = buffers = 0.0
    return Trainer(0.0 if setup.offloads_weights else weights, gradients, optimizer, buffers)


def _bytes_per_weight(setup: Setup) -> tuple[float, float]:
    """Return the bytes per frozen and per trained weight.

    In mixed precision, DeepSpeed casts the model to 16 bits, and accelerate casts what FSDP trains to float32. A
    quantized weight keeps its size.
    """
    loaded = setup.weight_bytes
    trained = loaded if setup.adapter is None else setup.adapter_bytes
    if setup.mixed and setup.backend == "zero":
        return min(loaded, 2), 2
    if setup.mixed and setup.backend == "fsdp":
        return loaded, 4
    return loaded, trained


def _state_bytes(setup: Setup, trained_bytes: float) -> float:
    """Return the bytes of optimizer state per trained weight, with DeepSpeed's float32 copy of the weight.

    DeepSpeed gives the optimizer float32 weights to update, in place of the model's. With `bf16_optimizer_states`, it
    gives a copy in 16 bits, in ZeRO-3 none.
    """
    zero = setup.backend == "zero"
    if zero and setup.keeps_16_bits:
        return state_bytes(setup.optimizer, 2) + (2 if setup.stage < 3 else 0)
    return state_bytes(setup.optimizer, 4 if zero else trained_bytes) + (4 if zero else 0)


def state_bytes(optimizer: str, weight_bytes: float) -> float:
    """Return the bytes of state that `optimizer` (`TrainingArguments.optim`) keeps on the GPU per weight.

    This is a lower bound. Adafactor keeps one number per row and column, which counts as 0. The state of paged
    optimizers can move to host memory.
    """
    name = optimizer.lower()
    return _OWN_TYPE.get(name, _LIKE_WEIGHTS.get(name, 0) * weight_bytes)


def _spread(setup: Setup) -> _Spread:
    many = max(1, setup.processes)
    if setup.backend == "fsdp" and setup.sharded:
        # SHARD_GRAD_OP differs from FULL_SHARD only between the forward and the backward pass.
        return _Spread(many, many, many)
    if setup.backend == "zero":
        # ZeRO-1 reduces gradients at the end of an accumulation; until then, each process has all of them.
        whole = setup.stage == 1 and setup.accumulates
        return _Spread(many if setup.stage >= 3 else 1, 1 if whole else many, many)
    return _Spread(1, 1, 1)


def _spread_of_reference(setup: Setup) -> int:
    """Return over how many processes TRL shards the reference model: with ZeRO-3 and FSDP (`prepare_deepspeed`)."""
    shards = (setup.backend == "fsdp" and setup.sharded) or (setup.backend == "zero" and setup.stage >= 3)
    return max(1, setup.processes) if shards else 1


def peak_of_loss(trainer: Trainer, logits: float, vllm_share: float, accumulates: bool) -> float:
    """The largest sum while a loss and its gradients are computed, in MiB; `logits` and `vllm_share` are in MiB.

    The gradients of the weights are there only if they are accumulated (`accumulates`).
    """
    kept = sum(trainer) - (0.0 if accumulates else trainer.gradients)
    return kept / MIB + logits + vllm_share


def peak_mib(trainer: Trainer, vllm_share: float, asleep: bool) -> float:
    """The largest sum at one time of what the trainer keeps and of vLLM's share in MiB, in MiB.

    With sleep mode (`asleep`), vLLM's share and the gradients are never allocated at the same time. Everything else of
    the trainer stays allocated while vLLM generates.
    """
    if not asleep:
        return vllm_share + sum(trainer) / MIB
    return max(sum(trainer) / MIB, vllm_share + (sum(trainer) - trainer.gradients) / MIB)
