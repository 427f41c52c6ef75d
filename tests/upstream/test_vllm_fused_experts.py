"""vLLM's real loading of weights gets the experts of a real transformers 5 model, with the patch and without.

The model of vLLM has only the parameters of one layer's experts, and a loader that writes into them. That is where the
real layer, which needs a GPU's kernels, would write.
"""

from __future__ import annotations

import typing
from collections.abc import Callable, Iterable
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest
import torch
from safetensors.torch import load_file

from vcompat.patches.of_vllm.vllm_fused_experts import PATCH

EXPERTS, INNER, HIDDEN = 4, 16, 32
MODELS = {"qwen3_moe": "Qwen3MoeModel", "qwen3_next": "Qwen3NextModel", "qwen2_moe": "Qwen2MoeModel"}
Weights = dict[str, torch.Tensor]


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> tuple[Weights, Weights]:
    """The weights of the same experts, as the trainer holds them and as the checkpoint does."""
    from transformers import Qwen3MoeConfig, Qwen3MoeForCausalLM

    torch.manual_seed(0)
    model = Qwen3MoeForCausalLM(
        Qwen3MoeConfig(  # type: ignore[call-arg]
            vocab_size=64,
            hidden_size=HIDDEN,
            intermediate_size=32,
            moe_intermediate_size=INNER,
            num_experts=EXPERTS,
            num_experts_per_tok=2,
            num_hidden_layers=1,
            num_attention_heads=2,
            num_key_value_heads=2,
            head_dim=16,
        )
    )
    folder = tmp_path_factory.mktemp("checkpoint")
    model.save_pretrained(folder)
    return of_experts(model.state_dict()), of_experts(load_file(folder / "model.safetensors"))


def of_experts(weights: Weights) -> Weights:
    """The experts' weights, named as `load_weights` of the inner model gets them."""
    return {name.removeprefix("model."): weight for name, weight in weights.items() if ".experts." in name}


def load(model: type, weights: Iterable[tuple[str, torch.Tensor]]) -> list[torch.Tensor]:
    """Load `weights` into a new model; return its parameters."""
    w13 = torch.nn.Parameter(torch.zeros(EXPERTS, 2 * INNER, HIDDEN), requires_grad=False)
    w2 = torch.nn.Parameter(torch.zeros(EXPERTS, HIDDEN, INNER), requires_grad=False)

    def loader(parameter: Any, weight: Any, name: str, shard_id: str, expert_id: int, **options: Any) -> bool:
        place = {"w1": slice(0, INNER), "w3": slice(INNER, None), "w2": slice(None)}[shard_id]
        parameter.data[expert_id, place] = weight
        return True

    w13.weight_loader = w2.weight_loader = loader  # type: ignore[attr-defined]
    new: Any = model()
    vars(new).update(
        named_parameters=lambda: [("layers.0.mlp.experts.w13_weight", w13), ("layers.0.mlp.experts.w2_weight", w2)],
        get_expert_mapping=mapping,
        quant_config=None,
        config=SimpleNamespace(num_experts=EXPERTS, tie_word_embeddings=False),
    )
    new.load_weights(weights)
    return [w13.data, w2.data]


def mapping() -> list[tuple[str, str, int, str]]:
    """What vLLM's `make_expert_params_mapping` returns."""
    parts = (("w13_", "gate_proj", "w1"), ("w2_", "down_proj", "w2"), ("w13_", "up_proj", "w3"))
    return [(f"experts.{ours}", f"experts.{n}.{name}.", n, w) for n in range(EXPERTS) for ours, name, w in parts]


@pytest.fixture
def model_of(upstream_module: Callable[..., ModuleType]) -> Callable[[str, str], Any]:
    namespace = {
        "Callable": Callable,
        "FusedMoE": SimpleNamespace(make_expert_params_mapping=lambda **options: mapping()),
        "Iterable": Iterable,
        "default_weight_loader": lambda parameter, weight: None,
        "is_pp_missing_parameter": lambda name, model: False,
        "logger": SimpleNamespace(warning_once=lambda *words: None),
        "maybe_remap_kv_scale_name": lambda name, parameters: name,
        "rocm_aiter_ops": SimpleNamespace(is_fusion_moe_shared_experts_enabled=lambda: False),
        "torch": torch,
        "typing": typing,
    }

    def loaded(file: str, version: str) -> Any:
        name = f"vllm.model_executor.models.{file}"
        module = upstream_module("vllm", version, name, (f"{MODELS[file]}.load_weights",), namespace)
        return getattr(module, MODELS[file])

    return loaded


@pytest.mark.parametrize(
    ("file", "version"),
    [(file, version) for file in ("qwen3_moe", "qwen3_next") for version in ("0.18.0", "0.21.0", "0.24.0")],
)
def test_fused_experts_are_loaded_as_those_of_a_checkpoint_only_with_the_patch(
    file: str, version: str, trained: tuple[Weights, Weights], model_of: Any, engine_of: Any
) -> None:
    fused, checkpoint = trained
    assert set(fused) == {"layers.0.mlp.experts.gate_up_proj", "layers.0.mlp.experts.down_proj"}
    assert len(checkpoint) == 3 * EXPERTS
    model = model_of(file, version)
    expected = load(model, checkpoint.items())
    assert all(weight.any() for weight in expected)
    assert not any(weight.any() for weight in load(model, fused.items())), "skipped without an error"
    engine = engine_of(PATCH)
    assert engine.patch(None, (), strict=True)[PATCH.id].status == "applied"
    for weights in (fused, checkpoint):
        assert all(torch.equal(*pair) for pair in zip(load(model, weights.items()), expected, strict=True))
    engine.unpatch()
    assert not any(weight.any() for weight in load(model, fused.items()))


@pytest.mark.parametrize("version", ["0.8.4", "0.9.0", "0.18.0", "0.24.0"])
def test_qwen2_moe_raises_a_key_error_only_without_the_patch(
    version: str, trained: tuple[Weights, Weights], model_of: Any, engine_of: Any
) -> None:
    fused, checkpoint = trained
    model = model_of("qwen2_moe", version)
    expected = load(model, checkpoint.items())
    with pytest.raises(KeyError, match=r"experts\.gate_up_proj"):
        load(model, fused.items())
    engine = engine_of(PATCH)
    engine.patch(None, (), strict=True)
    assert all(torch.equal(*pair) for pair in zip(load(model, fused.items()), expected, strict=True))
    engine.unpatch()
    with pytest.raises(KeyError):
        load(model, fused.items())


@pytest.mark.parametrize("file", MODELS)
def test_a_release_that_loads_fused_experts_is_not_patched(file: str, model_of: Any, outcome: Any) -> None:
    model_of(file, "0.25.0")
    assert outcome(PATCH) == "not needed"
