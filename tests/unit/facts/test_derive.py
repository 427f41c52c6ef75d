from __future__ import annotations

import re
from pathlib import Path

import pytest
from packaging.version import Version

from tests.unit.facts_for_tests import facts
from vcompat.facts import derive as derive_module
from vcompat.facts.derive import derive
from vcompat.facts.facts import BY_HAND, Facts, Place
from vcompat.facts.value import FactValue


def derived(name: str, takes_defaults: bool = False, **given: str) -> FactValue | str:
    result = derive(facts(**given), takes_defaults).get(name)
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
    stated = {"packages__vllm": vllm, "gpu__compute_capability": capability, "env__VLLM_USE_V1": wish}
    run = facts(**{name: text for name, text in stated.items() if text is not None})
    run.close("env")
    known = derive(run).get("vllm.engine")
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
    assert derived("vllm.backend", packages__vllm="0.31.0+empty") == "unknown"


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
    assert derived("plan.patched", plan__patched="a,b", env__VCOMPAT_DISABLE="a") == ("b",)
    assert derived("plan.patched", plan__patched="a,b", env__VCOMPAT_DISABLE="all") == ()


def test_patches_of_each_process_are_added_to_those_of_the_script() -> None:
    assert derived("plan.patched", plan__patched="a", host__patched="b,a") == ("a", "b")
    assert derived("plan.patched", host__patched="a") == ("a",)
    assert derived("plan.patched", host__patched="a,b", env__VCOMPAT_DISABLE="b") == ("a",)
    assert derived("plan.patched") == "unknown"


def test_a_run_without_a_script_does_not_state_what_its_script_does() -> None:
    """Patches of each process are no sign that a script was read."""
    assert derived("plan.notebook", host__patched="a") == "unknown"
    assert derived("plan.notebook", plan__patched="a") is False


def test_patches_of_each_process_do_not_count_if_the_script_undoes_patches() -> None:
    run = facts(host__patched="a")
    run.forget("plan.patched", "train.py:3: vcompat.unpatch() is called, too")
    assert derive(run).get("plan.patched") is None
    run.forget("plan.patched", "launch.sh:1 starts train.py, which was not found")
    assert derive(run).value("plan.patched") == ("a",)


def test_patches_that_are_stated_by_hand_are_kept() -> None:
    run = facts(host__patched="a")
    run.set("plan.patched", ("b",), BY_HAND)
    assert derive(run).value("plan.patched") == ("b",)


def test_known_facts_are_never_replaced() -> None:
    assert derived("vllm.engine", packages__vllm="0.31.0", vllm__engine="v0") == "v0"
    assert derived("plan.world_size", env__WORLD_SIZE="4") == 4
    assert of(env__WORLD_SIZE="4").known["plan.world_size"].source == "env.WORLD_SIZE"
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


@pytest.mark.parametrize(
    ("fact", "more", "value"),
    [
        ("bf16", {"packages__trl": "0.19.0", "plan__fp16": "false"}, True),
        ("bf16", {"packages__trl": "0.19.0", "plan__fp16": "none"}, True),
        ("bf16", {"packages__trl": "1.16.0", "plan__fp16": "true"}, False),
        ("bf16", {"packages__trl": "1.16.0"}, "unknown"),
        ("bf16", {"plan__fp16": "false"}, "unknown"),
        ("bf16", {"packages__trl": "0.18.0", "plan__fp16": "false"}, None),
        ("bf16", {"packages__trl": "1.16.0", "plan__fp16": "false", "plan__configuration": "RLOOConfig"}, None),
        ("steps_per_generation", {"packages__trl": "0.18.0", "plan__gradient_accumulation_steps": "8"}, 8),
        ("steps_per_generation", {"packages__trl": "0.17.0", "plan__gradient_accumulation_steps": "8"}, None),
        ("steps_per_generation", {"packages__trl": "0.18.0"}, "unknown"),
        ("steps_per_generation", {"packages__trl": "0.18.0", **GRPO, "plan__generation_batch_size": "32"}, 4),
        ("steps_per_generation", {"packages__trl": "0.18.0", "plan__generation_batch_size": "32"}, "unknown"),
        ("steps_per_generation", {"plan__gradient_accumulation_steps": "8"}, "unknown"),
    ],
)
def test_a_configuration_computes_what_is_none(fact: str, more: dict[str, str], value: bool | int | str | None) -> None:
    unset = {"plan__bf16": "none", "plan__steps_per_generation": "none", "plan__generation_batch_size": "none"}
    assert derived(f"plan.{fact}", **{"plan__configuration": "GRPOConfig", **unset, **more}) == value


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
    texts = [path.read_text("utf-8") for path in folder.rglob("*.py") if path.name not in ("vocabulary.py", "value.py")]
    named = {name for text in texts for name in re.findall(r'"packages\.([\w-]+)"', text)}
    assert named == derive_module.DERIVED_FROM


