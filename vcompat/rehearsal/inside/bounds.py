"""Bounds a training: a few steps, nothing saved, reported or pushed, and the first few samples."""

from __future__ import annotations

import os
from typing import Any

#: Settings of the trainer's configuration that must not act in a rehearsal, and what they get.
_OFF: dict[str, Any] = {
    "push_to_hub": False,
    "load_best_model_at_end": False,
    "log_completions": False,
    "log_completions_hub_repo": None,
    "resume_from_checkpoint": None,
    "save_strategy": "no",
    "report_to": [],
    "disable_tqdm": True,
}
#: Settings that change the probabilities which vLLM reports, but not those that the trainer computes. Before TRL 0.24.0
#: the temperature is one of them.
_NEUTRAL = {"temperature": 1.0, "top_p": 1.0, "min_p": None, "repetition_penalty": 1.0}
#: The fewest samples of an evaluation.
_FEWEST = 4


def steps_for(config: Any, most: int) -> int:
    """Return how many optimizer steps contain `most` generations, but at most four times as many steps."""
    accumulation = max(1, int(getattr(config, "gradient_accumulation_steps", 1) or 1))
    every = max(1, int(getattr(config, "steps_per_generation", None) or accumulation))
    every *= max(1, int(getattr(config, "num_iterations", 1) or 1))
    steps = min(most * 4, -(-every * (most - 1) // accumulation) + 1)
    given = int(getattr(config, "max_steps", -1) or -1)
    return min(steps, given) if given > 0 else steps


def silence(config: Any, folder: str) -> list[str]:
    """Let the trainer save, push and report nothing; return what was changed. `folder` becomes the output folder."""
    changed = []
    for name, value in (*_OFF.items(), ("output_dir", folder), ("logging_dir", os.path.join(folder, "logs"))):
        if hasattr(config, name) and _set(config, name, value):
            changed.append(name)
    return changed


def bound(config: Any, most: int, folder: str) -> list[str]:
    """Change the trainer's configuration, which is the user's object; return what was changed.

    `most` is the number of steps, `folder` the output folder.
    """
    changed = silence(config, folder)
    for name in [name for name, value in _NEUTRAL.items() if getattr(config, name, value) not in (value, 0, None)]:
        setattr(config, name, _NEUTRAL[name])
        changed.append(name)
    if getattr(config, "top_k", None) not in (0, -1, None):
        # TRL states "all" as 0, and as None before 1.0; vLLM as both 0 and -1.
        config.top_k = type(config).__dataclass_fields__["top_k"].default
        changed.append("top_k")
    steps = steps_for(config, most)
    if config.max_steps != steps:
        changed.append("max_steps")
    config.max_steps = steps
    config.logging_steps = 1
    evaluates = str(getattr(getattr(config, "eval_strategy", "no"), "value", getattr(config, "eval_strategy", "no")))
    if evaluates != "no":
        _set(config, "eval_strategy", "steps")
        config.eval_steps, config.eval_delay = max(1, steps - 1), 0
        changed.append("eval_steps")
    return changed


def _set(config: Any, name: str, value: Any) -> bool:
    before = getattr(config, name)
    kind = type(before)
    # A strategy is a member of an enumeration.
    setattr(config, name, kind(value) if isinstance(value, str) and hasattr(kind, "__members__") else value)
    return bool(getattr(config, name) != before)


def samples_for(config: Any) -> tuple[int, int]:
    """Return how many samples the steps, and one evaluation, need at most."""
    world = max(1, int(getattr(config, "world_size", 1) or 1))
    training = world * int(config.per_device_train_batch_size) * max(1, int(config.gradient_accumulation_steps))
    steps = int(getattr(config, "steps_per_generation", None) or 1)
    training = max(training, world * int(config.per_device_train_batch_size) * steps)
    return training * (int(config.max_steps) + 1), max(_FEWEST, world * int(config.per_device_eval_batch_size))


def first_of(data: Any, count: int) -> Any:
    """Return the first `count` samples of a data set; the data set itself if it is of an unknown kind."""
    if isinstance(data, dict):
        return type(data)({name: first_of(part, count) for name, part in data.items()})
    if hasattr(data, "select") and hasattr(data, "__len__"):
        return data.select(range(min(count, len(data))))
    return data.take(count) if hasattr(data, "take") else data
