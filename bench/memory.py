"""Compare estimates of the trainer's memory with real trainers: ours, accelerate's and DeepSpeed's, as ratios.

Usage: make bench    (or: python -m bench.memory, in an environment with torch, transformers, accelerate and TRL)

The real number is the most that weights, gradients, optimizer state and DDP's buckets take at one time on rank 0, as
`tests/upstream/trainer_memory.py` measures it. Ours comes from the model's config.json and the settings, as in a check.
accelerate's is what `accelerate estimate-memory` prints for training with Adam. DeepSpeed's are its functions for
ZeRO-2 and ZeRO-3. Activations and buckets of DeepSpeed are in none of the numbers.

A second table compares the estimate of the logits with the most that a loss of real releases of TRL takes at one time,
as `tests/upstream/logits_memory.py` measures it with a tiny model of a large vocabulary.
"""

from __future__ import annotations

import json
import sys
import tempfile
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).resolve().parents[1]


class Row(NamedTuple):
    """One run: what it is called, how it is measured, its facts, and the data type for accelerate's estimate."""

    name: str
    case: Any
    facts: dict[str, Any]
    ranks: int
    accelerate_dtype: str
    stage: int = 0


def rows() -> list[Row]:
    """Return the runs."""
    from tests.upstream.test_trainer_memory import LORA, fsdp, zero
    from tests.upstream.trainer_memory import Case

    alone: dict[str, Any] = {"deepspeed_stage": 0, "fsdp": None, "world_size": 1, "peft": False}
    two = {**alone, "world_size": 2}
    sharded = {**two, "deepspeed_stage": None, "fsdp_sharding": "full"}
    lora = {"peft": True, "lora_rank": 8, "lora_targets": ()}
    return [
        Row(
            "GRPOTrainer, 16-bit checkpoint",
            Case({}, "bfloat16", grpo=True),
            {**alone, "dtype": "float32"},
            1,
            "float32",
        ),
        Row(
            "AdamW, bfloat16", Case({"optim": "adamw_torch"}, "bfloat16"), {**alone, "dtype": "bfloat16"}, 1, "bfloat16"
        ),
        Row("LoRA, bfloat16", Case({}, "bfloat16", LORA), {**alone, "dtype": "bfloat16", **lora}, 1, "bfloat16"),
        Row("DDP, float32, 2 ranks", Case({}), {**two, "dtype": "float32"}, 2, "float32"),
        Row("FSDP2, bf16, 2 ranks", Case(fsdp(2, bf16=True), fsdp=True), {**sharded, "bf16": True}, 2, "bfloat16"),
        Row("ZeRO-2, bf16, 2 ranks", Case(zero(2)), {**two, "deepspeed_stage": 2, "bf16": True}, 2, "bfloat16", 2),
        Row("ZeRO-3, bf16, 2 ranks", Case(zero(3)), {**two, "deepspeed_stage": 3, "bf16": True}, 2, "bfloat16", 3),
    ]


def ours(row: Row, config: Path) -> float:
    """Return our estimate in bytes, from config.json and the settings."""
    from vcompat.facts.facts import number
    from vcompat.facts.memory.estimates import trainer_bytes
    from vcompat.sources.reading.configurations.model_config import read_model_config
    from vcompat.sources.reading.document import read_document

    facts = read_model_config(read_document(str(config))).facts
    for name, value in row.facts.items():
        if value is not None or name == "fsdp":
            facts.set(f"plan.{name}", value, "bench")
    parameters = number(facts, "plan.model_parameters")
    estimated = trainer_bytes(facts, parameters) if parameters else None
    if estimated is None:
        raise SystemExit(f"{row.name}: no estimate")
    return sum(estimated)


def accelerate_s(model: Any, dtype: str) -> float:
    """Return what `accelerate estimate-memory` prints as training with Adam, in bytes."""
    estimate_training_usage = import_module("accelerate.commands.estimate").estimate_training_usage
    calculate_maximum_sizes = import_module("accelerate.utils").calculate_maximum_sizes

    size, _ = calculate_maximum_sizes(model)
    return float(max(estimate_training_usage(size, dtype).values()))


def deepspeed_s(parameters: int, largest: int, stage: int, ranks: int) -> float:
    """Return DeepSpeed's estimate in bytes."""
    if stage == 2:
        two = import_module("deepspeed.runtime.zero.stage_1_and_2").estimate_zero2_model_states_mem_needs
        return float(two(parameters, ranks, 1, cpu_offload=False)[1])
    three = import_module("deepspeed.runtime.zero.stage3").estimate_zero3_model_states_mem_needs
    whole = {"cpu_offload": False, "cpu_offload_params": False}
    return float(three(parameters, largest, ranks, 1, **whole)[1])


def print_logits() -> None:
    """Print one line for each release of TRL and each kind of run."""
    from tests.upstream.test_logits_memory import CASES, RELEASES, measured, predicted

    print("memory of the logits, estimate / real   real (MiB)   vcompat")
    for trl in RELEASES:
        for (name, case), found in zip(CASES.items(), measured(trl, list(CASES.values())), strict=True):
            real = found.with_gradients
            row = f"TRL {trl}, {name}"
            print(f"{row:<39} {real / 2**20:10.1f} {predicted(trl, case) / real:9.2f}", flush=True)


def main() -> None:
    """Print one line for each run, and for each loss."""
    sys.path.insert(0, str(ROOT))
    from tests.upstream.installed import installed
    from tests.upstream.test_trainer_memory import DEEPSPEED, PEFT, measured
    from tests.upstream.trainer_memory import SIZES

    sys.path[1:1] = [str(folder) for folder in installed(PEFT, *DEEPSPEED)]
    import torch
    import transformers

    library: Any = transformers
    settings = library.LlamaConfig(**SIZES)
    with torch.device("meta"):
        model = library.LlamaForCausalLM(settings)
    parameters = sum(parameter.numel() for parameter in model.parameters())
    largest = max(parameter.numel() for parameter in model.parameters())
    print("trainer's memory, estimate / real   real (MiB)   vcompat   accelerate   DeepSpeed")
    with tempfile.TemporaryDirectory() as folder:
        config = Path(folder) / "config.json"
        config.write_text(json.dumps(settings.to_dict() | {"architectures": ["LlamaForCausalLM"]}, default=str))
        for row in rows():
            (found,) = measured([row.case], PEFT, *DEEPSPEED, ranks=row.ranks)
            real = found.with_gradients + found.buckets
            others = [f"{accelerate_s(model, row.accelerate_dtype) / real:12.2f}"]
            others += [
                f"{deepspeed_s(parameters, largest, row.stage, row.ranks) / real:11.2f}" if row.stage else f"{'-':>11}"
            ]
            print(f"{row.name:<35} {real / 2**20:10.1f} {ours(row, config) / real:9.2f} {' '.join(others)}", flush=True)
    print_logits()


if __name__ == "__main__":
    main()
