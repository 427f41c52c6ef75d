"""Records what TRL's metrics look like in healthy and in broken runs: ``python -m tests.e2e.metrics_record``.

Each run is a real one: TRL trains, and vLLM generates, on the CPU. The records are what the signatures of
``vcompat/diagnosis/metrics`` are tested on. Runs that ``evidence/metrics/runs.json`` has are not repeated; ``--again`` does.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tests.e2e.conftest import ROOT, free_port

RUNS = ROOT / "evidence" / "metrics" / "runs.json"
TRAINING = ROOT / "tests" / "e2e" / "metrics_training.py"
#: What is kept of the trainer's log: values that depend on the time of the day are not.
KEPT = ("loss", "grad_norm", "reward", "reward_std", "frac_reward_zero_std", "kl", "entropy", "sampling/")
DIGITS = 4

_BROKEN = (
    "not_synchronized",
    "stops_synchronizing",
    "layer_skipped",
    "one_step_late",
    "garbage",
    "garbage_later",
    "layer_garbage_later",
    "garbage_in_every_other_step",
    "buffers_lost",
)


def cases() -> Iterator[dict[str, Any]]:
    """Yield the settings of each run, those that are not defaults of ``metrics_training``."""
    rollouts = {"engine_dtype": "bfloat16"}
    yield rollouts
    for variant in _BROKEN:
        yield {"variant": variant, **rollouts}
    for temperature in (0.7, 1.3):
        yield {"variant": "raw_logprobs", **rollouts, "temperature": temperature}
    yield {**rollouts, "temperature": 0.7}
    yield {**rollouts, "top_p": 0.9}
    for rate in (1e-5, 1e-4, 1e-2):
        yield {**rollouts, "learning_rate": rate}
        yield {"variant": "not_synchronized", **rollouts, "learning_rate": rate}
    yield {**rollouts, "learning_rate": 1e-2, "seed": 1}
    for variant in ("healthy", "not_synchronized", "garbage"):
        yield {"variant": variant, "model": "random", **rollouts, "learning_rate": 0.03}
    yield {**rollouts, "iterations": 2}
    yield {**rollouts, "beta": 0.04, "seed": 1}
    yield {**rollouts, "steps": 60}
    yield {"variant": "not_synchronized", **rollouts, "steps": 60, "learning_rate": 1e-4}
    for variant in ("healthy", "not_synchronized", "layer_skipped", "garbage_later"):
        yield {"variant": variant}
    yield {"learning_rate": 1e-2}


def runs(settings: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """Train, and yield a record of each run: its log as one list per metric, None where an entry does not have it."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        subprocess.run([sys.executable, ROOT / "examples" / "make_tiny_model.py", folder / "random"], check=True)
        lines = "".join(f"{json.dumps(each)}\n" for each in settings)
        (folder / "settings").write_text(lines)
        with (folder / "settings").open() as given, (folder / "errors").open("w+") as errors:
            command = [sys.executable, str(TRAINING), name]
            process = subprocess.Popen(
                command,
                cwd=folder,
                env=_variables(folder),
                stdin=given,
                stdout=subprocess.PIPE,
                stderr=errors,
                text=True,
            )
            assert process.stdout is not None
            for line in process.stdout:
                if line.startswith("record: "):
                    yield _record(**json.loads(line.removeprefix("record: ")))
            if process.wait():
                errors.seek(0)
                raise SystemExit(errors.read()[-4000:])


def _record(settings: dict[str, Any], log: list[dict[str, Any]]) -> dict[str, Any]:
    entries = [entry for entry in log if "reward" in entry]
    names = dict.fromkeys(name for entry in entries for name in entry if name == "step" or name.startswith(KEPT))
    series = {name: [_short(entry.get(name)) for entry in entries] for name in names}
    return {"settings": settings, "series": series}


def _short(value: Any) -> Any:
    return float(f"{value:.{DIGITS}g}") if isinstance(value, float) else value


def _variables(folder: Path) -> dict[str, str]:
    inherited = {
        name: value for name, value in os.environ.items() if not name.startswith(("VLLM_", "VCOMPAT_", "CUDA_"))
    }
    return {
        **inherited,
        "PYTHONPATH": str(ROOT),
        "VLLM_CPU_KVCACHE_SPACE": "1",
        "VLLM_CACHE_ROOT": str(folder / "cache"),
        "HF_HUB_OFFLINE": "1",
        "MASTER_PORT": str(free_port()),
    }


def main() -> None:
    """Run what is not recorded, and write the record after each run."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--again", action="store_true", help="run what is recorded, too")
    again = parser.parse_args().again
    recorded = [] if again or not RUNS.exists() else json.loads(RUNS.read_text())
    known = [each["settings"] for each in recorded]
    for record in runs([settings for settings in cases() if settings not in known]):
        recorded.append(record)
        write(recorded)
        print(record["settings"], record["series"]["sampling/sampling_logp_difference/mean"], flush=True)


def write(recorded: list[dict[str, Any]]) -> None:
    """Write the record, one metric per line."""
    texts = []
    for each in recorded:
        series = ",\n".join(f"    {json.dumps(name)}: {json.dumps(values)}" for name, values in each["series"].items())
        texts.append(f'{{"settings": {json.dumps(each["settings"])},\n  "series": {{\n{series}}}}}')
    RUNS.parent.mkdir(parents=True, exist_ok=True)
    RUNS.write_text("[\n" + ",\n".join(texts) + "\n]\n")


if __name__ == "__main__":
    main()
