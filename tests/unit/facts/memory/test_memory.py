from __future__ import annotations

import pytest
from packaging.version import Version

from vcompat.facts.facts import Facts
from vcompat.facts.memory.estimates import estimate, gpus_of_model, is_divided

GIB = 1024


def facts(**stated: object) -> Facts:
    """Return the facts of a colocated run of a model with 7 billion parameters on GPUs with 80 GiB.

    `stated` are more settings of the plan.
    """
    found = Facts()
    plan = {
        "use_vllm": True,
        "vllm_mode": "colocate",
        "vllm_gpu_memory_utilization": 0.3,
        "tensor_parallel_size": 1,
        "vllm_enable_sleep_mode": False,
        "model_parameters": 7_000_000_000,
        "model_quantization": None,
        "peft": False,
        "deepspeed_stage": 0,
        "dtype": "bfloat16",
        "world_size": 8,
    }
    for name, value in {**plan, **stated}.items():
        found.set(f"plan.{name}", value, "here")  # type: ignore[arg-type]
    found.set("gpu.memory_mib", (80 * GIB,) * 8, "here")
    return found


def trainer_gib(**stated: object) -> float:
    return round(estimate(facts(**stated))["plan.trainer_mib"][0] / GIB, 1)


def test_vllm_takes_its_share_and_divides_its_weights_among_the_gpus() -> None:
    found = estimate(facts(tensor_parallel_size=2))
    assert found["plan.vllm_share_mib"][0] == round(0.3 * 80 * GIB)
    assert round(found["plan.vllm_weights_mib"][0] / GIB, 1) == 6.5


@pytest.mark.parametrize(
    ("settings", "gib"),
    [
        # DDP: 2 bytes for the weight, 2 for the gradient, 2 for its bucket, 4 for the moments.
        ({}, 65.2),
        ({"dtype": "float32"}, 130.4),
        # Alone, there are no buckets.
        ({"world_size": 1}, 52.2),
        # 16-bit weights; a float32 copy, float32 moments and gradients, sharded over 8 GPUs.
        ({"deepspeed_stage": 1, "bf16": True}, 26.1),
        # Gradients are reduced at the end of the accumulation.
        ({"deepspeed_stage": 1, "bf16": True, "gradient_accumulation_steps": 2}, 35.9),
        ({"deepspeed_stage": 2, "bf16": True}, 26.1),
        ({"deepspeed_stage": 3, "bf16": True}, 16.3),
        ({"deepspeed_stage": 3, "bf16": True, "optimizer_offload": "cpu"}, 1.6),
        # Without mixed precision: float32 weights and gradients, and DeepSpeed's copy.
        ({"deepspeed_stage": 3, "dtype": "float32", "bf16": False, "fp16": False, "deepspeed_bf16": False,
          "deepspeed_fp16": False}, 19.6),
        # Whether mixed precision is used is not known: the smaller need.
        ({"deepspeed_stage": 3, "dtype": "float32"}, 16.3),
        ({"deepspeed_stage": None, "fsdp_sharding": "full"}, 6.5),
        ({"deepspeed_stage": None, "fsdp_sharding": "gradients"}, 6.5),
        # Mixed precision: FSDP trains float32 weights.
        ({"deepspeed_stage": None, "fsdp_sharding": "full", "bf16": True}, 13.0),
        ({"optim": "adafactor"}, 39.1),
        ({"optim": "adamw_8bit"}, 52.2),
        # The adapter's size is not known, so only the model counts.
        ({"peft": True}, 13.0),
        ({"peft": True, "linear_sizes": ("q_proj=1000000", "v_proj=500000"), "lora_rank": 16,
          "lora_targets": ("q_proj",)}, 13.3),
        ({"peft": True, "linear_sizes": ("q_proj=1000000", "v_proj=500000"), "lora_rank": 16,
          "lora_targets": ("all-linear",)}, 13.5),
        # QLoRA: at least 4 bits per weight.
        ({"peft": True, "loaded_in_bits": 4}, 3.3),
    ],
)  # fmt: skip
def test_the_trainer_s_memory_follows_from_sharding_and_optimizer(settings: dict[str, object], gib: float) -> None:
    assert trainer_gib(**settings) == gib


