"""What the metrics of runs show, in words that all formats of a diagnosis share."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from vcompat.diagnosis.diagnosing import Diagnosis
from vcompat.diagnosis.metrics.metric_names import REWARD_STD, ZERO_STD
from vcompat.diagnosis.metrics.metric_shapes import DRIFTING, HEALTHY, NOISE, SILENT, UNCLEAR, Judged, short
from vcompat.diagnosis.ranking import CERTAIN
from vcompat.report.parts.formats import relative
from vcompat.rules.metric_signatures import SIGNATURES

#: What to do if no rule explains a signature. It begins with what distinguishes the causes.
_WEIGHTS = (
    "Compare with a run of ten steps with logging_steps=1, without sleep mode, and with vllm_mode='server': what"
    " changes names the part that loses the weights. Report it to TRL with both logs and the versions."
)
NEXT: Mapping[str, str] = {
    "stale-rollouts": (
        "vLLM probably generates with weights that the trainer no longer has. Numerical noise that reinforces itself"
        f" looks the same, but begins after hundreds of steps. {_WEIGHTS}"
    ),
    "wrong-rollouts": (
        "vLLM probably has other weights than the trainer, or other sampling settings. Check that both load the same"
        " model with the same quantization, and try temperature=1.0, top_p=1.0, top_k=0 and no repetition penalty."
    ),
    "broken-rollouts": (
        "Look for what happens at these steps: a sleep, an evaluation, a checkpoint, the use of another adapter."
        f" {_WEIGHTS}"
    ),
    "stale-evaluation": (
        "vLLM probably generates for the evaluation with other weights than for the training. Its rewards are not"
        " those of the trained model."
    ),
    "discarded-rollouts": (
        "If the log-probabilities differ, find out why. If they do not, the completions are long: small differences"
        " add up over a sequence. vllm_importance_sampling_mode='token_truncate' takes the ratio of each token instead."
    ),
    "not-a-number": (
        "Find the first step with it. Under fp16 the loss scale can overflow; bf16=True avoids it. A learning rate that"
        " is too high, and a reward or a model that returns NaN, look the same."
    ),
    "no-reward-signal": (
        "Nothing is learned from these rewards. Look at the completions (log_completions=True) and at each reward."
    ),
}
#: What is said of a run without signatures. TRL logs what tells from 0.23.0 on, if these settings are on.
_TEXTS: Mapping[str, str] = {
    HEALTHY: f"vLLM's log-probabilities are the trainer's, but for noise: they differ by less than {short(NOISE / 2)}.",
    DRIFTING: (
        "The difference between vLLM's log-probabilities and the trainer's grows. Stale weights begin like this, and so"
        " does numerical noise in long runs: see whether it grows on, also at a tenth of the learning rate."
    ),
    UNCLEAR: "These values do not decide whether vLLM has the trainer's weights.",
    SILENT: (
        "sampling/sampling_logp_difference is not logged, so the metrics do not tell whether vLLM has the trainer's"
        " weights. GRPOTrainer logs it from TRL 0.23.0 on, with use_vllm=True and"
        " vllm_importance_sampling_correction=True (the default)."
    ),
}


class Said(NamedTuple):
    """One statement about a run's metrics."""

    word: str
    """``certain`` or ``possible`` for a failure, ``healthy``, ``unclear`` or ``silent``."""
    text: str
    values: str = ""
    """The values that show it."""
    next: str = ""
    """What to do; empty for a healthy run."""
    signature: str = ""
    """The signature's id, if it is a failure."""


def said(judged: Judged) -> Iterator[Said]:
    """Yield what the metrics of a run show; nothing for metrics of something else than GRPO."""
    if judged.state == SILENT and not (judged.run.has(REWARD_STD) or judged.run.has(ZERO_STD)):
        return
    for each in judged.signatures:
        word = "certain" if each.is_certain else "possible"
        yield Said(word, f"{SIGNATURES[each.id]}.", each.text, NEXT[each.id], each.id)
    if not judged.signatures:
        yield Said(judged.state, _TEXTS[judged.state], judged.text)


def explained(diagnosis: Diagnosis) -> set[str]:
    """The signatures for which a rule is certain to be the cause, so that no other advice is needed."""
    certain = (match for match in diagnosis.causes if match.certainty == CERTAIN)
    return {match.seen.shown.signature.id for match in certain if match.seen.shown.signature is not None}


def name_of(judged: Judged) -> str:
    """The run's file, and the run in it."""
    path = relative(judged.run.path)
    return f"{path} ({judged.run.name})" if judged.run.name else path


def size_of(judged: Judged) -> str:
    """How many entries the run's metrics have."""
    count = max((len(series.values) for series in judged.run.all_series), default=0)
    return f"{count:,} {'entry' if count == 1 else 'entries'}"
