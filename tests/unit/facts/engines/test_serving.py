"""Whether vLLM serves the model and transformers has it, by the records of models."""

from __future__ import annotations

import pytest
from packaging.version import Version

from vcompat.facts.derive import derive
from vcompat.facts.facts import Facts
from vcompat.facts.value import FactValue

UNKNOWN = "unknown"


def derived(versions: str, *reasons: str, **stated: FactValue) -> Facts:
    facts = Facts()
    for package, version in zip(("trl", "transformers", "vllm"), versions.split(), strict=True):
        facts.set(f"packages.{package}", Version(version), "here")
    facts.set("plan.vllm_mode", "colocate", "here")
    for name, value in stated.items():
        facts.set(f"plan.{name}", value, "here")
    for name in reasons:
        facts.forget(name, "not known")
    return derive(facts, takes_defaults=True)


def support(versions: str, architecture: str, *reasons: str, **stated: FactValue) -> FactValue:
    facts = derived(versions, *reasons, model_architecture=architecture, **stated)
    return facts.value("vllm.model_support", UNKNOWN)


@pytest.mark.parametrize(
    ("versions", "architecture", "whose"),
    [
        ("1.0.0 5.0.0 0.12.0", "Qwen2ForCausalLM", "vllm"),
        ("0.23.0 4.57.0 0.10.2", "Qwen3NextForCausalLM", "vllm"),
        ("0.23.0 4.57.0 0.10.1.1", "Qwen3NextForCausalLM", None),
        # Before TRL 0.21.0, vLLM chooses. transformers' class sets no flag, which is all that vLLM 0.9 asks.
        ("0.20.0 4.57.0 0.9.2", "Qwen3NextForCausalLM", None),
        ("0.20.0 4.57.0 0.9.2", "ApertusForCausalLM", "transformers"),
        ("0.20.0 4.54.0 0.9.2", "ApertusForCausalLM", None),
        # vLLM 0.8.2 also looks at another attribute, which is not recorded.
        ("0.20.0 4.57.0 0.8.2", "ApertusForCausalLM", UNKNOWN),
        # Before 0.7.0 there is no fallback.
        ("0.20.0 4.57.0 0.6.6", "Qwen3ForCausalLM", None),
        # Removed.
        ("1.0.0 5.0.0 0.25.0", "BaichuanForCausalLM", None),
        ("1.0.0 5.0.0 0.24.0", "BaichuanForCausalLM", "vllm"),
        # With another ending, the record of transformers' classes does not answer.
        ("0.20.0 4.57.0 0.9.2", "SomeModel", UNKNOWN),
        ("1.0.0 5.0.0 99.0", "Qwen2ForCausalLM", UNKNOWN),
    ],
)
def test_an_architecture_is_served_by_vllms_class_or_by_transformers(
    versions: str, architecture: str, whose: FactValue
) -> None:
    assert support(versions, architecture) == whose


def test_transformers_class_serves_only_if_trl_lets_vllm_choose() -> None:
    assert support("0.23.0 4.57.0 0.10.1.1", "Qwen3NextForCausalLM", vllm_model_impl="vllm") is None
    assert support("0.23.0 4.57.0 0.10.1.1", "ApertusForCausalLM", vllm_model_impl="auto") == "transformers"
    assert support("0.23.0 4.57.0 0.10.1.1", "ApertusForCausalLM", vllm_model_impl="vllm") is None
    assert support("0.23.0 4.57.0 0.10.1.1", "ApertusForCausalLM", vllm_model_impl="transformers") == UNKNOWN
    assert support("0.23.0 4.57.0 0.10.1.1", "Qwen2ForCausalLM", vllm_model_impl="transformers") == UNKNOWN


def test_a_server_may_choose_otherwise_than_the_trainer() -> None:
    assert support("0.23.0 4.57.0 0.10.1.1", "ApertusForCausalLM", vllm_mode="server") == UNKNOWN
    assert support("0.23.0 4.50.0 0.10.1.1", "ApertusForCausalLM", vllm_mode="server") is None


def test_code_of_the_model_or_of_the_script_may_add_the_model() -> None:
    assert support("0.20.0 4.50.0 0.9.2", "OwnForCausalLM") is None
    assert support("0.20.0 4.50.0 0.9.2", "OwnForCausalLM", model_code=("AutoModel",)) == UNKNOWN
    assert support("0.20.0 4.50.0 0.9.2", "OwnForCausalLM", "plan.registers_models") == UNKNOWN


def has(transformers: str, model_type: str, *reasons: str, **stated: FactValue) -> FactValue:
    facts = derived(f"1.0.0 {transformers} 0.12.0", *reasons, model_type=model_type, **stated)
    return facts.value("transformers.has_model", UNKNOWN)


def test_transformers_has_the_model_types_of_its_table() -> None:
    assert has("4.57.0", "qwen3_next") is True
    assert has("4.56.2", "qwen3_next") is False
    assert has("4.56.2", "qwen3_next", model_code=("AutoConfig",)) == UNKNOWN
    assert has("4.56.2", "qwen3_next", "plan.registers_models") == UNKNOWN
    assert has("99.0", "qwen2") == UNKNOWN


def test_the_source_states_which_releases_have_the_model() -> None:
    facts = derived("0.23.0 4.56.2 0.10.1.1", model_architecture="Qwen3NextForCausalLM", model_type="qwen3_next")
    assert facts.known["vllm.model_support"].source == (
        "vLLM 0.10.1.1 does not have Qwen3NextForCausalLM (0.10.2 and newer do), and vllm_model_impl is vllm"
    )
    assert facts.known["transformers.has_model"].source == (
        "transformers 4.56.2 does not have qwen3_next (4.57.0 and newer do)"
    )
    gone = derived("1.0.0 5.0.0 0.25.0", model_architecture="BaichuanForCausalLM")
    assert gone.known["vllm.model_support"].source.startswith(
        "vLLM 0.25.0 does not have BaichuanForCausalLM (0.2.5 - 0.24.0 do)"
    )