def test_with_sleep_mode_gradients_and_vllm_s_share_do_not_add_up() -> None:
    together = estimate(facts())["plan.memory_share"][0]
    in_turns = estimate(facts(vllm_enable_sleep_mode=True))["plan.memory_share"][0]
    assert together == round(0.3 + 65.19 / 80, 2)
    assert in_turns == round(0.3 + 52.15 / 80, 2)


@pytest.mark.parametrize(
    "settings",
    [
        {"use_vllm": None},
        {"vllm_mode": None},
        {"model_parameters": None},
        {"deepspeed_stage": 3, "world_size": None},
    ],
)
def test_the_memory_share_is_not_estimated_from_unknown_facts(settings: dict[str, object]) -> None:
    assert "plan.memory_share" not in estimate(facts(**settings))


@pytest.mark.parametrize("settings", [{"use_vllm": False}, {"vllm_mode": "server"}])
def test_without_an_engine_on_its_gpus_the_trainer_needs_memory_alone(settings: dict[str, object]) -> None:
    found = estimate(facts(**settings))
    assert found["plan.memory_share"][0] == round(65.19 / 80, 2)
    assert "plan.vllm_share_mib" not in found


def test_gpus_of_two_sizes_leave_open_which_of_them_a_trainer_beside_a_server_has() -> None:
    mixed = facts(vllm_mode="server")
    mixed.set("gpu.memory_mib", (80 * GIB, 24 * GIB), "here")
    assert "plan.memory_share" not in estimate(mixed)


def test_the_cache_is_vllm_s_share_minus_its_weights() -> None:
    cache = {"kv_bytes_per_token": 2 * 28 * 4 * 128 * 2, "key_value_heads": 4}
    room = 0.3 * 80 * GIB - 7e9 * 2 / 1024 / 1024
    alone = estimate(facts(**cache))["plan.kv_cache_tokens"][0]
    assert alone == pytest.approx(room * 1024 * 1024 / cache["kv_bytes_per_token"], rel=0.001)
    # Eight GPUs share four heads: each holds one head and an eighth of the weights.
    spread = estimate(facts(**cache, tensor_parallel_size=8))["plan.kv_cache_tokens"][0]
    room = 0.3 * 80 * GIB - 7e9 * 2 / 1024 / 1024 / 8
    assert spread == pytest.approx(4 * room * 1024 * 1024 / cache["kv_bytes_per_token"], rel=0.001)
    assert estimate(facts(**cache, kv_cache_dtype="fp8"))["plan.kv_cache_tokens"][0] == pytest.approx(
        2 * alone, rel=0.001
    )
    assert estimate(facts(**cache, vllm_gpu_memory_utilization=0.1))["plan.kv_cache_tokens"][0] == 0


@pytest.mark.parametrize(
    ("method", "peft", "trainer", "weights"),
    [
        (None, False, True, True),
        (None, True, True, True),
        # The bits per weight of a quantized checkpoint are not known.
        ("awq", True, False, False),
        ("awq", False, False, False),
        # The name suggests a quantized checkpoint: the size of a weight is not known.
        ("?", True, False, False),
        ("?", False, False, False),
    ],
)
def test_quantized_weights_are_not_counted_at_16_bits(
    method: str | None, peft: bool, trainer: bool, weights: bool
) -> None:
    found = facts(model_quantization=method, peft=peft)
    if method == "?":
        found.forget("plan.model_quantization", "'AWQ' in the name")
    estimated = estimate(found)
    assert ("plan.trainer_mib" in estimated) is trainer
    assert ("plan.vllm_weights_mib" in estimated) is weights


def test_a_quantized_checkpoint_of_known_bits_counts_with_these() -> None:
    estimated = estimate(facts(model_quantization="awq", model_bits=4, peft=True))
    assert (
        round(estimated["plan.vllm_weights_mib"][0] / GIB, 1) == round(estimated["plan.trainer_mib"][0] / GIB, 1) == 3.3
    )


def test_vllm_s_weights_have_vllm_s_data_type_not_the_trainer_s() -> None:
    found = facts(dtype="float32")
    found.set("vllm.dtype", "bfloat16", "here")
    assert round(estimate(found)["plan.vllm_weights_mib"][0] / GIB, 1) == 13.0
    found.set("vllm.dtype", "float32", "here")
    assert round(estimate(found)["plan.vllm_weights_mib"][0] / GIB, 1) == 26.1


