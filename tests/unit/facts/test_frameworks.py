"""What follows from the framework whose trainer runs."""

from __future__ import annotations

import pytest

from tests.unit.facts_for_tests import facts
from vcompat.facts.derive import derive
from vcompat.facts.facts import BY_HAND
from vcompat.facts.frameworks import FRAMEWORKS, replaces_trl
from vcompat.facts.memory.budget import budget
from vcompat.facts.value import FactValue


def of_unsloth(name: str, takes_defaults: bool = True, **given: str | None) -> FactValue | str:
    result = derive(facts(plan__framework="unsloth", **given), takes_defaults).get(name)
    return "unknown" if result is None else result.value


def test_without_an_engine_no_framework_puts_one_to_sleep() -> None:
    assert of_unsloth("plan.use_vllm", plan__fast_inference="false") is False
    for name, value in (("enable_sleep_mode", False), ("vllm_sleep_level", None), ("engine_dtype", None)):
        assert of_unsloth(f"plan.{name}", plan__fast_inference="false") == value
        assert of_unsloth(f"plan.{name}", plan__fast_inference="true") == "unknown"
        assert of_unsloth(f"plan.{name}", plan__use_vllm="true", plan__vllm_mode="server") == "unknown"


@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_every_framework_but_trl_replaces_its_trainer(framework: str) -> None:
    assert replaces_trl(facts(plan__framework=framework)) is (framework != "trl")


def test_a_framework_that_is_not_known_may_replace_trls_trainer_if_one_was_seen() -> None:
    assert replaces_trl(facts(plan__framework=None))
    assert not replaces_trl(facts(plan__trainer="GRPOTrainer"))


@pytest.mark.parametrize("given", [{}, {"plan__use_vllm": "false"}, {"plan__vllm_mode": "server"}])
def test_the_engine_of_fast_inference_generates_in_the_process_whatever_the_configuration_says(
    given: dict[str, str],
) -> None:
    assert of_unsloth("plan.use_vllm", plan__fast_inference="true", **given) is True
    assert of_unsloth("plan.vllm_mode", plan__fast_inference="true", **given) == "colocate"


@pytest.mark.parametrize(
    "given", [{"host__system": "win32"}, {"gpu__compute_capability": "6.1"}, {"gpu__compute_capability": "12.1"}]
)
def test_unsloth_generates_without_vllm_where_it_does_not_use_it(given: dict[str, str]) -> None:
    assert of_unsloth("plan.use_vllm", plan__fast_inference="true", **given) == "unknown"
    assert of_unsloth("plan.use_vllm", plan__fast_inference="true", gpu__compute_capability="7.0") is True


def test_without_an_engine_vllm_is_used_only_if_the_configuration_says_so() -> None:
    assert of_unsloth("plan.use_vllm", plan__fast_inference="false") is False
    assert of_unsloth("plan.use_vllm", takes_defaults=False, plan__fast_inference="false") == "unknown"
    assert of_unsloth("plan.use_vllm", plan__fast_inference="false", plan__use_vllm="true") is True
    assert of_unsloth("plan.use_vllm") == "unknown"


def test_unsloths_mode_of_vllm_is_colocate_where_the_configuration_says_nothing() -> None:
    assert of_unsloth("plan.vllm_mode", packages__unsloth="2025.5.8") == "colocate"
    assert of_unsloth("plan.vllm_mode", packages__unsloth="2025.5.7") == "unknown"
    assert of_unsloth("plan.vllm_mode", packages__unsloth="2025.5.8", plan__vllm_mode="server") == "server"
    assert of_unsloth("plan.vllm_mode") == "unknown"


def test_what_the_user_states_by_hand_stays() -> None:
    given = facts(plan__framework="unsloth", plan__fast_inference="true")
    given.set("plan.use_vllm", False, BY_HAND)
    assert derive(given).value("plan.use_vllm") is False


#: Releases that look at the whole batch.
NEWER = {"packages__unsloth": "2025.11.4", "packages__trl": "0.18.0"}