def of(closed: tuple[str, ...] = (), **stated: str | None) -> Facts:
    """The derived facts of a run; a fact that is stated as None is unknown for a reason."""
    run = facts(**stated)
    for family in closed:
        run.close(family)
    return derive(run)


def added(*names: str, **stated: str | None) -> dict[str, FactValue]:
    """The values that derivation adds; of the facts called `names`, by default of all."""
    before, after = facts(**stated), of(**stated)
    return {
        name: known.value
        for name, known in after.known.items()
        if name not in before.known and (not names or name in names)
    }


@pytest.mark.parametrize(
    ("torch", "cuda"),
    [
        ("2.6.0+cu124", Version("12.4")),
        ("2.6.0+cu118", Version("11.8")),
        ("2.6.0+cpu", None),
        ("2.6.0+rocm6.2", None),
        ("2.6.0+xpu", None),
        ("none", None),
        ("2.6.0", "unknown"),
        ("2.6.0+cuda", "unknown"),
        ("2.6.0+git124", "unknown"),
        ("2.6.0+ab124", "unknown"),
    ],
)
def test_the_cuda_version_of_torch_is_that_of_its_local_version(torch: str, cuda: FactValue) -> None:
    assert derived("torch.cuda", packages__torch=torch) == cuda


def test_the_cuda_version_of_an_unknown_torch_is_unknown() -> None:
    assert added() == {}
    assert of(closed=("packages",)).get("torch.cuda") == (None, "torch is not installed", None)


@pytest.mark.parametrize(
    ("vllm", "backend"),
    [
        ("0.10.0", "cuda"),
        ("0.10.0+cu128", "cuda"),
        ("0.10.0+gabc.cpu", "cpu"),
        ("0.10.0+rocm641", "rocm"),
        ("0.10.0+tpu", "tpu"),
        ("0.10.0+xpu", "xpu"),
        ("none", None),
    ],
)
def test_the_backend_of_vllm_is_in_its_local_version(vllm: str, backend: str | None) -> None:
    assert derived("vllm.backend", packages__vllm=vllm) == backend


def test_all_facts_of_the_gpus_of_a_run_on_the_cpu_are_known_to_be_nothing() -> None:
    nothing = {
        "gpu.compute_capability": (),
        "gpu.count": 0,
        "gpu.driver": None,
        "gpu.driver_cuda": None,
        "gpu.memory_mib": (),
        "gpu.mig": (),
        "gpu.name": (),
        "gpu.peer_access": None,
        "torch.has_kernels": (),
        "vllm.has_kernels": (),
    }
    assert added(*nothing, vllm__backend="cpu") == nothing
    assert added(*nothing, plan__use_cpu="true") == nothing
    assert added(*nothing, plan__use_cpu="false", vllm__backend="cuda") == {}


@pytest.mark.parametrize(
    ("stated", "why"),
    [({"vllm__backend": "cpu"}, "vLLM is a CPU build"), ({"plan__use_cpu": "true"}, "the run uses the CPU")],
)
def test_the_source_of_the_gpus_of_a_run_on_the_cpu_is_why_it_has_none(stated: dict[str, str], why: str) -> None:
    known = derive(facts(**stated)).known
    assert {known[name].source for name in ("gpu.count", "gpu.compute_capability", "gpu.driver")} == {why}