@pytest.mark.parametrize(("trl", "beta", "gib"), [("1.16.0", 0.0, 65.2), ("1.16.0", 0.04, 78.2), ("0.15.0", 0.0, 78.2)])
def test_the_reference_model_counts_if_trl_loads_it(trl: str, beta: float, gib: float) -> None:
    found = facts(beta=beta)
    found.set("packages.trl", Version(trl), "here")
    assert round(estimate(found)["plan.trainer_mib"][0] / GIB, 1) == gib


def test_an_optimizer_that_is_not_known_has_no_state() -> None:
    found = facts()
    found.forget("plan.optim", "computed")
    assert round(estimate(found)["plan.trainer_mib"][0] / GIB, 1) == 39.1


@pytest.mark.parametrize(
    ("stage", "gib"),
    [
        # 2 bytes for the weight; divided by 8: 2 for the gradient, 4 for Adam's state, 2 for its weight.
        (2, 6.52 * (2 + 8 / 8)),
        # All of it is divided by 8, and Adam updates the weights themselves.
        (3, 6.52 * 8 / 8),
    ],
)
def test_deepspeed_s_optimizer_may_keep_everything_in_16_bits(stage: int, gib: float) -> None:
    found = facts(deepspeed_stage=stage, mixed_precision="bf16", deepspeed_bf16_optimizer_states=True)
    assert estimate(found)["plan.trainer_mib"][0] / GIB == pytest.approx(gib, rel=0.01)
    found.forget("plan.deepspeed_bf16_optimizer_states", "the file was not found")
    assert estimate(found)["plan.trainer_mib"][0] / GIB == pytest.approx(gib, rel=0.01)


@pytest.mark.parametrize(
    ("trl", "stated", "weights"),
    [
        # From 0.26 on, TRL loads what it gets by name with device_map="auto" if there is one process.
        ("0.26.0", {"model_by_name": True, "device_map": None}, 1),
        ("0.25.1", {"model_by_name": True, "device_map": None}, 8),
        (None, {"model_by_name": True, "device_map": None}, 1),
        # What the script loads is divided if it states so, whatever TRL's release is.
        ("1.0.0", {"device_map": None}, 8),
        ("0.25.1", {"device_map": "auto"}, 1),
        ("1.0.0", {"model_by_name": True, "device_map": "cuda:0"}, 8),
        ("1.0.0", {}, 1),
        # Several processes have the whole model each.
        ("1.0.0", {"model_by_name": True, "device_map": None, "world_size": 2}, 10),
    ],
)
def test_one_process_divides_the_model_where_trl_or_the_script_does(
    trl: str | None, stated: dict[str, object], weights: float
) -> None:
    found = facts(**{"world_size": 1, **stated})
    found.set("gpu.count", 8, "here")
    if trl is not None:
        found.set("packages.trl", Version(trl), "here")
    whole = 7e9 * (2 + 2 + 4) / 1024**2
    assert estimate(found)["plan.trainer_mib"][0] == pytest.approx(whole * weights / 8, rel=0.001)


@pytest.mark.parametrize(
    ("trl", "stated", "gpus"),
    [
        # Under DeepSpeed, TRL 0.26 and later load it without a device_map, also where one is stated.
        ("1.0.0", {"deepspeed_stage": 2}, 1),
        ("1.0.0", {"deepspeed_stage": 0, "deepspeed": "zero.json"}, 1),
        ("1.0.0", {"deepspeed_stage": 2, "device_map": "auto"}, 1),
        ("0.25.1", {"deepspeed_stage": 2, "device_map": "auto"}, 8),
        (None, {"deepspeed_stage": 2}, 1),
        ("1.0.0", {"deepspeed_stage": 0}, 8),
        # What the script loads is as it states.
        ("1.0.0", {"deepspeed_stage": 2, "device_map": "auto", "model_by_name": False}, 8),
    ],
)
def test_under_deepspeed_one_process_does_not_divide_the_model(
    trl: str | None, stated: dict[str, object], gpus: int
) -> None:
    found = facts(**{"world_size": 1, "model_by_name": True, "device_map": None, **stated})
    found.set("gpu.count", 8, "here")
    if trl is not None:
        found.set("packages.trl", Version(trl), "here")
    assert gpus_of_model(found) == gpus
    assert is_divided(found) is (gpus == 8)