@pytest.mark.parametrize(
    ("each", "generations", "steps", "given", "expected"),
    [
        ("8", "4", None, {}, 8),
        ("1", None, "1", {"plan__notebook": "true"}, "unknown"),
        ("1", "0", "1", {"plan__notebook": "true"}, "unknown"),
        # Both kinds of releases replace it.
        ("1", "4", "1", {"plan__notebook": "true"}, 4),
        ("1", "4", "2", {"plan__launcher": "python"}, 4),
        ("3", "4", "2", {"plan__world_size": "1"}, 4),
        # Releases differ, or the number of processes decides.
        ("1", "4", "4", {"plan__notebook": "true"}, "unknown"),
        ("1", "4", "2", {"plan__world_size": "2"}, "unknown"),
        ("1", "4", "1", {}, "unknown"),
        ("1", "4", "1", {"plan__notebook": "true", "plan__steps_per_generation": "4"}, "unknown"),
        ("1", "4", "1", {"plan__notebook": "true", "plan__generation_batch_size": None}, "unknown"),
        ("1", "4", None, {"plan__notebook": "true"}, "unknown"),
        # The release is known: by the size alone, or by the whole batch if TRL's configuration has the size of a generation.
        ("1", "4", "4", {"packages__unsloth": "2025.2.12"}, 1),
        ("1", "4", "4", {"packages__unsloth": "2025.2.13"}, 4),
        ("1", "4", "4", {"packages__unsloth": "2025.11.3"}, 4),
        ("1", "4", "4", {"packages__unsloth": "2025.11.4"}, "unknown"),
        ("1", "4", "4", {"packages__unsloth": "2025.11.4", "packages__trl": "0.17.0"}, 4),
        ("1", "4", "4", {"packages__unsloth": "2025.11.4", "packages__trl": "0.18.0"}, 1),
        ("1", "4", "2", {"packages__unsloth": "2026.10.9", "packages__trl": "0.25.0"}, "unknown"),
        ("1", "4", "2", {**NEWER, "plan__world_size": "1"}, 4),
        ("1", "4", "2", {**NEWER, "plan__world_size": "2"}, 1),
        ("1", "4", "1", {**NEWER, "plan__world_size": "1", "plan__steps_per_generation": "4"}, 1),
        ("1", "4", "1", {"packages__unsloth": "2025.11.3", "plan__steps_per_generation": "4"}, 4),
    ],
)
def test_unsloth_may_raise_the_micro_batch_size_to_the_completions_per_prompt(
    each: str, generations: str | None, steps: str | None, given: dict[str, str | None], expected: FactValue
) -> None:
    stated = {"plan__per_device_train_batch_size": each, "plan__num_generations": generations}
    stated |= {"plan__gradient_accumulation_steps": steps} if steps else {}
    assert of_unsloth("plan.per_device_train_batch_size", **stated, **given) == expected
    raises = "unknown" if expected == "unknown" else expected != int(each)
    assert of_unsloth("plan.raises_batch_size", **stated, **given) == raises


def test_trls_defaults_engine_and_memory_say_nothing_about_another_trainer() -> None:
    stated = {
        "packages__trl": "0.22.2",
        "packages__transformers": "4.56.2",
        "packages__torch": "2.8.0",
        "plan__configuration": "GRPOConfig",
        "plan__use_vllm": "true",
        "plan__vllm_mode": "colocate",
        "plan__vllm_gpu_memory_utilization": "0.3",
        "plan__per_device_train_batch_size": "4",
        "plan__num_generations": "4",
        "plan__gradient_accumulation_steps": "1",
        "plan__world_size": "1",
        "gpu__count": "1",
        "gpu__memory_mib": "16000",
        "plan__model_by_name": "true",
        "plan__model_dtype": "bfloat16",
    }
    with_trl, with_unsloth = derive(facts(**stated), True), derive(facts(plan__framework="unsloth", **stated), True)
    derived = ("plan.beta", "plan.dtype", "plan.optim", "plan.distributed_executor_backend", "plan.vllm_share_mib")
    for name in (*derived, "plan.global_batch_size", "plan.engine_dtype"):
        assert with_trl.get(name) is not None and with_unsloth.get(name) is None, name
    assert budget(with_trl) is not None and budget(with_unsloth) is None


def test_no_default_of_trl_is_likely_for_another_trainer() -> None:
    assert derive(facts(plan__configuration="GRPOConfig"), True).likely("plan.use_vllm") is not None
    given = facts(plan__configuration="GRPOConfig", plan__framework="unsloth")
    assert derive(given, True).likely("plan.use_vllm") is None


def test_unsloth_keeps_the_default_of_when_to_evaluate() -> None:
    assert of_unsloth("plan.eval_strategy") == "no"
    assert of_unsloth("plan.eval_strategy", plan__eval_strategy="steps") == "steps"
    assert of_unsloth("plan.eval_strategy", takes_defaults=False) == "unknown"
    assert derive(facts(plan__framework="verl"), True).get("plan.eval_strategy") is None


def test_where_either_trainer_runs_what_both_do_is_known() -> None:
    given = facts(plan__fast_inference="false")
    given.forget("plan.framework", "imported in another order", candidates=("trl", "unsloth"))
    result = derive(given, True)
    assert result.value("plan.eval_strategy") == "no"
    assert result.value("plan.use_vllm") is False
    given.forget("plan.framework", "not known")
    assert derive(given, True).get("plan.use_vllm") is None