def test_a_run_on_the_cpu_keeps_what_the_user_states_about_gpus() -> None:
    run = facts(plan__use_cpu="true")
    run.set("gpu.count", 4, "--set")
    assert derive(run).value("gpu.count") == 4


def test_a_rank_s_environment_tells_its_launcher() -> None:
    assert added(env__RANK="0", env__WORLD_SIZE="2") == {"plan.launcher": "launcher", "plan.world_size": 2}
    assert added(env__RANK="0", env__TORCHELASTIC_RUN_ID="x") == {"plan.launcher": "torchrun"}
    assert added(env__WORLD_SIZE="two") == {}
    assert added(env__RANK="none", env__TORCHELASTIC_RUN_ID="none", env__WORLD_SIZE="none") == {}


def test_visible_devices_of_a_run_file_limit_the_gpus_of_a_target() -> None:
    run = facts(gpu__count="4", gpu__name="a,b,c,d", gpu__compute_capability="8.0,8.0,9.0,9.0", gpu__driver="550")
    run.set("env.CUDA_VISIBLE_DEVICES", "0, 2,", "launch.sh:2", Place("launch.sh", 2))
    limited = derive(run)
    assert limited.get("gpu.count") == (2, "CUDA_VISIBLE_DEVICES in launch.sh:2", Place("launch.sh", 2))
    assert limited.get("gpu.name") == (("a", "b"), "test", None)
    assert limited.value("gpu.compute_capability") == (Version("8.0"), Version("8.0"))
    assert limited.value("gpu.driver") == Version("550")


@pytest.mark.parametrize("devices", ["0,1,2,3", "0,1,2,3,4"])
def test_visible_devices_add_no_gpus(devices: str) -> None:
    run = facts(gpu__count="4")
    run.set("env.CUDA_VISIBLE_DEVICES", devices, "launch.sh:2", Place("launch.sh", 2))
    assert derive(run).get("gpu.count") == (4, "test", None)


def test_visible_devices_that_a_run_file_computes_leave_open_how_many_gpus_there_are() -> None:
    same = {"gpu__name": "a,a,a,a", "gpu__compute_capability": "8.0,8.0,8.0,8.0"}
    for given, count, candidates, capability in (
        ({"gpu__count": "4", **same}, None, (0, 1, 2, 3, 4), (Version("8.0"),) * 4),
        ({"gpu__count": "2", "gpu__compute_capability": "8.0,9.0"}, None, (0, 1, 2), None),
        ({"gpu__count": "1", "gpu__compute_capability": "8.0"}, 1, (), (Version("8.0"),)),
    ):
        run = facts(**given)
        run.forget("env.CUDA_VISIBLE_DEVICES", "launch.sh:2: computed at run time", Place("launch.sh", 2))
        limited = derive(run)
        assert limited.value("gpu.count") == count
        assert limited.candidates("gpu.count") == candidates
        assert limited.value("gpu.compute_capability") == capability
        if count is None:
            assert limited.why_unknown("gpu.count").endswith("GPUs: launch.sh:2: computed at run time")
    run = facts(gpu__count="4")
    run.forget("env.CUDA_VISIBLE_DEVICES", "the machine decides")
    assert derive(run).value("gpu.count") == 4
    run.set("gpu.count", 4, BY_HAND)
    run.forget("env.CUDA_VISIBLE_DEVICES", "launch.sh:2: computed at run time", Place("launch.sh", 2))
    assert derive(run).value("gpu.count") == 4


def test_visible_devices_of_the_machine_do_not_limit_again() -> None:
    assert derived("gpu.count", gpu__count="4", env__CUDA_VISIBLE_DEVICES="0") == 4


