"""Measure what a rehearsal adds to a run of as many steps: the example by `vcompat run` and by `vcompat rehearse`.

Usage: python bench/rehearsal.py [--pairs 2]    (in an environment with torch, vLLM, TRL and vcompat; some minutes)

Both find in the caches what a run before compiled. Prints the median of the ratios of wall times, and of CPU times.
"""

from __future__ import annotations

import argparse
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from canary import EXAMPLE, ROOT, free_port


def spent(command: str, model: Path, cache: str) -> tuple[float, float]:
    """Run the example, which makes three steps; return the seconds of wall time and of CPU time."""
    words = [sys.executable, "-m", "vcompat", command, "--no-check", "--", sys.executable, str(EXAMPLE)]
    variables = {
        "PYTHONPATH": str(ROOT),
        "VLLM_CPU_KVCACHE_SPACE": "1",
        "VLLM_CACHE_ROOT": f"{cache}/vllm",
        "TORCHINDUCTOR_CACHE_DIR": f"{cache}/inductor",
        "MASTER_PORT": str(free_port()),
    }
    began, before = time.time(), resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([*words, "--model", str(model)], env={**os.environ, **variables}, check=True, capture_output=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.time() - began, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--pairs", type=int, default=2)
    pairs = parser.parse_args().pairs
    with tempfile.TemporaryDirectory() as name:
        model, cache = Path(name) / "model", str(Path(name) / "cache")
        maker = ROOT / "examples" / "make_tiny_model.py"
        subprocess.run([sys.executable, str(maker), str(model)], check=True, capture_output=True)
        spent("run", model, cache)  # fills the caches
        wall, cpu = [], []
        for _ in range(pairs):
            run, rehearsal = spent("run", model, cache), spent("rehearse", model, cache)
            wall.append(rehearsal[0] / run[0])
            cpu.append(rehearsal[1] / run[1])
            print(f"run {run[0]:.1f} s, rehearsal {rehearsal[0]:.1f} s; CPU {run[1]:.1f} s, {rehearsal[1]:.1f} s")
        ratios = f"wall time {statistics.median(wall):.2f} times, CPU time {statistics.median(cpu):.2f} times"
        print(f"{ratios} ({pairs} pairs)")


if __name__ == "__main__":
    main()
