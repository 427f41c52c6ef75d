"""Measure `vcompat fleet` on saved reports of up to 4,096 nodes: seconds and memory of the whole command.

Usage: python -m bench.fleet

Each report is that of a node with 8 GPUs. 2 % of the nodes have another vLLM, some have sick GPUs, and all have
variables of Slurm. Time and memory must grow linearly.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from tests.unit.fleet_reports import lines, report

COUNTS = (512, 1024, 2048, 4096)


#: Run by a small process: the memory that the system states for a child includes that of its parent before it starts.
_MEASURE = """
import resource, subprocess, sys, time
started = time.monotonic()
code = subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL).returncode
print(code, time.monotonic() - started, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
"""


def mixed(count: int) -> list[dict[str, Any]]:
    """Return the reports of a fleet in which some nodes deviate."""
    found = []
    for number in range(1, count + 1):
        variables: dict[str, Any] = {f"env__SLURM_{name}": f"{number - 1}" for name in ("NODEID", "PROCID", "GTIDS")}
        variables |= {f"env__NCCL_OPTION_{item}": "1" for item in range(20)} | {"env__SLURM_NTASKS": str(count)}
        one = report(f"node{number}", number, **variables)
        if number % 50 == 0:
            one["facts"]["packages.vllm"] = "0.30.0"
        if number % 97 == 0:
            one["nvml"]["devices"][3]["health"]["uncorrected_errors"] = number % 5
        found.append(one)
    return found


def measure(path: str, *options: str) -> tuple[float, float]:
    """Return the seconds and the largest memory in MB of the command."""
    command = [sys.executable, "-m", "vcompat", "fleet", "--no-config", "--from", path, *options]
    done = subprocess.run([sys.executable, "-c", _MEASURE, *command], capture_output=True, text=True, check=True)
    code, seconds, kilobytes = map(float, done.stdout.split())
    if code not in (0, 1):
        raise SystemExit(f"the command failed: {command}")
    return seconds, kilobytes * 1024 / 1e6


def main() -> None:
    """Print a line for each size of fleet and each kind of input."""
    with tempfile.TemporaryDirectory() as folder:
        for count in COUNTS:
            reports = mixed(count)
            stream = Path(folder, f"{count}.jsonl")
            stream.write_text(lines(reports), encoding="utf-8")
            files = Path(folder, str(count))
            files.mkdir()
            for number, one in enumerate(reports):
                (files / f"{number}.json").write_text(lines([one]), encoding="utf-8")
            size = stream.stat().st_size / 1e6
            for name, path, options in (
                ("one file", stream, ()),
                ("a folder", files, ()),
                ("a folder, to HTML", files, ("--format", "html")),
            ):
                seconds, megabytes = min(measure(str(path), *options) for _ in range(3))
                print(f"{count:5} reports ({size:.0f} MB) from {name}: {seconds:.2f} s, {megabytes:.0f} MB", flush=True)


if __name__ == "__main__":
    main()