@pytest.mark.parametrize(
    ("stated", "expected"),
    [
        ({"plan__launcher": "deepspeed", "gpu__count": "4"}, (4, 1, 4)),
        ({"plan__launcher": "accelerate", "gpu__count": "4", "plan__num_machines": "3"}, (12, 3, 4)),
        ({"plan__launcher": "accelerate", "gpu__count": "0"}, (None, None, None)),
        ({"plan__launcher": "torchrun", "gpu__count": "4"}, (None, None, None)),
        ({"plan__world_size": "8", "gpu__count": "8"}, (8, 1, 8)),
        ({"plan__world_size": "9", "gpu__count": "8"}, (9, None, None)),
        ({"plan__world_size": "0", "gpu__count": "8"}, (0, None, None)),
        ({"plan__world_size": "7", "plan__num_machines": "2"}, (7, 2, None)),
        ({"plan__world_size": "1", "gpu__count": "1"}, (1, 1, 1)),
        ({"plan__launcher": "python"}, (1, None, None)),
    ],
)
def test_processes_and_machines_follow_from_each_other(
    stated: dict[str, str], expected: tuple[int | None, int | None, int | None]
) -> None:
    run = of(**stated)
    names = ("world_size", "num_machines", "processes_per_machine")
    assert tuple(run.value(f"plan.{name}") for name in names) == expected


@pytest.mark.parametrize("launcher", ["python", "torchrun", "srun", "deepspeed"])
def test_without_a_configuration_of_accelerate_nothing_is_sharded(launcher: str) -> None:
    names = ("plan.deepspeed_stage", "plan.fsdp")
    plain = {"plan__launcher": launcher, "plan__configuration": "GRPOConfig"}
    assert added(*names, **plain) == {"plan.deepspeed_stage": 0, "plan.fsdp": None}
    assert added(*names, plan__launcher=launcher) == {}
    assert added(*names, **plain, plan__fsdp="full_shard") == {"plan.deepspeed_stage": 0}
    assert added(*names, **plain, plan__deepspeed=None) == {"plan.fsdp": None}


def test_auto_in_a_deepspeed_configuration_takes_each_training_argument() -> None:
    names = ("micro_batch_size", "accumulation_steps", "bf16", "fp16")
    run = of(
        plan__deepspeed_auto=",".join(f"deepspeed_{name}" for name in names) + ",deepspeed_other",
        plan__per_device_train_batch_size="2",
        plan__gradient_accumulation_steps="3",
        plan__bf16="true",
        plan__fp16="false",
    )
    assert [run.value(f"plan.deepspeed_{name}") for name in names] == [2, 3, True, False]
    micro = run.get("plan.deepspeed_micro_batch_size")
    batch, automatic = run.get("plan.per_device_train_batch_size"), run.get("plan.deepspeed_auto")
    assert micro and batch and automatic and micro.source == f'"auto" in {automatic.source}: {batch.source}'


def test_without_a_deepspeed_configuration_nothing_is_set_in_it() -> None:
    names = [f"plan.deepspeed_{name}" for name in ("micro_batch_size", "accumulation_steps", "bf16", "fp16")]
    assert added(*names, plan__deepspeed_stage="0") == dict.fromkeys(names)
    assert added(*names, plan__deepspeed_stage="0", plan__deepspeed_auto="deepspeed_bf16") == {}
    assert added(*names) == {}


@pytest.mark.parametrize(
    ("trl", "more", "batch"),
    [
        ("0.16.0", {}, 8),
        ("0.17.0", {}, "unknown"),
        ("0.17.0", {"plan__gradient_accumulation_steps": "8"}, 64),
        ("0.18.0", {"plan__gradient_accumulation_steps": "8"}, "unknown"),
        ("0.16.0", {"plan__steps_per_generation": "3"}, 24),
        ("1.16.0", {"plan__generation_batch_size": "none", "plan__steps_per_generation": "3"}, 24),
        ("1.16.0", {"plan__generation_batch_size": None, "plan__steps_per_generation": "3"}, "unknown"),
    ],
)
def test_what_trl_takes_for_the_generation_batch_size_depends_on_its_release(
    trl: str, more: dict[str, str | None], batch: int | str
) -> None:
    assert (of(packages__trl=trl, **{**GRPO, **more}).value("plan.generation_batch_size", "unknown")) == batch


