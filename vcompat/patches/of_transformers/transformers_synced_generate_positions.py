"""Fix `generate(synced_gpus=True)` on a rank that finishes before the others, in transformers 4.46 and later.

Why: under ZeRO-3 or FSDP every rank must run as many forward passes as the slowest rank. A rank whose completions are
finished repeats the pass with the same tokens, but its attention mask and position ids grow with each pass. With a
key-value cache both are cut to the length of the tokens. Without one (`use_cache=False`, which gradient checkpointing
implied until 4.48), the position ids are not cut until 5.2, and the attention mask is not cut in any release. The rank
fails with "The size of tensor a (1034) must match the size of tensor b (1035)", and the other ranks hang.
How: wrap `GenerationMixin.prepare_inputs_for_generation` and cut its result to the length of the tokens if the pass
has no cache. The output of such a pass is discarded, so it does not matter which end is cut. Models that override the
method are not changed.
Process: every rank.
Upstream: https://github.com/huggingface/trl/issues/2878, https://github.com/huggingface/trl/issues/2965.
Remove when: transformers cuts the attention mask too.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from vcompat.patching.patch import Change, Patch
from vcompat.patching.replace import Wrap

_PER_TOKEN = ("position_ids", "token_type_ids", "attention_mask")


def _cutting(prepare: Callable[..., Any]) -> Callable[..., Any]:
    def prepare_and_cut(self: Any, *args: Any, **kwargs: Any) -> Any:
        inputs = prepare(self, *args, **kwargs)
        if not _has_cache(inputs) and not self.config.is_encoder_decoder:
            _cut(inputs)
        return inputs

    return prepare_and_cut


def _has_cache(inputs: Any) -> bool:
    # `past_key_values` until 5.23, `cache` from 5.24 on; an object by either name, or a tuple until 4.x.
    return inputs.get("past_key_values") is not None or any(
        hasattr(value, "get_seq_length") for value in inputs.values()
    )


def _cut(inputs: dict[str, Any]) -> None:
    tokens = inputs.get("input_ids")
    tokens = inputs.get("inputs_embeds") if tokens is None else tokens
    if tokens is None:
        return
    length = tokens.shape[1]
    for name in _PER_TOKEN:
        value: Any = inputs.get(name)
        if getattr(value, "ndim", 0) == 2 and value.shape[1] > length:
            inputs[name] = value[:, :length]
    positions = inputs.get("cache_position")
    if positions is not None and len(positions) > length:
        inputs["cache_position"] = positions[:length]


PATCH = Patch(
    id="transformers_synced_generate_positions",
    title="Let ranks that finish early keep generating",
    package="transformers",
    process="every rank",
    changes=(
        Change(
            "transformers.generation.utils",
            "GenerationMixin.prepare_inputs_for_generation",
            Wrap("GenerationMixin.prepare_inputs_for_generation", _cutting),
            shape=("if attention_mask is not None",),
            has=("model_inputs[model_input_name] = model_input",),
        ),
    ),
)
