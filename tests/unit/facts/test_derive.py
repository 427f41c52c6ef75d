from __future__ import annotations

import re
from pathlib import Path

import pytest
from packaging.version import Version

from vcompat.facts import derive as derive_module
from vcompat.facts.derive import derive
from vcompat.facts.facts import Facts
from vcompat.facts.value import FactValue, parse_value
from vcompat.facts.vocabulary import spec_of


def derived(name: str, takes_defaults: bool = False, **given: str) -> FactValue | str:
    facts = Facts()
    for key, text in given.items():
        fact = key.replace("__", ".")
        facts.set(fact, parse_value(spec_of(fact, "t"), text, "t"), "test")
    result = derive(facts, takes_defaults).get(name)
    return "unknown" if result is None else result.value


@pytest.mark.parametrize(
    ("vllm", "capability", "wish", "engine"),
    [
        ("0.7.3", "8.0", None, "v0"),
        ("0.7.3", "8.0", "1", "v1"),
        ("0.8.5", "7.0", None, "v0"),
        ("0.8.5", "8.0", None, "v1"),
        ("0.8.5", "8.0,7.0", None, "v0"),
        ("0.8.5", None, None, "unknown"),
        ("0.10.1.1", "7.5", None, "v0"),
        ("0.10.2", "7.0", None, "v1"),
        ("0.10.2", "7.0", "0", "v0"),
        ("0.11.0", None, "0", "v1"),
    ],
)
def test_the_engine_follows_from_the_release_the_capability_and_vllm_use_v1(
    vllm: str, capability: str | None, wish: str | None, engine: str
) -> None:
    given = {"packages__vllm": vllm}
    if capability:
        given["gpu__compute_capability"] = capability
    facts = Facts(closed=["env"])
    for name, text in given.items():
        fact = name.replace("__", ".")
        facts.set(fact, parse_value(spec_of(fact, "t"), text, "t"), "test")
    if wish is not None:
        facts.set("env.VLLM_USE_V1", wish, "test")
    known = derive(facts).get("vllm.engine")
    assert ("unknown" if known is None else known.value) == engine


@pytest.mark.parametrize(
    ("architectures", "capability", "runs"),
    [
        ("sm_70,sm_75,sm_80,sm_86,sm_90", "7.0", (True,)),
        ("sm_75,sm_80,sm_86,sm_90,sm_100,sm_120", "7.0", (False,)),
        ("sm_75,sm_80,sm_86,sm_90,sm_100,sm_120", "8.9", (True,)),
        ("sm_50,sm_60,sm_70,sm_75,sm_80,sm_86,sm_90", "12.0", (False,)),
        ("sm_80,compute_90", "12.0", (True,)),
        ("sm_90a", "9.0", (True,)),
        ("sm_80,sm_90a", "10.0", (False,)),
        ("sm_80", "8.0,7.0", (True, False)),
    ],
)
def test_torch_has_kernels_for_gpus_of_the_same_major_architecture_and_through_ptx(
    architectures: str, capability: str, runs: tuple[bool, ...]
) -> None:
    assert derived("torch.has_kernels", torch__architectures=architectures, gpu__compute_capability=capability) == runs


def test_a_run_on_the_cpu_has_no_gpus() -> None:
    assert derived("gpu.count", vllm__backend="cpu", gpu__count="8") == 0
    assert derived("gpu.compute_capability", plan__use_cpu="true") == ()
    assert derived("vllm.backend", packages__vllm="0.31.0+cpu") == "cpu"
    assert derived("vllm.backend", packages__vllm="0.31.0+cu130") == "cuda"


def test_settings_that_are_not_set_have_the_defaults_of_the_trl_release() -> None:
    assert derived("plan.vllm_mode", True, packages__trl="0.29.0") == "server"
    assert derived("plan.vllm_mode", True, packages__trl="1.0.0") == "colocate"
    assert derived("plan.vllm_mode", True, packages__trl="0.15.2") is None
    assert derived("plan.vllm_mode", False, packages__trl="1.0.0") == "unknown"
    assert derived("plan.vllm_mode", True, packages__trl="1.0.0", plan__vllm_mode="server") == "server"


@pytest.mark.parametrize(("trl", "level"), [("0.23.0", 1), ("0.24.0", 1), ("0.25.0", 2), ("1.9.2", 2)])
def test_the_sleep_level_follows_from_the_trl_release(trl: str, level: int) -> None:
    assert derived("plan.vllm_sleep_level", packages__trl=trl, plan__vllm_enable_sleep_mode="true") == level
    assert derived("plan.vllm_sleep_level", packages__trl=trl, plan__vllm_enable_sleep_mode="false") is None
    assert derived("plan.vllm_sleep_level", packages__trl=trl) == "unknown"


def test_colocate_mode_builds_a_seeded_engine_with_an_external_launcher() -> None:
    given = {"plan__use_vllm": "true", "plan__vllm_mode": "colocate", "plan__vllm_tensor_parallel_size": "2"}
    assert derived("plan.distributed_executor_backend", **given) == "external_launcher"
    assert derived("plan.tensor_parallel_size", **given) == 2
    assert derived("plan.llm_seed", **given) == 0


