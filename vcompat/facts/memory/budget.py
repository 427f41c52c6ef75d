"""What one GPU has to hold, part by part, for the report: trainer, vLLM, and what is left.

The numbers are those of ``estimates``, which also explains what they count and what they do not.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from vcompat.facts.facts import Facts, number, smallest
from vcompat.facts.frameworks import replaces_trl

if TYPE_CHECKING:
    from vcompat.facts.memory.trainer_memory import Trainer


class Budget(NamedTuple):
    """Memory of one GPU, in MiB: the smallest GPU of the run."""

    total: float | None
    """None if the GPU's memory is not known."""
    weights: float | None = None
    """The trainer's weights, with a reference model; None if they cannot be estimated, as the next three."""
    gradients: float | None = None
    optimizer: float | None = None
    buffers: float | None = None
    """Buffers of gradients that stay allocated, with DDP and ZeRO-3."""
    vllm_weights: float | None = None
    """None if they cannot be estimated, or if vLLM runs elsewhere."""
    vllm_cache: float | None = None
    """What vLLM's weights leave of its share: the key-value cache and vLLM's own buffers."""
    vllm_share: float | None = None
    """What vLLM takes in all; None if it runs elsewhere or its share is not known."""
    peak: float | None = None
    """The largest sum at one time; None if a part is not known. With sleep mode, trainer and vLLM take turns."""
    takes_turns: bool = False
    """Whether vLLM sleeps while the trainer steps."""
    missing: tuple[str, ...] = ()
    """The facts without which a part cannot be estimated."""
    why_no_total: str = ""
    """Why the GPU's memory is not known, if a reason is: a GPU that is sold in two sizes."""
    is_likely: bool = False
    """Whether likely facts were counted."""
    gpus_of_model: int = 1
    """The GPUs among which a single process divides the model, or may; what the trainer has is divided by it."""
    is_divided: bool = False
    """Whether it certainly does."""
    logits: float | None = None
    """What the logits of a loss and their gradients take if a completion is as long as it may be; None if unknown."""
    in_loss: float | None = None
    """The largest sum in such a loss; None if a part is not known."""

    @property
    def left(self) -> float | None:
        """What is left for activations, CUDA contexts and buffers; negative if the run does not fit."""
        return None if self.peak is None or self.total is None else self.total - self.peak

    @property
    def left_in_loss(self) -> float | None:
        """What is left for activations while the logits are there; negative if a long completion does not fit."""
        return None if self.in_loss is None or self.total is None else self.total - self.in_loss


def budget(facts: Facts) -> Budget | None:
    """The memory budget of a run with GPUs; None if there is no GPU, or nothing is known about one.

    A framework other than TRL divides the memory otherwise: unsloth's trainer uses the weights of the engine.
    """
    total = smallest(facts, "gpu.memory_mib")
    if (not total and not number(facts, "gpu.count")) or replaces_trl(facts):
        return None
    # Imported here: without GPUs there is no budget.
    from vcompat.facts.memory.estimates import is_divided, logits_of, trainer_bytes

    share, vllm_weights = number(facts, "plan.vllm_share_mib"), number(facts, "plan.vllm_weights_mib")
    is_colocated = facts.value("plan.use_vllm") is True and facts.value("plan.vllm_mode") == "colocate"
    parameters, logits = number(facts, "plan.model_parameters"), logits_of(facts)
    known = Budget(
        total,
        vllm_weights=vllm_weights,
        vllm_cache=max(0.0, share - vllm_weights) if share is not None and vllm_weights is not None else None,
        vllm_share=share,
        takes_turns=is_colocated and facts.value("plan.vllm_enable_sleep_mode") is True,
        missing=tuple(_missing(facts, parameters, is_colocated)),
        why_no_total="" if total is not None else facts.why_unknown("gpu.memory_mib"),
        is_divided=is_divided(facts),
        logits=logits[0] if logits is not None else None,
    )
    trainer = trainer_bytes(facts, parameters) if parameters is not None else None
    return known if trainer is None else _with_trainer(known, trainer, facts, is_colocated)


def _with_trainer(known: Budget, trainer: Trainer, facts: Facts, is_colocated: bool) -> Budget:
    """Return what is known of a budget with the memory of the trainer, and with the sums that it decides."""
    from vcompat.facts.memory.estimates import gpus_of_model, has_no_engine, loss_mib, may_sleep
    from vcompat.facts.memory.trainer_memory import MIB, peak_mib

    peak = None
    if is_colocated and known.vllm_share is not None:
        peak = peak_mib(trainer, known.vllm_share, may_sleep(facts))
    elif has_no_engine(facts):
        peak = sum(trainer) / MIB
    in_loss = None
    if peak is not None and known.logits is not None:
        in_loss = loss_mib(facts, trainer, known.logits, (known.vllm_share or 0.0) if is_colocated else 0.0)
    return known._replace(
        weights=trainer.weights / MIB,
        gradients=trainer.gradients / MIB,
        optimizer=trainer.optimizer / MIB,
        buffers=trainer.buffers / MIB if trainer.buffers else None,
        peak=peak,
        gpus_of_model=gpus_of_model(facts),
        in_loss=in_loss,
    )


def _missing(facts: Facts, parameters: float | None, colocated: bool) -> list[str]:
    names = [] if parameters is not None else ["plan.model"]
    if facts.get("plan.use_vllm") is None:
        names.append("plan.use_vllm")
    elif facts.value("plan.use_vllm") and facts.get("plan.vllm_mode") is None:
        names.append("plan.vllm_mode")
    wanted = ["plan.peft", "plan.deepspeed_stage", "plan.world_size"]
    wanted += ["plan.vllm_gpu_memory_utilization", "plan.tensor_parallel_size"] if colocated else []
    wanted += ["plan.trainer_mib"] if facts.value("plan.peft") is False and facts.is_open("plan.trainer_mib") else []
    return names + [name for name in wanted if facts.get(name) is None]
