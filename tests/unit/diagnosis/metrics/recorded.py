"""The recorded runs (`python -m tests.e2e.metrics_record`), and files as a trainer writes them from such a run."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from vcompat.diagnosis.metrics.series import Run

RUNS = Path(__file__).resolve().parents[4] / "evidence" / "metrics" / "runs.json"
BFLOAT16 = {"engine_dtype": "bfloat16"}


def load() -> list[dict[str, Any]]:
    runs: list[dict[str, Any]] = json.loads(RUNS.read_text())
    return runs


def find(**settings: object) -> list[dict[str, Any]]:
    """The log of the run with these settings, as a list of entries."""
    (series,) = (each["series"] for each in load() if each["settings"] == settings)
    return entries(series)


def entries(series: dict[str, list[Any]]) -> list[dict[str, Any]]:
    return [{name: values[at] for name, values in series.items()} for at in range(len(series["step"]))]


def averaged(log: list[dict[str, Any]], count: int) -> list[dict[str, Any]]:
    """The log as TRL writes it with `logging_steps=count`: metrics are averaged between two logs."""
    parts = [log[at : at + count] for at in range(0, len(log) - count + 1, count)]
    return [
        {name: sum(entry[name] for entry in part) / count for name in part[0]} | {"step": part[-1]["step"]}
        for part in parts
    ]


def run_of(log: list[dict[str, Any]], states_steps: bool = True) -> Run:
    run = Run("trainer_state.json")
    for line, entry in enumerate(log, 1):
        values = {name: value for name, value in entry.items() if name != "step" and value is not None}
        run.take(values, entry["step"] if states_steps else None, line)
    return run


def state(log: list[dict[str, Any]]) -> str:
    """A trainer_state.json."""
    control = {"TrainerControl": {"args": {"should_log": False}, "attributes": {}}}
    table = {"best_metric": None, "epoch": 0.5, "log_history": log, "max_steps": 14, "stateful_callbacks": control}
    return json.dumps(table, indent=2) + "\n"


def printed(log: list[dict[str, Any]], as_text: bool) -> str:
    """What the Trainer prints behind a progress bar: numbers, or from transformers 5 on texts of four digits."""
    lines = []
    for number, entry in enumerate(log, 1):
        values = {name: f"{value:.4g}" if as_text else value for name, value in entry.items() if name != "step"}
        bar = f"\r{number * 7:3}%|#         | {number}/14 [00:0{number % 10}<00:09,  1.2s/it]"
        lines.append(f"{bar}{' ' * 40}\r{values}\n{bar}")
    return "".join(lines) + "\n"
