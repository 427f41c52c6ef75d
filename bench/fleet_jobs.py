"""Measure what `vcompat fleet` takes beside the start-up of a job: 8 ranks of torchrun, 8 nodes of Ray if it is there.

Usage: python -m bench.fleet_jobs [--rounds N]

A job that only connects its ranks, or runs one empty task on each node, is the start-up. Both kinds of runs alternate,
and the shortest of each counts.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

RANKS = 8
_CONNECT = """
import torch.distributed as dist
dist.init_process_group("gloo")
dist.barrier()
dist.destroy_process_group()
"""
_EMPTY = """
import sys, ray
from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy
ray.init(address=sys.argv[1], log_to_driver=False, logging_level="CRITICAL", runtime_env={"env_vars": {"A": "1"}})
task = ray.remote(num_cpus=0)(lambda: "")
nodes = [node["NodeID"] for node in ray.nodes()]
print(len(ray.get([
    task.options(scheduling_strategy=NodeAffinitySchedulingStrategy(node, soft=False)).remote() for node in nodes
])))
"""


def _seconds(command: Sequence[str]) -> float:
    started = time.monotonic()
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=600)
    if done.returncode:
        raise SystemExit(f"{' '.join(command)}\n{done.stdout}\n{done.stderr}")
    return time.monotonic() - started


def _compare(what: str, commands: dict[str, list[str]], rounds: int) -> None:
    """Print the seconds of each command, and the difference to the first one."""
    times: dict[str, list[float]] = {name: [] for name in commands}
    for _ in range(rounds):
        for name, command in commands.items():
            times[name].append(_seconds(command))
    start_up = min(next(iter(times.values())))
    for name, several in times.items():
        print(f"{what}: {name}: {min(several):.1f} s, {min(several) - start_up:+.1f} s", flush=True)


def _torchrun(rounds: int) -> None:
    launch = [sys.executable, "-m", "torch.distributed.run", "--nproc-per-node", str(RANKS)]
    launch += ["--rdzv-backend", "c10d", "--rdzv-endpoint", "localhost:0"]
    fleet = [*launch, "-m", "vcompat.fleet", "--no-config", "--fail-on", "never"]
    with tempfile.TemporaryDirectory() as folder:
        script = Path(folder, "connect.py")
        script.write_text(_CONNECT, encoding="utf-8")
        commands = {
            "start-up": [*launch, str(script)],
            "vcompat.fleet": fleet,
            "vcompat.fleet --exercise": [*fleet, "--exercise"],
        }
        _compare(f"torchrun, {RANKS} ranks", commands, rounds)


@contextmanager
def _cluster() -> Iterator[str]:
    """Start a Ray cluster with 8 logical nodes on this machine, and yield its address."""
    cluster = import_module("ray.cluster_utils").Cluster()
    try:
        for _ in range(RANKS):
            cluster.add_node(num_cpus=1, object_store_memory=100 << 20)
        cluster.wait_for_nodes()
        yield str(cluster.address)
    finally:
        cluster.shutdown()


def _ray(rounds: int) -> None:
    with _cluster() as address:
        fleet = [sys.executable, "-m", "vcompat", "fleet", "--no-config", "--fail-on", "never", "--ray", address]
        commands = {"start-up": [sys.executable, "-c", _EMPTY, address], "vcompat fleet --ray": fleet}
        _compare(f"Ray, {RANKS} nodes", commands, rounds)


def main() -> None:
    """Print a line for each kind of run."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=3)
    rounds = parser.parse_args().rounds
    # As torchrun sets it, which otherwise prints a warning.
    os.environ["OMP_NUM_THREADS"] = "1"
    if find_spec("torch") is not None:
        _torchrun(rounds)
    if find_spec("ray") is not None:
        _ray(rounds)


if __name__ == "__main__":
    main()
