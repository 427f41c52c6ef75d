"""The memory of the logits: copies by release, what a batch needs, and what of the facts it follows from."""

from __future__ import annotations

import pytest
from packaging.version import Version

from vcompat.facts.facts import Facts
from vcompat.facts.memory.estimates import estimate, trainer_bytes
from vcompat.facts.memory.logits import Batch, logits_bytes, way_of
from vcompat.facts.memory.trainer_memory import MIB, Trainer, peak_of_loss

GIB = 1024
VOCABULARY = 150_000
#: One copy of the logits of 4 x 2000 tokens in float32, in MiB.
COPY = 4 * 2000 * VOCABULARY * 4 / MIB


def run(trl: str | None = "0.28.0", **stated: object) -> Facts:
    """A colocated run of a model of 7 billion parameters on GPUs with 80 GiB; ``unknown`` leaves a setting out."""
    found = Facts()
    settings: dict[str, object] = {
        "use_vllm": True,
        "vllm_mode": "colocate",
        "vllm_gpu_memory_utilization": 0.3,
        "tensor_parallel_size": 1,
        "vllm_enable_sleep_mode": False,
        "model_parameters": 7_000_000_000,
        "model_quantization": None,
        "peft": True,
        "deepspeed_stage": 0,
        "dtype": "bfloat16",
        "bf16": True,
        "world_size": 1,
        "device_map": None,
        "per_device_train_batch_size": 4,
        "max_completion_length": 2000,
        "vocabulary_size": VOCABULARY,
        "use_liger_kernel": False,
    }
    for name, value in {**settings, **stated}.items():
        if value != "unknown":
            found.set(f"plan.{name}", value, "here")  # type: ignore[arg-type]
    if trl is not None:
        found.set("packages.trl", Version(trl), "here")
    found.set("gpu.memory_mib", (80 * GIB,), "here")
    found.set("gpu.count", 1, "here")
    return found


def copies(trl: str, completions: int, width: int, length: int = 12_800, liger: bool = False) -> float:
    batch = Batch(completions, length, VOCABULARY, width)
    way = way_of(Version(trl), liger)
    assert way is not None
    return logits_bytes(way, batch) / batch.size


@pytest.mark.parametrize(
    ("trl", "float32", "half"),
    [
        # For 1, 2 and 8 completions: gradients of one completion have temporary copies.
        ("0.15.2", (4, 3, 3), (3, 2, 2)),
        ("0.19.1", (4, 3, 3), (3, 2, 2)),
        # The entropy is computed for one completion at a time, from 0.23 on for 128 tokens.
        ("0.22.2", (4, 3, 3), (5, 3.5, 2.375)),
        ("0.23.0", (4, 3, 3), (3, 2.02, 2)),
        # The division is in place, which the backward pass makes up for.
        ("1.0.0", (4, 4, 4), (4, 4, 4)),
        ("1.9.2", (4, 4, 4), (4, 4, 4)),
        # The output of the model lives on.
        ("1.10.0", (4, 3, 3), (3.03, 3.01, 3)),
        # A kernel needs the logits and their gradients.
        ("1.14.2", (2, 2, 2), (2, 2, 2)),
    ],
)
def test_the_copies_are_those_of_the_release(trl: str, float32: tuple[float, ...], half: tuple[float, ...]) -> None:
    assert [copies(trl, many, 4) for many in (1, 2, 8)] == pytest.approx(float32, abs=0.01)
    assert [copies(trl, many, 2) for many in (1, 2, 8)] == pytest.approx(half, abs=0.01)


def test_of_short_completions_the_entropy_of_128_tokens_counts_more() -> None:
    # Scaled logits, the model's output, and three temporary copies of everything.
    assert copies("1.12.0", 1, 4, length=128) == 5
    assert copies("1.12.0", 1, 4, length=64) == 5


def test_releases_that_compute_parts_of_the_logits_need_the_same_for_every_batch() -> None:
    tile = 4096 * 32768 * 2
    for many in (1, 8, 64):
        batch = Batch(many, 12_800, VOCABULARY, 2)
        for liger in (False, True):
            way = way_of(Version("1.15.0"), liger)
            assert way is not None and logits_bytes(way, batch) == tile
    small = way_of(Version("1.16.0"))
    assert small is not None and logits_bytes(small, Batch(1, 100, VOCABULARY, 2)) == 100 * 32768 * 2


def test_liger_has_the_logits_of_one_completion() -> None:
    assert copies("0.28.0", 8, 4, liger=True) == 1 / 8
    assert copies("1.14.0", 1, 4, liger=True) == 2048 * 8192 / (12_800 * VOCABULARY)


