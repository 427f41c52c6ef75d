"""Let GRPOTrainer of TRL 0.15 and 0.16 train under transformers 4.52.0 and later.

Why: from 4.52.0 on, the Trainer of transformers passes the dataset to `_get_train_sampler`. GRPOTrainer of TRL 0.15.0 -
0.16.1 overrides that method without a parameter, so that `train()` raises TypeError before the first step.
How: the method accepts the dataset and ignores it. It samples from the training dataset in any case, which is what
transformers passes.
Process: every rank.
Upstream: https://github.com/huggingface/transformers/pull/38090. TRL 0.17.0 does not let transformers call the method.
Remove when: TRL 0.16.1 is no longer supported.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from vcompat.patching.patch import Change, Patch
from vcompat.patching.replace import Wrap


def _with_dataset(get_sampler: Callable[[Any], Any]) -> Callable[..., Any]:
    def get_train_sampler(self: Any, dataset: Any = None) -> Any:
        return get_sampler(self)

    return get_train_sampler


PATCH = Patch(
    id="trl_train_sampler_dataset",
    title="Accept the dataset that transformers passes for the training sampler",
    package="trl",
    process="every rank",
    changes=(
        Change(
            "trl.trainer.grpo_trainer",
            "GRPOTrainer._get_train_sampler",
            Wrap("GRPOTrainer._get_train_sampler", _with_dataset),
            shape=("def _get_train_sampler(self",),
            # TRL 0.17.0 returns another sampler, and does not let transformers call the method.
            has=("def _get_train_sampler(self) ->", "return RepeatRandomSampler("),
        ),
    ),
)