def test_the_generation_batch_size_is_that_of_grpo_unless_another_configuration_is_stated() -> None:
    given = {key: value for key, value in GRPO.items() if key != "plan__configuration"}
    assert derived("plan.generation_batch_size", packages__trl="0.16.0", **given) == 8
    assert derived("plan.global_batch_size", packages__trl="0.16.0", **given) == 8
    assert derived("plan.global_batch_size", **given) == "unknown"
    assert derived("plan.global_batch_size", packages__trl="0.16.0", plan__world_size="4") == "unknown"


def test_the_batch_of_an_evaluation_is_that_of_all_processes() -> None:
    given = {"plan__per_device_eval_batch_size": "3", "plan__world_size": "4"}
    assert derived("plan.global_eval_batch_size", **given) == 12
    assert derived("plan.global_eval_batch_size", plan__per_device_eval_batch_size="3") == "unknown"
    assert derived("plan.global_eval_batch_size", **given, plan__global_eval_batch_size="6") == 6


def test_defaults_are_those_of_grpo_unless_another_configuration_is_stated() -> None:
    assert derived("plan.num_generations", True, packages__trl="1.16.0") == 8


def test_a_disabled_patch_is_named_between_commas_or_spaces() -> None:
    run = facts(plan__patched="a,b,c", env__VCOMPAT_DISABLE="a, c")
    assert derive(run).get("plan.patched") == (("b",), "test, except those in VCOMPAT_DISABLE", None)
    assert of(plan__patched="a,b", env__VCOMPAT_DISABLE="").get("plan.patched") == (("a", "b"), "test", None)
    assert of(env__VCOMPAT_DISABLE="a").get("plan.patched") is None


@pytest.mark.parametrize(
    ("vllm", "capability", "wish", "engine"),
    [
        ("0.6.6", "8.0", "1", "v0"),
        ("0.7.0", "8.0", "1", "v1"),
        ("0.7.0", "8.0", None, "v0"),
        ("0.8.0", "8.0", None, "v1"),
        ("0.8.0", "7.5", None, "v0"),
        ("0.10.1.1", "8.0", None, "v1"),
        ("0.8.0", "8.0", "0", "v0"),
    ],
)
def test_the_engine_changes_at_the_releases_that_changed_it(
    vllm: str, capability: str, wish: str | None, engine: str
) -> None:
    stated = {"packages__vllm": vllm, "gpu__compute_capability": capability}
    if wish is not None:
        stated["env__VLLM_USE_V1"] = wish
    assert of(("env",), **stated).value("vllm.engine") == engine


def test_the_engine_is_unknown_while_the_environment_is() -> None:
    assert derived("vllm.engine", packages__vllm="0.8.5", gpu__compute_capability="8.0") == "unknown"


@pytest.mark.parametrize(
    ("architectures", "capability", "runs"),
    [
        ("sm_80", "8.0", True),
        ("sm_86", "8.0", False),
        ("sm_80", "8.6", True),
        ("sm_70", "8.0", False),
        ("sm_90", "8.9", False),
        ("compute_80", "8.0", True),
        ("compute_80", "9.0", True),
        ("compute_80", "7.5", False),
        ("compute_86", "8.0", False),
        ("sm_90a", "9.0", True),
        ("sm_100f", "10.0", True),
        ("sm_100a", "10.3", False),
        ("sm_103", "10.3", True),
        ("sm_103", "10.0", False),
        ("sm_121", "12.0", False),
        ("sm_90a,sm_100", "10.0", True),
        ("compute_90a", "10.0", False),
        ("gfx_90", "9.0", False),
    ],
)
def test_machine_code_and_ptx_run_on_these_gpus(architectures: str, capability: str, runs: bool) -> None:
    has = derived("torch.has_kernels", torch__architectures=architectures, gpu__compute_capability=capability)
    assert has == (runs,)


def test_kernels_are_unknown_without_gpus_or_architectures() -> None:
    assert derived("torch.has_kernels", torch__architectures="sm_80") == "unknown"
    assert derived("torch.has_kernels", gpu__compute_capability="8.0") == "unknown"


