"""Which fact a setting is, and how a plain value becomes a fact."""

from __future__ import annotations

from typing import Any

import pytest

from tests.unit.sources.reading.told import told
from vcompat.facts.facts import Facts, Place
from vcompat.sources.reading.settings import fact_of, state

PLACE = Place("a.yaml", 2, 3)


@pytest.mark.parametrize(
    ("setting", "fact"),
    [
        ("use_vllm", "plan.use_vllm"),
        ("model", "plan.model"),
        ("model_name_or_path", "plan.model"),
        ("torch_dtype", "plan.dtype"),
        ("dtype", "plan.dtype"),
        ("use_peft", "plan.peft"),
        ("lora_modules_to_save", "plan.modules_to_save"),
        ("new", None),
        ("plan.use_vllm", None),
        *((name, None) for name in "patched trainer launcher world_size num_machines gpus_per_node peft".split()),
        *((name, None) for name in "modules_to_save deepspeed_stage init_torch_dtype engine_dtype".split()),
        *((name, None) for name in "loaded_in_bits lora_rank lora_targets linear_sizes model_by_name".split()),
    ],
)
def test_the_fact_of_a_setting(setting: str, fact: str | None) -> None:
    assert fact_of(setting) == fact


@pytest.mark.parametrize(
    ("fact", "value", "line"),
    [
        ("use_vllm", True, "use_vllm = True (a.yaml:2:3)"),
        ("use_vllm", None, "use_vllm = None (a.yaml:2:3)"),
        ("use_vllm", 1, "use_vllm ? a.yaml:2:3: plan.use_vllm is 1; expected a flag"),
        ("use_vllm", "true", "use_vllm ? a.yaml:2:3: plan.use_vllm is 'true'; expected a flag"),
        ("beta", 1, "beta = 1 (a.yaml:2:3)"),
        ("beta", "1e-3", "beta = 0.001 (a.yaml:2:3)"),
        ("beta", "12", "beta = 12 (a.yaml:2:3)"),
        ("beta", "-12", "beta = -12 (a.yaml:2:3)"),
        ("beta", "+12", "beta = 12 (a.yaml:2:3)"),
        ("beta", "1.5", "beta = 1.5 (a.yaml:2:3)"),
        ("beta", "²", "beta ? a.yaml:2:3: plan.beta is '²'; expected a number"),
        ("beta", "high", "beta ? a.yaml:2:3: plan.beta is 'high'; expected a number"),
        ("beta", False, "beta ? a.yaml:2:3: plan.beta is False; expected a number"),
        ("vllm_mode", "12", "vllm_mode = '12' (a.yaml:2:3)"),
        ("vllm_mode", 12, "vllm_mode ? a.yaml:2:3: plan.vllm_mode is 12; expected a text"),
        ("lora_targets", "a", "lora_targets = ('a',) (a.yaml:2:3)"),
        ("lora_targets", ["a", "b"], "lora_targets = ('a', 'b') (a.yaml:2:3)"),
        ("lora_targets", ("a", "b"), "lora_targets = ('a', 'b') (a.yaml:2:3)"),
        ("lora_targets", {"a"}, "lora_targets = ('a',) (a.yaml:2:3)"),
        ("lora_targets", None, "lora_targets = () (a.yaml:2:3)"),
        ("lora_targets", 5, "lora_targets ? a.yaml:2:3: plan.lora_targets is 5; expected a list"),
        ("lora_targets", [5], "lora_targets ? a.yaml:2:3: plan.lora_targets is 5; expected a text"),
    ],
)
def test_a_plain_value_is_recorded_if_its_type_fits(fact: str, value: Any, line: str) -> None:
    facts = Facts()
    state(facts, f"plan.{fact}", value, PLACE)
    assert told(facts) == [line]
    state(facts, f"plan.{fact}", value, PLACE, "why")
    assert told(facts) == [line.replace("(a.yaml:2:3)", "(a.yaml:2:3, why)")]
    state(facts, f"plan.{fact}", True if fact == "use_vllm" else None, PLACE)
    assert f"plan.{fact}" in facts.known and not facts.reasons
