"""What a rehearsal changes in the real configuration of TRL's trainer."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from datasets import Dataset, IterableDataset
from trl import GRPOConfig

from vcompat.rehearsal.inside.bounds import bound, first_of, samples_for, steps_for


def config(folder: Path, **settings: Any) -> GRPOConfig:
    return GRPOConfig(**{"output_dir": str(folder / "mine"), "use_cpu": True, "bf16": False, **settings})


def test_nothing_is_saved_pushed_or_reported(tmp_path: Path) -> None:
    given = config(
        tmp_path, save_strategy="steps", eval_strategy="steps", load_best_model_at_end=True, push_to_hub=True, report_to="all",
        log_completions=True, resume_from_checkpoint="last",
    )  # fmt: skip
    changed = bound(given, 3, str(tmp_path / "output"))
    assert (given.save_strategy.value, given.report_to, given.push_to_hub) == ("no", [], False)  # type: ignore[attr-defined]
    assert (given.load_best_model_at_end, given.log_completions, given.resume_from_checkpoint) == (False, False, None)
    assert given.output_dir == str(tmp_path / "output")
    assert {"save_strategy", "output_dir", "push_to_hub", "log_completions", "max_steps"} <= set(changed)


def test_a_bounded_configuration_evaluates_before_the_last_step_if_it_would_evaluate(tmp_path: Path) -> None:
    given = config(tmp_path, eval_strategy="epoch")
    bound(given, 3, "x")
    assert (given.eval_strategy.value, given.eval_steps, given.max_steps) == ("steps", 2, 3)  # type: ignore[attr-defined]
    given = config(tmp_path)
    bound(given, 3, "x")
    assert given.eval_strategy.value == "no"  # type: ignore[attr-defined]


def test_sampling_that_changes_probabilities_is_switched_off(tmp_path: Path) -> None:
    """vLLM reports the probabilities after it, and the trainer computes them without it."""
    given = config(tmp_path, top_p=0.9, top_k=20, min_p=0.1, repetition_penalty=1.2, temperature=0.7)
    changed = bound(given, 3, "x")
    assert (given.top_p, given.top_k, given.min_p, given.repetition_penalty) == (1.0, GRPOConfig("x", use_cpu=True, bf16=False).top_k, None, 1.0)  # fmt: skip
    assert given.temperature == 1.0
    assert {"temperature", "top_p", "top_k", "min_p", "repetition_penalty"} <= set(changed)


@pytest.mark.parametrize(
    ("settings", "steps"),
    [
        ({}, 3),
        ({"max_steps": 2}, 2),
        ({"max_steps": 1000}, 3),
        ({"gradient_accumulation_steps": 4}, 3),
        ({"gradient_accumulation_steps": 2, "steps_per_generation": 4}, 5),
        ({"gradient_accumulation_steps": 2, "steps_per_generation": 1}, 2),
        ({"num_iterations": 100}, 12),
    ],
)
def test_the_steps_contain_three_generations(tmp_path: Path, settings: dict[str, Any], steps: int) -> None:
    assert steps_for(config(tmp_path, **settings), 3) == steps


def test_the_first_samples_are_enough_for_the_steps(tmp_path: Path) -> None:
    given = config(tmp_path, per_device_train_batch_size=8, gradient_accumulation_steps=2, num_generations=4)
    bound(given, 3, "x")
    assert samples_for(given) == (64, 8)
    assert len(first_of(Dataset.from_dict({"prompt": ["a"] * 1000}), 64)) == 64
    assert len(first_of(Dataset.from_dict({"prompt": ["a"] * 10}), 64)) == 10
    endless = IterableDataset.from_generator(lambda: ({"prompt": "a"} for _ in iter(int, 1)))
    assert len(list(first_of(endless, 64))) == 64
    assert first_of([1, 2, 3], 2) == [1, 2, 3]
