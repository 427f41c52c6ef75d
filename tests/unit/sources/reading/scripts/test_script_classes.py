"""Whose classes the names in a script stand for."""

from __future__ import annotations

import pytest

from vcompat.facts.facts import Facts
from vcompat.sources.reading.part import Part
from vcompat.sources.reading.scripts.script import read_source


def part(text: str) -> Part:
    return read_source("dir/x.py", text.encode())


def facts(text: str) -> Facts:
    return part(text).facts


@pytest.mark.parametrize(
    ("module", "known"),
    [("vllm", True), ("vllm.entrypoints.llm", True), ("elsewhere", False), (".vllm", False), ("..vllm", False)],
)
def test_only_vllms_engine_is_vllms_engine(module: str, known: bool) -> None:
    found = facts(f"from {module} import LLM\nLLM('a/b', enable_sleep_mode=True)\n")
    names = ("plan.enable_sleep_mode", "plan.model")
    assert [found.value(name) for name in names] == ([True, "a/b"] if known else [None, None])
    assert all((name in found.reasons) != known for name in names)
    assert (found.get("plan.tensor_parallel_size") is not None) == known


@pytest.mark.parametrize("module", [".trl", "..trl", ".trl.trainer"])
def test_a_module_of_the_project_is_not_the_library_of_that_name(module: str) -> None:
    found = part(f"from {module} import GRPOConfig\nGRPOConfig(use_vllm=True)\n")
    assert not found.takes_defaults
    assert found.facts.stated == ()
    assert "plan.beta" in found.facts.reasons
    real = part("from trl import GRPOConfig\nGRPOConfig(use_vllm=True)\n")
    assert real.takes_defaults and [stated.classes for stated in real.facts.stated] == [("trl.GRPOConfig",)]


@pytest.mark.parametrize("base", ["", "(object)"])
def test_a_class_that_extends_nothing_is_none_of_trl_s(base: str) -> None:
    own = f"class GRPOConfig{base}:\n    def __init__(self, beta):\n        self.beta = beta\n"
    found = part(f"{own}GRPOConfig(3)\n")
    assert not found.takes_defaults and not found.trains
    assert {"plan.beta", "plan.configuration"}.isdisjoint(found.facts.known)


def test_a_trainer_that_gets_a_class_that_extends_nothing_has_no_defaults() -> None:
    own = "from trl import GRPOTrainer\nclass GRPOConfig:\n    def __init__(self, beta):\n        self.beta = beta\n"
    found = part(f"{own}GRPOTrainer('a/b', args=GRPOConfig(3))\n")
    assert found.trains and not found.takes_defaults
    assert found.facts.value("plan.beta") == 3
    assert {"plan.use_vllm", "plan.configuration"} <= found.facts.reasons.keys()


def test_a_class_of_the_script_that_extends_trl_s_configuration_is_one() -> None:
    found = part("from trl import GRPOConfig as G\nclass GRPOConfig(G):\n    pass\nGRPOConfig(beta=3)\n")
    assert found.takes_defaults
    assert (found.facts.value("plan.beta"), found.facts.value("plan.configuration")) == (3, "GRPOConfig")


@pytest.mark.parametrize(("call", "known"), [("f()", True), ("", False)])
def test_a_trainer_in_a_function_that_is_not_called_states_nothing_certain(call: str, known: bool) -> None:
    inner = "p = LoraConfig(r=4)\n    GRPOTrainer('a/b', args=GRPOConfig(beta=3), peft_config=p)"
    found = part(f"from trl import *\nfrom peft import LoraConfig\ndef f():\n    {inner}\n{call}\n")
    names = "beta configuration trainer model model_by_name loaded_in_bits peft lora_rank lora_targets lora_dropout modules_to_save"
    stated = {name.removeprefix("plan.") for name in found.facts.known} - {"patched"}
    assert stated == (set(names.split()) if known else set())
    assert found.takes_defaults == known