def test_a_disabled_patch_does_not_count_as_applied() -> None:
    facts = Facts()
    facts.set("plan.patched", ("a", "b"), "train.py:1")
    facts.set("env.VCOMPAT_DISABLE", "a", "test")
    assert derive(facts).value("plan.patched") == ("b",)
    facts.set("env.VCOMPAT_DISABLE", "all", "test")
    assert derive(facts).value("plan.patched") == ()


def test_known_facts_are_never_replaced() -> None:
    assert derived("vllm.engine", packages__vllm="0.31.0", vllm__engine="v0") == "v0"
    assert derived("plan.world_size", env__WORLD_SIZE="4") == 4
    assert derived("plan.world_size", env__WORLD_SIZE="4", plan__world_size="2") == 2
    assert Version("1.0") == derived("packages.trl", packages__trl="1.0")


def test_the_world_size_follows_from_the_launcher_and_the_gpus() -> None:
    assert derived("plan.world_size", plan__launcher="python") == 1
    assert derived("plan.world_size", plan__launcher="accelerate", gpu__count="8") == 8
    assert derived("plan.world_size", plan__launcher="accelerate", gpu__count="8", plan__num_machines="2") == 16
    assert derived("plan.world_size", plan__launcher="torchrun", gpu__count="8") == "unknown"
    assert derived("plan.processes_per_machine", plan__world_size="16", plan__num_machines="2") == 8
    assert derived("plan.num_machines", plan__world_size="4", gpu__count="8") == 1
    assert derived("plan.num_machines", plan__world_size="16", gpu__count="8") == "unknown"


GRPO = {"plan__configuration": "GRPOConfig", "plan__world_size": "4", "plan__per_device_train_batch_size": "2"}


@pytest.mark.parametrize(
    ("trl", "more", "batch"),
    [
        ("0.16.0", {"plan__gradient_accumulation_steps": "8"}, 8),
        ("0.17.0", {"plan__gradient_accumulation_steps": "8"}, 64),
        ("1.16.0", {"plan__gradient_accumulation_steps": "8", "plan__steps_per_generation": "none"}, 64),
        ("1.16.0", {"plan__gradient_accumulation_steps": "8", "plan__steps_per_generation": "3"}, 24),
        ("1.16.0", {"plan__gradient_accumulation_steps": "8"}, "unknown"),
        ("1.16.0", {"plan__generation_batch_size": "10"}, 10),
        ("1.16.0", {"plan__configuration": "RLOOConfig", "plan__steps_per_generation": "3"}, "unknown"),
    ],
)
def test_the_generation_batch_size_is_computed_as_in_trl(trl: str, more: dict[str, str], batch: int | str) -> None:
    assert derived("plan.generation_batch_size", packages__trl=trl, **{**GRPO, **more}) == batch


def test_auto_in_a_deepspeed_configuration_takes_the_training_argument() -> None:
    given = {"plan__deepspeed_auto": "deepspeed_micro_batch_size,deepspeed_bf16", "plan__deepspeed_stage": "3"}
    given |= {"plan__per_device_train_batch_size": "2", "plan__bf16": "true"}
    assert derived("plan.deepspeed_micro_batch_size", **given) == 2
    assert derived("plan.deepspeed_bf16", **given) is True
    assert derived("plan.deepspeed_accumulation_steps", **given) == "unknown"
    assert derived("plan.deepspeed_micro_batch_size", plan__deepspeed_stage="0") is None


def test_without_an_accelerate_configuration_only_training_arguments_enable_sharding() -> None:
    plain = {"plan__launcher": "torchrun", "plan__configuration": "GRPOConfig"}
    assert derived("plan.deepspeed_stage", **plain) == 0
    assert derived("plan.deepspeed_stage", **plain, plan__deepspeed="ds.json") == "unknown"
    assert derived("plan.deepspeed_stage", plan__launcher="accelerate") == "unknown"


def test_other_configuration_classes_have_their_own_defaults() -> None:
    rloo = {"packages__trl": "1.16.0", "plan__configuration": "RLOOConfig"}
    assert derived("plan.vllm_mode", True, **rloo) == "colocate"
    assert derived("plan.num_generations", True, **rloo) == 2


@pytest.mark.parametrize("mode", [{"plan__use_vllm": "false"}, {"plan__use_vllm": "true", "plan__vllm_mode": "server"}])
def test_without_an_engine_in_the_training_processes_there_is_no_sleep_mode(mode: dict[str, str]) -> None:
    assert derived("plan.distributed_executor_backend", **mode) is None
    assert derived("plan.enable_sleep_mode", **mode) is False
    assert derived("plan.vllm_sleep_level", **mode) is None
    assert derived("plan.enable_sleep_mode", **mode, plan__enable_sleep_mode="true") is True


def test_facts_are_derived_from_the_versions_of_the_declared_packages_only() -> None:
    folder = Path(derive_module.__file__).parent
    texts = [path.read_text("utf-8") for path in folder.glob("*.py") if path.name not in ("vocabulary.py", "value.py")]
    named = {name for text in texts for name in re.findall(r'"packages\.([\w-]+)"', text)}
    assert named == derive_module.DERIVED_FROM
