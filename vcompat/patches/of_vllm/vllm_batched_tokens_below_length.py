"""Raise `max_num_batched_tokens` to the longest sequence where vLLM's V0 engine does not split prefills.

Why: from 0.19.0 on, TRL's colocate mode passes `max_num_batched_tokens=4096`, which no setting changes. The V0 engine
splits prefills into chunks only for models of more than 32768 tokens, and not below compute capability 8.0 if the patch
vllm_attention_before_ampere is applied. Without chunks, a longer `max_model_len` raises ValueError:
"max_num_batched_tokens (4096) is smaller than max_model_len".
How: wrap `EngineArgs._set_default_args_v0`, which decides about chunks. If there are none, the limit becomes the
length of the longest sequence, the smallest value that vLLM accepts. vLLM then profiles with that many tokens, which
leaves less memory for its cache. Only engines under ``external_launcher`` are changed: elsewhere, the limit is the
user's own.
Process: every rank, because with this backend the engine runs in the rank's own process.
Upstream: https://github.com/huggingface/trl/issues/3788.
Remove when: vLLM below 0.11.0, which removed the V0 engine, is no longer supported.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from vcompat.patching.patch import Change, Patch
from vcompat.patching.replace import Wrap


def _with_room(set_defaults: Callable[..., None]) -> Callable[..., None]:
    def set_defaults_with_room(self: Any, model_config: Any, *args: Any, **kwargs: Any) -> None:
        set_defaults(self, model_config, *args, **kwargs)
        limit, longest = self.max_num_batched_tokens, model_config.max_model_len
        is_of_trainer = self.distributed_executor_backend == "external_launcher"
        if is_of_trainer and not self.enable_chunked_prefill and limit is not None and limit < longest:
            self.max_num_batched_tokens = longest

    return set_defaults_with_room


PATCH = Patch(
    id="vllm_batched_tokens_below_length",
    title="Let the V0 engine take sequences of more than TRL's 4096 batched tokens",
    package="vllm",
    process="every rank",
    changes=(
        Change(
            "vllm.engine.arg_utils",
            "EngineArgs._set_default_args_v0",
            Wrap("EngineArgs._set_default_args_v0", _with_room),
            shape=("max_model_len = model_config.max_model_len", "self.enable_chunked_prefill = False"),
            has=("use_long_context = max_model_len > 32768",),
        ),
    ),
)
