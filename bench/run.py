"""What `vcompat run` adds to a rank's start, and what many processes do that start at once.

Usage: make bench    (or: python -m bench.run [PAIRS], in an environment with vLLM and TRL)
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from vcompat.patches import load_patches
from vcompat.patching.launching import environment_of_run
from vcompat.patching.process_reports import read_process
from vcompat.patching.run_folder import files_of

#: What a rank imports before it trains.
RANK = "from trl import GRPOConfig, GRPOTrainer; from vllm import LLM"
#: How many processes start at once, and a stand-in for TRL, so that this measures vcompat and the file system.
MANY = 512
TRAINER = """
class RepeatRandomSampler:
    pass
class GRPOTrainer:
    def _get_train_sampler(self) -> object:
        return RepeatRandomSampler()
"""
WAIT = "import os, time\nwhile not os.path.exists('go'): time.sleep(0.05)\nimport trl.trainer.grpo_trainer"


def cpu_seconds(environment: dict[str, str], folder: str) -> float:
    """Run a rank's imports; return the CPU time of the process, which other load of the machine changes least."""
    started = time.perf_counter()
    pid = os.posix_spawn(
        sys.executable,
        [sys.executable, "-c", RANK],
        {**environment, "TMPDIR": folder},
        file_actions=[
            (os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0),
            (os.POSIX_SPAWN_OPEN, 2, os.devnull, os.O_WRONLY, 0),
        ],
    )
    _, status, usage = os.wait4(pid, 0)
    if os.waitstatus_to_exitcode(status):
        raise SystemExit(f"{RANK} failed after {time.perf_counter() - started:.0f} s; run it manually to see why")
    return usage.ru_utime + usage.ru_stime


def start_of_a_rank(pairs: int) -> None:
    """Compare the imports of a rank in a run with those outside of it, alternately."""
    with tempfile.TemporaryDirectory() as folder:
        plain = {**os.environ, "XDG_CACHE_HOME": folder}
        patched = environment_of_run(plain, [patch.id for patch in load_patches()], f"{folder}/run")
        cpu_seconds(plain, folder)
        first = cpu_seconds(patched, folder)
        costs = [(cpu_seconds(patched, folder), cpu_seconds(plain, folder)) for _ in range(pairs)]
    ratio = statistics.median(ours / theirs for ours, theirs in costs)
    without = statistics.median(theirs for _, theirs in costs)
    print(
        f"a rank's imports (TRL, vLLM) under vcompat run: {ratio:.3f} times {without:.1f} s of CPU time"
        f" (target: at most 1.05); {first / without:.2f} times for the first rank, which keeps what its guards decide",
        flush=True,
    )


def many_at_once() -> None:
    """Start many processes that write their ledgers and the guard's decisions at the same moment."""
    with tempfile.TemporaryDirectory() as folder:
        module = Path(folder, "trl", "trainer", "grpo_trainer.py")
        module.parent.mkdir(parents=True)
        for path, text in (
            (module, TRAINER),
            (module.parent / "__init__.py", ""),
            (Path(folder, "trl/__init__.py"), ""),
        ):
            path.write_text(text, encoding="utf-8")
        plain = {**os.environ, "XDG_CACHE_HOME": folder, "PYTHONPATH": folder}
        environment = environment_of_run(plain, ["trl_train_sampler_dataset"], f"{folder}/run")
        ranks = [
            subprocess.Popen(
                [sys.executable, "-c", WAIT],
                cwd=folder,
                env={**environment, "RANK": str(rank)},
                stderr=subprocess.PIPE,
            )
            for rank in range(MANY)
        ]
        started = time.perf_counter()
        Path(folder, "go").touch()
        errors = [process.communicate()[1] for process in ranks]
        seconds = time.perf_counter() - started
        failed = sum(process.returncode != 0 for process in ranks)
        ledgers = [read_process(path) for path in files_of(f"{folder}/run")]
        applied = sum(process.patches["trl_train_sampler_dataset"].status == "applied" for process in ledgers)
        left = len(os.listdir(f"{folder}/run")) - len(ledgers)
        complained = sum(error.count(b"vcompat: ") != 1 for error in errors)
        decisions = os.listdir(f"{folder}/vcompat/guards")
    print(
        f"{MANY} processes at once: {seconds:.0f} s on {os.cpu_count()} CPUs, {failed} failed, {applied} of {MANY}"
        f" ledgers have the patch as applied, {left} other files in the folder,"
        f" {complained} printed anything but the line of the patch, {len(decisions)} file of decisions",
        flush=True,
    )


def main() -> None:
    """Print every figure."""
    start_of_a_rank(int(sys.argv[1]) if len(sys.argv) > 1 else 9)
    many_at_once()


if __name__ == "__main__":
    main()
