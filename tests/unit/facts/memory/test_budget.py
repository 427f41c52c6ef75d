"""The memory budget of one GPU, and that its sums are those of the estimates that rules use."""

from __future__ import annotations

import itertools

import pytest
from packaging.version import Version

from vcompat.facts.facts import Facts
from vcompat.facts.memory.budget import Budget, budget
from vcompat.facts.memory.estimates import estimate

GIB = 1024
PARAMETERS = 7_000_000_000
#: A parameter of 2 bytes, in MiB.
HALF = PARAMETERS * 2 / 1024 / 1024


def run(memory: tuple[int, ...] | None = (80 * GIB,) * 8, **stated: object) -> Facts:
    """A colocated run of a model of 7 billion parameters, with what follows; ``unknown`` leaves a setting out."""
    found = Facts()
    settings: dict[str, object] = {
        "use_vllm": True,
        "vllm_mode": "colocate",
        "vllm_gpu_memory_utilization": 0.3,
        "tensor_parallel_size": 1,
        "vllm_enable_sleep_mode": False,
        "model_parameters": PARAMETERS,
        "model_quantization": None,
        "quantization": None,
        "peft": False,
        "deepspeed_stage": 0,
        "dtype": "bfloat16",
        "world_size": 8,
    }
    for name, value in {**settings, **stated}.items():
        if value != "unknown":
            found.set(f"plan.{name}", value, "here")  # type: ignore[arg-type]
    if memory is not None:
        found.set("gpu.memory_mib", memory, "here")
        found.set("gpu.count", len(memory), "here")
    for name, (value, source) in estimate(found).items():
        found.set(name, value, source)
    return found


def made(facts: Facts) -> Budget:
    found = budget(facts)
    assert found is not None
    return found


def test_without_a_gpu_there_is_no_budget() -> None:
    assert budget(Facts()) is None
    assert budget(run(memory=None)) is None
    assert budget(run(memory=())) is None
    none = Facts()
    none.set("gpu.count", 0, "here")
    assert budget(none) is None


def test_a_gpu_of_unknown_memory_has_a_budget_without_a_total() -> None:
    facts = run(memory=None)
    facts.set("gpu.count", 8, "here")
    found = made(facts)
    assert found.total is None and found.left is None
    assert found.weights == pytest.approx(HALF)


def test_of_a_run_that_is_not_known_only_the_gpu_is() -> None:
    facts = Facts()
    facts.set("gpu.memory_mib", (80 * GIB,), "here")
    assert made(facts) == Budget(
        80 * GIB,
        missing=("plan.model", "plan.use_vllm", "plan.peft", "plan.deepspeed_stage", "plan.world_size"),
    )


def test_the_smallest_gpu_counts() -> None:
    assert made(run(memory=(80 * GIB, 24 * GIB, 40 * GIB))).total == 24 * GIB


def test_awake_vllm_and_the_trainer_share_the_gpu() -> None:
    found = made(run())
    assert found.weights == found.gradients == pytest.approx(HALF)
    assert found.optimizer == pytest.approx(2 * HALF)
    assert found.vllm_share == round(0.3 * 80 * GIB)
    assert found.vllm_weights == round(HALF)
    assert found.vllm_cache == found.vllm_share - found.vllm_weights
    assert found.buffers == pytest.approx(HALF), "DDP's buckets"
    assert found.peak == pytest.approx(5 * HALF + found.vllm_share)
    assert found.left == pytest.approx(80 * GIB - found.peak)
    assert not found.takes_turns and found.missing == ()


def test_with_sleep_mode_gradients_and_vllm_take_turns() -> None:
    found = made(run(vllm_enable_sleep_mode=True))
    assert found.takes_turns
    assert found.peak == pytest.approx(4 * HALF + round(0.3 * 80 * GIB))
    small = made(run(vllm_enable_sleep_mode=True, vllm_gpu_memory_utilization=0.01))
    assert small.peak == pytest.approx(5 * HALF), "the trainer's step needs more than generation"


@pytest.mark.parametrize("settings", [{"vllm_mode": "server"}, {"use_vllm": False, "vllm_mode": "unknown"}])
def test_where_vllm_runs_elsewhere_only_the_trainer_counts(settings: dict[str, object]) -> None:
    found = made(run(**settings, vllm_enable_sleep_mode=True))
    assert found.peak == pytest.approx(5 * HALF)
    assert (found.vllm_share, found.vllm_weights, found.vllm_cache) == (None, None, None)
    assert not found.takes_turns and found.missing == ()


LOGITS = {"per_device_train_batch_size": 4, "max_completion_length": 2048, "vocabulary_size": 151_936, "bf16": True}


