"""The data types of the trainer's and of vLLM's weights, derived from releases, settings and checkpoint."""

from __future__ import annotations

import pytest
from packaging.version import Version

from vcompat.facts.derive import derive
from vcompat.facts.facts import Facts
from vcompat.facts.value import FactValue

NAMED = {"plan__model_by_name": True, "plan__model_dtype": "bfloat16"}
COLOCATED: dict[str, FactValue] = {
    "plan__use_vllm": True,
    "plan__vllm_mode": "colocate",
    "plan__model_dtype": "bfloat16",
    "plan__model_architecture": "Qwen2ForCausalLM",
}


def derived(fact: str, trl: str = "", transformers: str = "", vllm: str = "", **stated: FactValue) -> FactValue:
    facts = Facts()
    for package, version in (("trl", trl), ("transformers", transformers), ("vllm", vllm)):
        if version:
            facts.set(f"packages.{package}", Version(version), "here")
    for name, value in stated.items():
        facts.set(name.replace("__", "."), value, "here")
    return derive(facts).value(fact, "unknown")


@pytest.mark.parametrize(
    ("trl", "transformers", "dtype"),
    [
        ("0.25.1", "4.57.0", "float32"),
        ("0.25.1", "5.0.0rc0", "float32"),
        ("0.25.1", "5.0.0rc1", "bfloat16"),
        # The main branch before 5.0: before the change or after it.
        ("0.25.1", "5.0.0.dev0", "unknown"),
        ("0.25.1", "5.0.0", "bfloat16"),
        # TRL's own scripts pass None to 0.26, others nothing: both are the same with transformers 5 only.
        ("0.26.0", "4.57.0", "unknown"),
        ("0.26.0", "5.0.0", "bfloat16"),
        ("0.26.0.dev0", "5.0.0", "unknown"),
        ("0.27.0", "4.57.0", "float32"),
        ("1.16.0", "5.0.0", "float32"),
        ("0.25.1", "", "unknown"),
        # TRL 0.26 loads in the type of the checkpoint, 0.27 in float32. Both require transformers 4.56.1.
        ("", "5.0.0", "unknown"),
        ("", "4.56.1", "unknown"),
        ("", "4.56.0", "float32"),
    ],
)
def test_a_model_given_by_name_is_loaded_as_trl_and_transformers_do(trl: str, transformers: str, dtype: str) -> None:
    assert derived("plan.dtype", trl, transformers, **NAMED) == dtype


def test_a_data_type_that_is_set_is_never_replaced() -> None:
    assert derived("plan.dtype", "1.16.0", **NAMED, plan__dtype="float16") == "float16"


def test_of_a_model_that_the_script_loads_the_data_type_is_not_known() -> None:
    assert derived("plan.dtype", "1.16.0", "5.0.0", plan__model_dtype="bfloat16") == "unknown"


@pytest.mark.parametrize(("trl", "dtype"), [("0.22.0", "bfloat16"), ("0.25.1", "bfloat16"), ("0.27.0", "float32")])
def test_trl_ignores_torch_dtype_from_0_27_on(trl: str, dtype: str) -> None:
    assert derived("plan.dtype", trl, "4.57.0", **NAMED, plan__init_torch_dtype="bfloat16") == dtype


@pytest.mark.parametrize(
    ("vllm", "capability", "dtype"),
    [
        ("0.8.5", "7.0", "bfloat16"),
        ("0.9.0", "7.0", "float16"),
        ("0.20.0", "8.0", "bfloat16"),
        ("0.20.0", "", "unknown"),
    ],
)
def test_vllm_takes_the_checkpoint_s_data_type_whatever_the_trainer_has(vllm: str, capability: str, dtype: str) -> None:
    gpu: dict[str, FactValue] = {"gpu__compute_capability": (Version(capability),)} if capability else {}
    assert derived("vllm.dtype", "1.16.0", "", vllm, **COLOCATED, **gpu, plan__dtype="float16") == dtype


def test_trl_0_15_passes_its_own_setting_to_vllm() -> None:
    stated = {**COLOCATED, "plan__vllm_dtype": "half"}
    assert derived("vllm.dtype", "0.15.0", "", "0.7.0", **stated) == "float16"
    assert derived("vllm.dtype", "0.15.0", "", "0.7.0", **{**stated, "plan__vllm_dtype": "auto"}) == "bfloat16"


def test_vllm_has_no_data_type_where_it_is_not_used_and_an_unknown_one_on_a_server() -> None:
    assert derived("vllm.dtype", "1.16.0", plan__use_vllm=False) is None
    assert derived("vllm.dtype", "1.16.0", "", "0.8.5", **{**COLOCATED, "plan__vllm_mode": "server"}) == "unknown"


@pytest.mark.parametrize(
    ("transformers", "torch", "optimizer"),
    [
        ("4.53.0", "2.8.0", "adamw_torch"),
        ("4.54.0", "2.8.0", "adamw_torch_fused"),
        ("4.54.0", "2.7.0", "adamw_torch"),
    ],
)
def test_the_optimizer_is_transformers_default(transformers: str, torch: str, optimizer: str) -> None:
    stated: dict[str, FactValue] = {"packages__torch": Version(torch), "plan__configuration": "GRPOConfig"}
    assert derived("plan.optim", "", transformers, **stated) == optimizer
    assert derived("plan.optim", "", transformers, **stated, plan__optim="sgd") == "sgd"


def test_without_a_release_of_trl_torch_dtype_counts_where_no_release_can_ignore_it() -> None:
    stated: dict[str, FactValue] = {"plan__model_by_name": True, "plan__init_torch_dtype": "bfloat16"}
    assert derived("plan.dtype", transformers="4.52.3", **stated) == "bfloat16"
    assert derived("plan.dtype", transformers="4.57.0", **stated) == "unknown"
    assert derived("plan.dtype", **stated) == "unknown"
