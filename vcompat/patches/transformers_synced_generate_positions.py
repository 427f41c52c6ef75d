"""Keeps `generate(synced_gpus=True)` going on a rank that is done before the others, in transformers from 4.46 on.

Why: under ZeRO-3 or FSDP every rank must go through as many forward passes as the slowest. A rank whose completions
are done goes on with the same tokens, but its attention mask and positions grow with each pass. With a key-value
cache they are cut to the tokens' length; without one (`use_cache=False`, which gradient checkpointing brought about
until 4.48) the positions are not until 5.2, and the mask is not in any release: "The size of tensor a (1034) must
match the size of tensor b (1035)", and the other ranks hang.
How: what `prepare_inputs_for_generation` returns for a pass without cache is cut to the length of its tokens. Nothing
of such a pass is used, so which end is cut does not matter. Models that define the method themselves are left alone.
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
        if inputs.get("past_key_values") is None and not self.config.is_encoder_decoder:
            _cut(inputs)
        return inputs

    return prepare_and_cut


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
            shape=("if past_key_values is not None:", "if attention_mask is not None"),
            has=("model_inputs[model_input_name] = model_input",),
        ),
    ),
)