def with_trl(facts: Facts) -> Facts:
    facts.set("packages.trl", Version("0.28.0"), "here")
    return facts


def test_the_logits_of_the_longest_completions_are_a_peak_of_their_own() -> None:
    found = made(with_trl(run(**LOGITS)))
    assert found.logits == pytest.approx(3 * 4 * 2048 * 151_936 * 4 / 1024**2)
    share = round(0.3 * 80 * GIB)
    # DDP's buckets stay; without accumulation, gradients are not there yet.
    assert found.in_loss == pytest.approx(4 * HALF + share + found.logits)
    assert found.left_in_loss == pytest.approx(80 * GIB - found.in_loss)
    accumulated = made(with_trl(run(**LOGITS, gradient_accumulation_steps=2)))
    assert accumulated.in_loss == pytest.approx(5 * HALF + share + found.logits)
    elsewhere = made(with_trl(run(**LOGITS, vllm_mode="server")))
    assert elsewhere.in_loss == pytest.approx(4 * HALF + found.logits)


def test_what_is_left_in_a_loss_is_not_known_without_logits_or_without_the_trainer() -> None:
    assert made(run(**LOGITS)).logits is None, "without a release of TRL"
    assert made(run(**LOGITS)).left_in_loss is None
    without = made(with_trl(run(**LOGITS, peft="unknown")))
    assert without.logits is not None and without.in_loss is None


def test_a_run_that_does_not_fit_has_less_than_nothing_left() -> None:
    left = made(run(memory=(40 * GIB,))).left
    assert left is not None and left < 0


@pytest.mark.parametrize(
    ("settings", "missing"),
    [
        ({"model_parameters": "unknown"}, "plan.model"),
        ({"use_vllm": "unknown"}, "plan.use_vllm"),
        ({"vllm_mode": "unknown"}, "plan.vllm_mode"),
        ({"peft": "unknown"}, "plan.peft"),
        ({"deepspeed_stage": "unknown"}, "plan.deepspeed_stage"),
        ({"deepspeed_stage": 3, "world_size": "unknown"}, "plan.world_size"),
        ({"vllm_gpu_memory_utilization": "unknown"}, "plan.vllm_gpu_memory_utilization"),
    ],
)
def test_a_sum_that_cannot_be_estimated_names_the_facts_that_are_missing(
    settings: dict[str, object], missing: str
) -> None:
    found = made(run(**settings))
    assert found.peak is None and found.left is None
    assert found.missing == (missing,)


def test_parts_that_are_known_are_there_where_others_are_not() -> None:
    without_model = made(run(model_parameters="unknown"))
    assert (without_model.weights, without_model.vllm_weights) == (None, None)
    assert without_model.vllm_share == round(0.3 * 80 * GIB)
    without_share = made(run(vllm_gpu_memory_utilization="unknown"))
    assert without_share.weights == pytest.approx(HALF) and without_share.vllm_cache is None


def test_vllm_s_cache_is_never_less_than_nothing() -> None:
    assert made(run(vllm_gpu_memory_utilization=0.05)).vllm_cache == 0


CHOICES = {
    "vllm_enable_sleep_mode": [True, False],
    "deepspeed_stage": [0, 1, 2, 3],
    "peft": [True, False],
    "dtype": ["bfloat16", "float32"],
    "bf16": [True, False],
    "optim": ["adamw_torch", "adafactor", "adamw_8bit"],
    "tensor_parallel_size": [1, 8],
    "vllm_gpu_memory_utilization": [0.1, 0.6],
}


@pytest.mark.parametrize("memory", [24 * GIB, 81559])
def test_the_sums_are_those_of_the_estimates_that_rules_use(memory: int) -> None:
    for values in itertools.product(*CHOICES.values()):
        facts = run(memory=(memory,) * 8, **dict(zip(CHOICES, values, strict=True)))
        found = made(facts)
        assert None not in (found.weights, found.gradients, found.optimizer, found.peak, found.left)
        trainer = sum(part or 0 for part in (found.weights, found.gradients, found.optimizer, found.buffers))
        assert round(trainer) == facts.value("plan.trainer_mib")
        assert round((found.peak or 0) / memory, 2) == facts.value("plan.memory_share")
        assert found.vllm_share == facts.value("plan.vllm_share_mib")
        assert found.vllm_weights == facts.value("plan.vllm_weights_mib")
        assert found.missing == ()


def test_the_cache_is_the_one_whose_tokens_are_estimated() -> None:
    facts = run(kv_bytes_per_token=57344, key_value_heads=4)
    cache = made(facts).vllm_cache
    assert cache is not None
    assert facts.value("plan.kv_cache_tokens") == int(cache * 1024 * 1024 / 57344)
