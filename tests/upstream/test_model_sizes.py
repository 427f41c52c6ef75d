"""The parameter count from a model's config.json, compared with the models that transformers creates from it."""

from __future__ import annotations

from typing import Any

import pytest

from vcompat.sources.plan.model_config import count_parameters

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")

SMALL = {
    "hidden_size": 1024,
    "num_hidden_layers": 6,
    "num_attention_heads": 16,
    "intermediate_size": 3072,
    "vocab_size": 50_000,
}
GROUPED = {**SMALL, "num_key_value_heads": 4}


@pytest.mark.parametrize(
    ("family", "sizes"),
    [
        ("Llama", GROUPED),
        ("Llama", {**GROUPED, "tie_word_embeddings": True}),
        ("Mistral", GROUPED),
        ("Qwen2", GROUPED),
        ("Qwen3", {**GROUPED, "head_dim": 128}),
        ("Gemma2", {**GROUPED, "head_dim": 64}),
        ("Gemma3Text", {**GROUPED, "head_dim": 64}),
        ("Phi3", {**GROUPED, "pad_token_id": 0}),
        ("SmolLM3", {**GROUPED, "pad_token_id": 0}),
        ("Olmo2", GROUPED),
        ("Granite", GROUPED),
        ("Mixtral", {**GROUPED, "num_local_experts": 4}),
        ("Qwen3Moe", {**GROUPED, "head_dim": 128, "num_experts": 8, "moe_intermediate_size": 512, "mlp_only_layers": []}),
        ("Qwen2Moe", {**GROUPED, "num_experts": 8, "moe_intermediate_size": 512, "shared_expert_intermediate_size": 1024}),
    ],
)  # fmt: skip
def test_the_count_is_within_two_percent(family: str, sizes: dict[str, Any]) -> None:
    config = getattr(transformers, f"{family}Config")(**sizes)
    with torch.device("meta"):
        model = transformers.AutoModelForCausalLM.from_config(config)
    real = sum(parameter.numel() for parameter in model.parameters())
    counted = count_parameters(config.to_diff_dict())
    assert counted is not None
    assert counted == pytest.approx(real, rel=0.02)