def test_an_engine_without_sleep_mode_has_no_sleep_level() -> None:
    assert derived("plan.vllm_sleep_level", plan__enable_sleep_mode="false") is None
    assert derived("plan.vllm_sleep_level", plan__enable_sleep_mode="true") == "unknown"
    assert derived("plan.vllm_sleep_level", packages__trl="0.22.2", plan__vllm_enable_sleep_mode="true") == "unknown"


COLOCATE = {"plan__use_vllm": "true", "plan__vllm_mode": "colocate"}


def test_colocate_mode_states_every_argument_of_its_engine() -> None:
    given = {"plan__vllm_tensor_parallel_size": "2", "plan__vllm_enable_sleep_mode": "true", "packages__trl": "1.0.0"}
    given |= {"plan__vllm_max_model_length": "4096"}
    engine = {
        "plan.distributed_executor_backend": "external_launcher",
        "plan.enable_chunked_prefill": None,
        "plan.enable_prefix_caching": None,
        "plan.enable_sleep_mode": True,
        "plan.kv_cache_dtype": None,
        "plan.llm_seed": 0,
        "plan.max_model_len": 4096,
        "plan.sequence_length": 4096,
        "plan.speculative_config": False,
        "plan.tensor_parallel_size": 2,
        "plan.vllm_sleep_level": 2,
    }
    assert added(*engine, **COLOCATE, **given) == engine
    assert added(*engine, plan__use_vllm="true", plan__vllm_mode="other", **given) == {"plan.vllm_sleep_level": 2}
    assert added(*engine, plan__vllm_mode="colocate", **given) == {"plan.vllm_sleep_level": 2}


def test_arguments_of_the_engine_are_unknown_for_the_reason_of_their_settings() -> None:
    run = of(**COLOCATE, plan__vllm_tensor_parallel_size=None, plan__vllm_enable_sleep_mode=None)
    for name in ("plan.tensor_parallel_size", "plan.enable_sleep_mode", "plan.vllm_sleep_level"):
        assert run.why_unknown(name) == "computed"
        assert run.open_at(name) == Place("train.py", 3, 5)
    run = of(**COLOCATE, plan__vllm_tensor_parallel_size=None, plan__tensor_parallel_size="4")
    assert run.value("plan.tensor_parallel_size") == 4


@pytest.mark.parametrize(
    ("trl", "stated", "length"),
    [
        ("0.26.0", {"plan__vllm_max_model_length": "4096"}, 4096),
        ("0.26.0", {"plan__max_prompt_length": "512", "plan__max_completion_length": "256"}, "unknown"),
        ("0.25.0", {"plan__max_prompt_length": "512", "plan__max_completion_length": "256"}, 768),
        ("0.25.0", {"plan__vllm_max_model_length": "4096", "plan__max_prompt_length": "512"}, "unknown"),
        ("0.25.0", {"plan__max_prompt_length": "none", "plan__max_completion_length": "256"}, "unknown"),
    ],
)
def test_the_engine_s_longest_sequence_is_what_the_trl_release_passes(
    trl: str, stated: dict[str, str], length: int | str
) -> None:
    assert derived("plan.max_model_len", packages__trl=trl, **COLOCATE, **stated) == length


@pytest.mark.parametrize(
    ("trl", "source"),
    [
        ("0.26.0", "TRL 0.26.0: vllm_max_model_length"),
        ("0.25.0", "TRL 0.25.0: max_prompt_length + max_completion_length"),
    ],
)
def test_the_source_of_the_longest_sequence_is_the_settings_that_the_release_reads(trl: str, source: str) -> None:
    lengths = {"max_prompt_length": "512", "max_completion_length": "256", "vllm_max_model_length": "4096"}
    facts = of(packages__trl=trl, **COLOCATE, **{f"plan__{name}": value for name, value in lengths.items()})
    assert facts.known["plan.max_model_len"].source == source


