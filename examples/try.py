"""Run the example without vcompat and with it, as `make try` does: check, train, and compare.

Use the interpreter of an environment with torch, vLLM, TRL and vcompat.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

EXAMPLES = Path(__file__).resolve().parent
SCRIPT = EXAMPLES / "train_grpo_colocate.py"
FIRST_LINE = "import vcompat; vcompat.patch()\n"
#: What a check cannot read from the script: it replaces TRL's name of vLLM's class, to set this data type.
NOT_READ = ("--set", "plan.engine_dtype=float32")
#: Prefixes of the lines to show; the other lines are logs of vLLM and torch.
SHOWN_PREFIXES = ("vcompat:", "step ", "trained to", "AttributeError", "[rank0]: AttributeError")


def main() -> int:
    with tempfile.TemporaryDirectory() as folder:
        model = Path(folder) / "tiny-model"
        say("creating a tiny random model")
        subprocess.run([sys.executable, EXAMPLES / "make_tiny_model.py", model], check=True, capture_output=True)

        patched = Path(folder) / SCRIPT.name
        patched.write_text(FIRST_LINE + SCRIPT.read_text())

        say(f"1. {SCRIPT.name} unchanged")
        predicted_failure = check(SCRIPT) == 1
        failed = train(SCRIPT, model, Path(folder)) != 0

        say(f"2. {SCRIPT.name} with this first line: {FIRST_LINE.strip()}")
        predicted_success = check(patched) == 0
        trained = train(patched, model, Path(folder)) == 0

    as_predicted = predicted_failure == failed and predicted_success == trained
    say("both runs ended as predicted" if as_predicted else "a run did not end as predicted")
    say(
        "without vcompat the run failed, with vcompat it trained"
        if failed and trained
        else "this is not the expected result"
    )
    return 0 if as_predicted and failed and trained else 1


def check(script: Path) -> int:
    show(f"$ vcompat check {script.name} {' '.join(NOT_READ)}")
    return subprocess.run([sys.executable, "-m", "vcompat", "check", script, *NOT_READ], check=False).returncode


def train(script: Path, model: Path, folder: Path) -> int:
    """Run the script and show its relevant lines with the seconds since its start; return its exit code."""
    show(f"$ python {script.name} --model tiny-model    (vLLM takes about 20 s to start)")
    started = time.monotonic()
    run = subprocess.Popen(
        [sys.executable, "-u", script, "--model", model],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        cwd=folder,
        env={
            **os.environ,
            "VLLM_CPU_KVCACHE_SPACE": "1",
            "VLLM_CACHE_ROOT": str(folder / "cache"),
            "HF_HUB_OFFLINE": "1",
        },
    )
    assert run.stdout is not None
    for line in run.stdout:
        if line.startswith(SHOWN_PREFIXES):
            print(f"{time.monotonic() - started:6.1f} s  {line.rstrip()}", flush=True)
    code = run.wait()
    show(f"exit code {code} after {time.monotonic() - started:.0f} s")
    return code


def say(line: str) -> None:
    print(f"\n== {line}", flush=True)


def show(line: str) -> None:
    print(f"\n{line}", flush=True)


if __name__ == "__main__":
    sys.exit(main())