@pytest.mark.parametrize("trl", ["0.14.0", "1.10.0.dev0"])
def test_of_some_releases_the_copies_are_not_known(trl: str) -> None:
    assert way_of(Version(trl)) is None
    assert way_of(Version("0.16.1"), liger=True) is None


@pytest.mark.parametrize(
    ("stated", "expected"),
    [
        ({}, 3 * COPY),
        # accelerate converts what the model returns in mixed precision, DeepSpeed does not.
        ({"fp16": True, "bf16": False}, 3 * COPY),
        ({"bf16": "unknown", "mixed_precision": "bf16"}, 3 * COPY),
        ({"deepspeed_stage": 2}, 2.05 * COPY / 2),
        ({"bf16": False}, 2.05 * COPY / 2),
        ({"bf16": False, "dtype": "float32"}, 3 * COPY),
        ({"bf16": "unknown"}, 2.05 * COPY / 2),
        ({"per_device_train_batch_size": 8}, 6 * COPY),
        ({"max_completion_length": 1000}, 1.5 * COPY),
        ({"use_liger_kernel": True}, COPY / 4),
    ],
)
def test_the_logits_of_a_run_follow_from_its_settings(stated: dict[str, object], expected: float) -> None:
    assert estimate(run(**stated))["plan.logits_mib"][0] == pytest.approx(expected, rel=0.002)


def test_the_source_names_what_the_logits_follow_from() -> None:
    assert estimate(run())["plan.logits_mib"][1] == (
        "TRL 0.28.0: 3 x 4 completions x 2000 tokens x 150000 words x 4 bytes"
    )
    assert "computes them in parts with Liger" in estimate(run(use_liger_kernel=True))["plan.logits_mib"][1]


def test_before_0_25_the_setting_of_transformers_does_not_reach_the_loss() -> None:
    assert estimate(run("0.24.0", use_liger_kernel=True))["plan.logits_mib"][0] == round(3 * COPY)
    assert estimate(run("0.24.0", use_liger_loss=True))["plan.logits_mib"][0] == round(COPY / 4)


def test_a_setting_that_is_not_known_counts_as_liger() -> None:
    facts = run(use_liger_kernel="unknown")
    facts.forget("plan.use_liger_kernel", "it depends on an option")
    assert estimate(facts)["plan.logits_mib"][0] == round(COPY / 4)


@pytest.mark.parametrize(
    ("trl", "stated"),
    [
        ("0.14.0", {}),
        (None, {}),
        ("0.28.0", {"per_device_train_batch_size": "unknown"}),
        ("0.28.0", {"max_completion_length": None}),
        ("0.28.0", {"vocabulary_size": "unknown"}),
        ("0.28.0", {"configuration": "RLOOConfig"}),
    ],
)
def test_without_what_they_follow_from_the_logits_are_not_estimated(trl: str | None, stated: dict[str, object]) -> None:
    found = estimate(run(trl, **stated))
    assert "plan.memory_share" in found
    assert not {"plan.logits_mib", "plan.memory_share_with_logits"} & set(found)


def test_the_need_with_logits_is_that_of_the_loss_or_of_the_trainer_s_step() -> None:
    facts = run()
    found, trainer = estimate(facts), trainer_bytes(facts, 7e9)
    assert trainer is not None
    need = sum(trainer) / MIB + 3 * COPY + round(0.3 * 80 * GIB)
    assert found["plan.memory_share_with_logits"][0] == round(need / (80 * GIB), 2)
    # Asleep, vLLM has given its share back.
    asleep = estimate(run(vllm_enable_sleep_mode=True, max_completion_length=8000))["plan.memory_share_with_logits"][0]
    assert asleep == round((sum(trainer) / MIB + 12 * COPY) / (80 * GIB), 2)
    short = estimate(run(max_completion_length=1, vllm_enable_sleep_mode=True))
    assert short["plan.memory_share_with_logits"][0] == short["plan.memory_share"][0]


def test_gradients_of_the_weights_are_there_in_the_loss_only_if_they_are_accumulated() -> None:
    trainer = Trainer(weights=4 * MIB, gradients=2 * MIB, optimizer=8 * MIB, buffers=1 * MIB)
    assert peak_of_loss(trainer, 10, 5, accumulates=False) == 4 + 8 + 1 + 10 + 5
    assert peak_of_loss(trainer, 10, 5, accumulates=True) == 4 + 2 + 8 + 1 + 10 + 5
    shares = []
    for steps in (1, 4):
        facts = run(peft=False, gradient_accumulation_steps=steps, model_parameters=1_000_000_000)
        shares.append(estimate(facts)["plan.memory_share_with_logits"][0])
    assert shares[1] - shares[0] == pytest.approx(2e9 / MIB / (80 * GIB), abs=0.011)
