"""Whether a model takes images or is hybrid, as the recorded classes of vLLM's releases state."""

from __future__ import annotations

import pytest
from packaging.version import Version

from vcompat.facts.derive import derive
from vcompat.facts.facts import Facts
from vcompat.facts.records.models import ARCHITECTURES, ELSEWHERE, load_models


def kind_of(architecture: str, vllm: str = "", fact: str = "plan.model_is_multimodal") -> bool | None:
    facts = Facts()
    facts.set("plan.model_architecture", architecture, "config.json")
    if vllm:
        facts.set("packages.vllm", Version(vllm), "installed")
    value = derive(facts).value(fact)
    assert value is None or isinstance(value, bool)
    return value


@pytest.mark.parametrize(
    ("architecture", "takes"),
    [
        ("Qwen2_5_VLForConditionalGeneration", True),
        ("Qwen2ForCausalLM", False),
        ("Gemma3ForConditionalGeneration", True),
        ("Gemma3ForCausalLM", False),
        ("NoSuchForCausalLM", None),
    ],
)
def test_the_class_of_the_architecture_tells_whether_a_model_takes_images(architecture: str, takes: bool) -> None:
    assert kind_of(architecture) is takes


@pytest.mark.parametrize(
    ("architecture", "is_hybrid"),
    [
        ("Qwen3NextForCausalLM", True),
        ("Qwen3_5ForConditionalGeneration", True),
        ("FalconH1ForCausalLM", True),
        ("MambaForCausalLM", False),
        ("Qwen3ForCausalLM", False),
        ("NoSuchForCausalLM", None),
    ],
)
def test_the_class_of_the_architecture_tells_whether_layers_keep_a_state(
    architecture: str, is_hybrid: bool | None
) -> None:
    assert kind_of(architecture, fact="plan.model_is_hybrid") is is_hybrid


def test_where_releases_differ_only_the_installed_one_tells() -> None:
    assert kind_of("Gemma3nForConditionalGeneration") is None
    assert kind_of("Gemma3nForConditionalGeneration", "0.10.0") is False
    assert kind_of("Gemma3nForConditionalGeneration", "0.11.0+cu129") is True


def test_a_class_that_was_not_found_leaves_it_open() -> None:
    record = load_models("vllm")
    assert record is not None
    newest = Version(record.releases[-1])
    unread = [
        name
        for name in sorted(record.names(ELSEWHERE, newest))
        if not any(
            record.has(ARCHITECTURES, name, version) and not record.has(ELSEWHERE, name, version)
            for version in map(Version, record.releases)
        )
    ]
    assert unread
    assert all(kind_of(name, str(newest)) is None for name in unread)