def test_the_longest_sequence_is_the_model_s_own_without_a_limit() -> None:
    assert derived("plan.sequence_length", plan__max_model_len="1024", plan__model_max_length="4096") == 1024
    assert derived("plan.sequence_length", plan__max_model_len="none", plan__model_max_length="4096") == 4096
    assert derived("plan.sequence_length", plan__max_model_len="none") == "unknown"
    assert derived("plan.sequence_length", plan__model_max_length="4096") == "unknown"


@pytest.mark.parametrize(("trl", "caching"), [("0.14.0", False), ("0.15.0", True), ("0.15.2", True)])
def test_trl_before_0_16_has_an_engine_with_fixed_arguments(trl: str, caching: bool) -> None:
    engine = {
        "plan.distributed_executor_backend": None,
        "plan.enable_chunked_prefill": None,
        "plan.enable_prefix_caching": caching,
        "plan.enable_sleep_mode": None,
        "plan.kv_cache_dtype": None,
        "plan.vllm_sleep_level": None,
    }
    assert added(*engine, packages__trl=trl, plan__use_vllm="true") == engine
    assert added(*engine, packages__trl="0.16.0", plan__use_vllm="true") == {}
    assert added("plan.enable_prefix_caching", packages__trl=trl) == {}


def test_a_server_s_engine_is_in_no_training_process() -> None:
    names = ("plan.distributed_executor_backend", "plan.enable_sleep_mode", "plan.vllm_sleep_level")
    nothing = {names[0]: None, names[1]: False, names[2]: None}
    assert added(*names, plan__use_vllm="false") == nothing
    assert added(*names, plan__use_vllm="true", plan__vllm_mode="server") == nothing
    assert added(*names, plan__use_vllm="true", plan__vllm_mode="other") == {}
    assert added(*names, plan__vllm_mode="server") == {}


def test_what_is_installed_beside_another_release_says_nothing_about_the_stated_one() -> None:
    known = Facts()
    for name, version, source in [
        ("transformers", "5.10.0", BY_HAND),
        ("tokenizers", "0.23.3", "installed"),
        ("huggingface-hub", "1.0.0", BY_HAND),
        ("torch", "2.9.0", "installed"),
        ("torchvision", "0.24.0", "installed"),
        ("vllm", "0.26.0", BY_HAND),
        ("flashinfer-cubin", "0.6.13", "installed"),
    ]:
        known.set(f"packages.{name}", Version(version), source)
    result = derive(known)
    assert result.value("packages.tokenizers") is None
    assert result.reasons["packages.tokenizers"] == "installed with another release of transformers"
    assert result.value("packages.huggingface-hub") == Version("1.0.0")
    assert result.value("packages.torchvision") == Version("0.24.0")
    assert "packages.flashinfer-cubin" in result.reasons


def test_a_setting_without_a_known_default_has_a_reason() -> None:
    facts = Facts()
    facts.set("plan.configuration", "GRPOConfig", "the script")
    depends = "not set; its default depends on the release of TRL, which is not known"
    assert derive(facts, takes_defaults=True).reasons["plan.beta"] == depends
    assert "plan.beta" not in derive(facts).reasons
    facts.set("packages.trl", Version("0.18.0"), "the environment")
    assert derive(facts, takes_defaults=True).reasons["plan.optim"] == depends.replace("TRL", "transformers")
    facts.set("packages.transformers", Version("4.55.0"), "the environment")
    assert derive(facts, takes_defaults=True).reasons["plan.optim"] == "not set; its default in TRL 0.18.0 is not known"
    facts.set("packages.trl", None, "the environment")
    assert "plan.beta" not in derive(facts, takes_defaults=True).reasons


def test_a_trainer_whose_model_is_not_known_has_reasons_for_it() -> None:
    facts = Facts()
    assert "plan.model" not in derive(facts).reasons
    facts.set("plan.trainer", "GRPOTrainer", "the script")
    facts.set("plan.peft", True, "the script")
    reasons = derive(facts).reasons
    assert reasons["plan.model"] == "what the trainer gets as its model is not known"
    assert "plan.model_by_name" in reasons and "plan.peft" not in reasons
