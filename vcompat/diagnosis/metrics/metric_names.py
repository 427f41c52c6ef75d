"""The metrics that are read, by the names that TRL's releases give them, whatever a logger puts before the name."""

from __future__ import annotations

import re
from typing import NamedTuple

#: The mean and the greatest difference of log-probabilities between trainer and vLLM, in nats, over the sampled tokens.
#: TRL 0.23.0 and later log it for each generation, before the optimizer steps that use it, if `use_vllm` and
#: `vllm_importance_sampling_correction` are set. Between two logs, the values are averaged, also the greatest ones.
MEAN, MAX = "sampling/sampling_logp_difference/mean", "sampling/sampling_logp_difference/max"
#: What the loss is multiplied with, after truncation or masking: per token, or from 0.26.0 on per sequence by default.
RATIO = "sampling/importance_sampling_ratio/mean"
SAMPLING = (MEAN, MAX, "sampling/importance_sampling_ratio/min", RATIO, "sampling/importance_sampling_ratio/max")
#: Every release logs these for GRPO, from 0.14.0 on; no other trainer has `reward_std`.
REWARD, REWARD_STD = "reward", "reward_std"
#: The share of groups of completions with equal rewards, from 0.18.0 on.
ZERO_STD = "frac_reward_zero_std"
#: What stands in each log of GRPO and hardly anywhere else: without one of them, nothing is searched. A line that is
#: wrapped can cut one.
MARKS = (b"reward_std", b"logp_difference")

NAMES = frozenset((*SAMPLING, REWARD, REWARD_STD, ZERO_STD, "loss", "grad_norm", "kl", "entropy"))
#: What names the step of an entry, the best one first.
STEPS = ("step", "Step", "train/global_step", "global_step", "_step")

_NAME = re.compile(
    r"(?:(?P<run>.{1,200}) - )?(?:(?P<evaluated>eval)[_/]|train/)?"
    rf"(?P<name>{'|'.join(sorted(map(re.escape, NAMES), key=len, reverse=True))})"
)


class Metric(NamedTuple):
    """A metric of one run."""

    run: str
    """What a table puts before the names of a run's metrics; empty if it puts nothing."""
    name: str
    """The name; ``eval_`` is before it if it was measured in an evaluation."""


def metric(text: str) -> Metric | None:
    """Return the metric that a key, a tag of TensorBoard or the head of a column names; None for any other text.

    transformers' loggers put ``train/`` and ``eval/`` before a name, Weights & Biases' tables also the run's name.
    """
    named = _NAME.fullmatch(text)
    if named is None:
        return None
    return Metric(named["run"] or "", f"eval_{named['name']}" if named["evaluated"] else named["name"])
