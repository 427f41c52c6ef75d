"""The parameter count from a model's config.json, compared with the models that transformers creates from it."""

from __future__ import annotations

from typing import Any

import pytest

from vcompat.sources.reading.configurations.model_config import COUNTED, MIXTURES, count_parameters, read_model_config
from vcompat.sources.reading.document import parse_document

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


#: Small dimensions, so that what is counted wrongly in the layers is not hidden behind the embeddings.
TINY = {
    "hidden_size": 256,
    "num_hidden_layers": 3,
    "num_attention_heads": 8,
    "num_key_value_heads": 2,
    "head_dim": 32,
    "intermediate_size": 512,
    "vocab_size": 1000,
    "max_position_embeddings": 64,
    "pad_token_id": 0,
    "bos_token_id": 1,
    "eos_token_id": 2,
}


@pytest.mark.parametrize("family", sorted(COUNTED))
@pytest.mark.parametrize("tied", [True, False])
def test_the_count_of_each_family_is_within_two_percent(family: str, tied: bool) -> None:
    config = transformers.AutoConfig.for_model(family, **TINY, tie_word_embeddings=tied)
    with torch.device("meta"):
        # The language part of a multimodal model has no head of its own.
        part = family.endswith("_text") and family != "gemma3_text"
        model = (transformers.AutoModel if part else transformers.AutoModelForCausalLM).from_config(config)
    real = sum(parameter.numel() for parameter in model.parameters())
    if part and not tied:
        real += config.vocab_size * config.hidden_size
    counted = count_parameters({**config.to_diff_dict(), "model_type": family})
    assert counted == pytest.approx(real, rel=0.02)


@pytest.mark.parametrize("family", ["phi", "gpt_neox", "falcon", "gpt2", "opt", "bloom", "starcoder2", "nemotron"])
def test_a_family_whose_layers_are_not_llamas_is_not_counted(family: str) -> None:
    assert count_parameters({**TINY, "model_type": family}) is None


@pytest.mark.parametrize("family", sorted(COUNTED))
def test_a_family_is_a_mixture_of_experts_if_its_class_has_experts(family: str) -> None:
    config = transformers.AutoConfig.for_model(family)
    keys = ("num_experts", "moe_num_experts", "n_routed_experts", "num_local_experts")
    has_experts = any(getattr(config, key, None) for key in keys)
    assert (family in MIXTURES) == has_experts
    read = read_model_config(parse_document("config.json", config.to_json_string(use_diff=False))).facts
    assert read.value("plan.model_is_moe") is has_experts
