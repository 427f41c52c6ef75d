"""The memory budget of one GPU, in words."""

from __future__ import annotations

from vcompat.facts.memory.budget import Budget
from vcompat.report.parts.layout import field

#: Each part of the budget, and how it is called.
PARTS = (
    ("weights", "weights"),
    ("gradients", "gradients"),
    ("optimizer", "optimizer"),
    ("buffers", "gradient buffers"),
    ("vllm_weights", "vLLM weights"),
    ("vllm_cache", "vLLM cache"),
)
#: What is missing, in words.
_WORDS = {
    "plan.model": "the model's size",
    "plan.use_vllm": "use_vllm",
    "plan.vllm_mode": "vllm_mode",
    "plan.peft": "whether an adapter is trained",
    "plan.deepspeed_stage": "ZeRO stage",
    "plan.world_size": "number of processes",
    "plan.vllm_gpu_memory_utilization": "vllm_gpu_memory_utilization",
    "plan.tensor_parallel_size": "tensor parallel size",
    "plan.trainer_mib": "how many weights the script freezes",
}


def gib(mib: float) -> str:
    """Mebibytes as gibibytes with one decimal, such as ``79.6``."""
    return f"{mib / 1024:.1f}"


def parts(budget: Budget) -> list[tuple[str, str, float]]:
    """The parts that could be estimated: key, name and MiB of each."""
    known = [(key, name, value) for key, name in PARTS if (value := getattr(budget, key)) is not None]
    if budget.vllm_share is not None and budget.vllm_weights is None:
        known.append(("vllm_share", "vLLM", budget.vllm_share))
    return known


def phases(budget: Budget) -> list[tuple[str, list[tuple[str, str, float]]]]:
    """The parts that a GPU holds at one time, as `parts` returns them: two phases if trainer and vLLM take turns."""
    every = parts(budget)
    if not budget.takes_turns:
        return [("", every)] if every else []
    trains = [part for part in every if not part[0].startswith("vllm")]
    generates = [part for part in every if part[0] != "gradients"]
    return [("training", trains), ("generating", generates)]


def summary(budget: Budget) -> str:
    """The budget as one sentence, in GiB."""
    if budget.total is None:
        return f"not known per GPU ({budget.why_no_total or 'pass --target, such as --target 8xH100'})"
    likely = " (with likely settings)" if budget.is_likely else ""
    divided = _divided(budget)
    every = parts(budget)
    # It is about the trainer's parts, which come first.
    last = [key for key, _, _ in every if not key.startswith("vllm")][-1:]
    named = ", ".join(f"{name} {gib(value)}{divided if [key] == last else ''}" for key, name, value in every)
    text = f"{gib(budget.total)} GiB per GPU{likely}" + (f": {named}" if named else "")
    if budget.left is None:
        missing = [_WORDS.get(name, name) for name in budget.missing] or ["how the trainer spreads the model"]
        return f"{text}; not known: {', '.join(missing)}"
    turns = " (trainer and vLLM take turns)" if budget.takes_turns else ""
    # The estimate is a lower bound of what is used.
    over = f"at least {gib(-budget.left)} missing"
    if budget.left >= 0:
        over = f"at most {gib(budget.left)} left for activations"
    return f"{text}; {over}{turns}{_logits(budget)}"


def _logits(budget: Budget) -> str:
    """What the longest completions need; empty if that is not known, or not what limits the run.

    A loss has no gradients of the weights and no vLLM that sleeps: another moment may need more.
    """
    left = budget.left_in_loss
    if budget.logits is None or left is None or budget.left is None or not 0 <= budget.left > left:
        return ""
    over = f"at most {gib(left)} left" if left >= 0 else f"at least {gib(-left)} missing"
    return f"; logits of completions of full length {gib(budget.logits)}: {over}"


def _divided(budget: Budget) -> str:
    """State that the trainer's parts are those of a divided model."""
    if budget.gpus_of_model == 1:
        return ""
    does = "divides" if budget.is_divided else "may divide"
    return f" (one process {does} the model among {budget.gpus_of_model} GPUs)"


def memory_lines(budget: Budget | None, width: int) -> list[str]:
    """The lines of a text report; none without a GPU."""
    if budget is None:
        return []
    fits = budget.left is None or budget.left >= 0
    return field("memory", summary(budget), width, color="" if fits else "red")
