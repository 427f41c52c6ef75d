"""The predicted memory of the trainer, compared with the tensors of real trainers after a real step, to the byte.

The trainers run in processes of their own, on the CPU: `trainer_memory`. transformers, accelerate, TRL and torch are
those of this environment; PEFT, bitsandbytes and DeepSpeed are fetched. FSDP and DeepSpeed run with two ranks and gloo.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import Any

import pytest

from tests.e2e.conftest import free_port
from tests.upstream.installed import installed, python_path
from tests.upstream.trainer_memory import RESULT, Case, Measured
from vcompat.facts.memory.trainer_memory import Setup, allocation

pytest.importorskip("transformers")
pytest.importorskip("accelerate")

PEFT, BITSANDBYTES = "peft==0.21.2", "bitsandbytes==0.50.2"
DEEPSPEED = ("deepspeed==0.19.8", "hjson==3.1.0", "py-cpuinfo==9.0.0", "msgpack==1.2.4", "einops==0.8.2")
LORA = {"r": 8}
RANKS = 2
#: A parameter that is split between two partitions keeps its whole gradient, 256 numbers in these models.
SPLIT = 4 * 256
#: DeepSpeed converts the gradients of one parameter group at a time. The smaller group has the five norms.
NORMS = 5 * 256 * 4 // RANKS


slow = pytest.mark.skipif(not os.environ.get("VCOMPAT_SLOW_TESTS"), reason="takes minutes; set VCOMPAT_SLOW_TESTS=1")


def measured(cases: list[Case], *pins: str, ranks: int = 1, **variables: str) -> list[Measured]:
    """Run the cases in one process per rank, with `variables` in its environment."""
    program = ["-m", "tests.upstream.trainer_memory", json.dumps([case._asdict() for case in cases])]
    launcher = ["-m", "torch.distributed.run", "--nproc_per_node", str(ranks), "--master_port", str(free_port())]
    done = subprocess.run(
        [sys.executable, *(launcher if ranks > 1 else []), *program],
        env=os.environ | {"PYTHONPATH": python_path(*installed(*pins)), "OMP_NUM_THREADS": "1", **variables},
        capture_output=True,
        text=True,
        check=False,
    )
    lines = [line.partition(RESULT)[2] for line in done.stdout.splitlines() if RESULT in line]
    assert len(lines) == len(cases), done.stderr[-4000:]
    return [Measured(**json.loads(line)) for line in lines]


def assert_as_predicted(
    found: Measured, setup: Setup, more: int = 0, before: float = 0, after: float = 0, norms: int = 0
) -> None:
    """Compare both moments.

    The estimate may lack `more` bytes, `before` more of them with gradients, `after` more of them after the step. It may
    have `norms` bytes too many with gradients.
    """
    real = setup._replace(parameters=found.parameters, adapter=found.adapter if setup.adapter is not None else None)
    predicted = allocation(real)
    kept = predicted.weights + predicted.optimizer + predicted.buffers
    lacks = found.with_gradients + found.buckets - kept - predicted.gradients
    assert -norms <= lacks <= more + before, (predicted, found)
    assert 0 <= found.after_step + found.buckets - kept <= more + after, (predicted, found)


def zero(stage: int, mixed: bool = True, **more: Any) -> dict[str, Any]:
    """Arguments for DeepSpeed, with buckets that are too small to count."""
    buckets = dict.fromkeys(("reduce_bucket_size", "allgather_bucket_size"), 40)
    settings: dict[str, Any] = {
        "zero_optimization": {
            "stage": stage,
            **buckets,
            "stage3_param_persistence_threshold": 0,
            "stage3_prefetch_bucket_size": 0,
        },
        "train_micro_batch_size_per_gpu": "auto",
        "gradient_accumulation_steps": "auto",
    }
    if mixed:
        settings["bf16"] = {"enabled": True}
    return {"optim": "adamw_torch", "deepspeed": settings, "bf16": mixed, **more}


def fsdp(version: int, strategy: str = "full_shard", **more: Any) -> dict[str, Any]:
    """Arguments for FSDP of one version."""
    settings: dict[str, Any] = {"transformer_layer_cls_to_wrap": "LlamaDecoderLayer", "version": version}
    if version == 1:
        settings |= {"sync_module_states": "false", "cpu_ram_efficient_loading": "false"}
        settings["reshard_after_forward"] = strategy
    else:
        settings["reshard_after_forward"] = strategy == "full_shard"
    return {"optim": "adamw_torch", "fsdp": "full_shard auto_wrap", "fsdp_config": settings, **more}


def test_one_process_keeps_weights_gradients_and_the_optimizer_s_state() -> None:
    runs = [
        (Case({"optim": "adamw_torch"}), Setup(0, 4)),
        (Case({"optim": "adamw_torch_fused", "bf16": True}, "bfloat16"), Setup(0, 2, optimizer="adamw_torch_fused")),
        (Case({"optim": "sgd"}), Setup(0, 4, optimizer="sgd")),
        (Case({"optim": "adagrad"}, "bfloat16"), Setup(0, 2, optimizer="adagrad")),
        (Case({"optim": "rmsprop"}), Setup(0, 4, optimizer="rmsprop")),
        (Case({"optim": "adamw_torch"}, "bfloat16", LORA), Setup(0, 2, adapter=1)),
        (Case({"optim": "lion_32bit"}, "bfloat16"), Setup(0, 2, optimizer="lion_32bit")),
    ]
    for (_, setup), found in zip(runs, measured([case for case, _ in runs], PEFT, BITSANDBYTES), strict=True):
        assert_as_predicted(found, setup)


@slow
def test_adafactor_and_optimizers_of_8_bits_keep_no_less_than_predicted() -> None:
    cases = [Case({"optim": name}, "bfloat16") for name in ("adafactor", "adamw_8bit", "lion_8bit")]
    for case, found in zip(cases, measured(cases, BITSANDBYTES), strict=True):
        # Rows and columns, embeddings and small tensors in 32 bits, and tables of levels.
        embeddings = 1024 * 256
        more = 50_000 + (6 * embeddings if "8bit" in case.arguments["optim"] else 0)
        assert_as_predicted(found, Setup(0, 2, optimizer=case.arguments["optim"]), more)


@pytest.mark.slow
def test_grpo_trainer_loads_a_16_bit_checkpoint_in_float32_and_a_second_one_if_beta_is_set() -> None:
    runs = [
        (Case({"optim": "adamw_torch"}, "bfloat16", grpo=True), Setup(0, 4)),
        (Case({"optim": "adamw_torch", "beta": 0.1}, "bfloat16", grpo=True), Setup(0, 4, reference_bytes=4)),
        (Case({"model_init_kwargs": {"dtype": "bfloat16"}}, "bfloat16", grpo=True), Setup(0, 2)),
        (Case({"model_init_kwargs": {"torch_dtype": "bfloat16"}}, "bfloat16", grpo=True), Setup(0, 4)),
        (Case({"beta": 0.1}, "bfloat16", LORA, grpo=True), Setup(0, 4, adapter=1)),
    ]
    for (_, setup), found in zip(runs, measured([case for case, _ in runs], PEFT), strict=True):
        assert_as_predicted(found, setup)


@pytest.mark.slow
def test_ddp_keeps_buckets_of_the_size_of_the_gradients() -> None:
    runs = [
        (Case({"optim": "adamw_torch", "bf16": True}, "bfloat16"), Setup(0, 2, backend="ddp", processes=RANKS)),
        (Case({"optim": "adamw_torch"}, "bfloat16", LORA), Setup(0, 2, adapter=1, backend="ddp", processes=RANKS)),
    ]
    for (_, setup), found in zip(runs, measured([case for case, _ in runs], PEFT, ranks=RANKS), strict=True):
        assert found.buckets
        assert_as_predicted(found, setup)


@slow
def test_fsdp_shards_everything_and_trains_float32_weights_in_mixed_precision() -> None:
    shards = Setup(0, 2, backend="fsdp", processes=RANKS)
    mixed = shards._replace(mixed=True)
    runs = [
        (Case(fsdp(1), "bfloat16", fsdp=True), shards),
        (Case(fsdp(1, bf16=True), "bfloat16", fsdp=True), mixed),
        (Case(fsdp(1, "shard_grad_op"), "bfloat16", fsdp=True), shards),
        (Case(fsdp(1, "shard_grad_op", bf16=True), "bfloat16", fsdp=True), mixed),
        (Case(fsdp(2), "bfloat16", fsdp=True), shards),
        (Case(fsdp(2, bf16=True), "bfloat16", fsdp=True), mixed),
        (Case(fsdp(2, "shard_grad_op"), "bfloat16", fsdp=True), shards),
        (Case(fsdp(2), "bfloat16", LORA, fsdp=True), shards._replace(adapter=1)),
        (Case(fsdp(2, bf16=True), "bfloat16", LORA, fsdp=True), mixed._replace(adapter=1)),
    ]
    for (case, setup), found in zip(runs, measured([case for case, _ in runs], PEFT, ranks=RANKS), strict=True):
        # FSDP1 holds the gradients until the next backward pass.
        holds = case.arguments["fsdp_config"]["version"] == 1
        trained = allocation(setup._replace(parameters=found.parameters)).gradients
        assert_as_predicted(found, setup, after=trained if holds else 0)


@slow
def test_fsdp_with_no_shard_from_accelerate_s_launcher_keeps_everything_on_every_rank() -> None:
    (found,) = measured([Case(fsdp(1), "bfloat16", fsdp=True)], ranks=RANKS, FSDP_SHARDING_STRATEGY="NO_SHARD")
    setup = Setup(0, 2, backend="fsdp", processes=RANKS, sharded=False)
    assert not found.buckets
    # FSDP1 holds the gradients until the next backward pass.
    assert_as_predicted(found, setup, after=2 * found.parameters)


@slow
@pytest.mark.parametrize("stage", [1, 2, 3])
def test_deepspeed_with_bf16_optimizer_states_keeps_everything_in_16_bits(stage: int) -> None:
    arguments = zero(stage)
    arguments["deepspeed"]["bf16"] |= {"bf16_master_weights_and_grads": True, "bf16_optimizer_states": True}
    (found,) = measured([Case(arguments)], PEFT, *DEEPSPEED, ranks=RANKS)
    setup = Setup(0, 4, backend="zero", processes=RANKS, mixed=True, stage=stage, keeps_16_bits=True)
    # The gradients of the model and those of the optimizer are there together for a while.
    twice = found.parameters * 2 / RANKS
    # ZeRO-3 can update the model's own weights (stage3.py, `_create_fp32_partitions`); on the CPU it keeps a copy.
    assert_as_predicted(found, setup, SPLIT, before=2 * twice, after=twice if stage == 3 else 0)


@slow
def test_deepspeed_keeps_a_float32_copy_and_shards_by_stage() -> None:
    mixed = Setup(0, 4, backend="zero", processes=RANKS, mixed=True)
    plain = mixed._replace(mixed=False)
    accelerate_enables_it = zero(2)
    del accelerate_enables_it["deepspeed"]["bf16"]
    runs = [
        (Case(zero(1)), mixed._replace(stage=1)),
        (Case(zero(1, gradient_accumulation_steps=2)), mixed._replace(stage=1, accumulates=True)),
        (Case(zero(2)), mixed._replace(stage=2)),
        (Case(zero(2, gradient_accumulation_steps=2)), mixed._replace(stage=2, accumulates=True)),
        (Case(zero(3)), mixed._replace(stage=3)),
        (Case(accelerate_enables_it), mixed._replace(stage=2)),
        (Case(zero(2, mixed=False)), plain._replace(stage=2)),
        (Case(zero(3, mixed=False)), plain._replace(stage=3)),
        (Case(zero(2), "bfloat16", LORA), mixed._replace(stage=2, weight_bytes=2, adapter=1)),
        (Case(zero(3), "bfloat16", LORA), mixed._replace(stage=3, weight_bytes=2, adapter=1)),
    ]
    for (_, setup), found in zip(
        runs, measured([case for case, _ in runs], PEFT, *DEEPSPEED, ranks=RANKS), strict=True
    ):
        # ZeRO-1 and 2 hold the 16-bit gradients for a while next to the float32 ones.
        trained = found.adapter or found.parameters
        twice = trained * (2 if setup.mixed else 4) / RANKS if setup.stage < 3 else 0
        assert_as_predicted(found, setup, SPLIT, before=twice, norms=NORMS)
