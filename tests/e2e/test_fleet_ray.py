"""The nodes of a real Ray cluster, started with `ray start` on this machine. Skipped where Ray is not installed."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

pytest.importorskip("ray")

NODES = 3
START = [sys.executable, "-m", "ray.scripts.scripts", "start", "--block", "--num-cpus=1", "--disable-usage-stats"]


class Cluster(NamedTuple):
    address: str
    nodes: list[subprocess.Popen[bytes]]
    folder: Path


def _environment(folder: Path) -> dict[str, str]:
    # The workers must get vcompat from the command, not from the folder of these tests. Ray keeps a token in HOME.
    inherited = {name: value for name, value in os.environ.items() if not name.startswith(("RAY_", "PYTHONPATH"))}
    return {**inherited, "HOME": str(folder)}


@pytest.fixture(scope="module")
def cluster() -> Iterator[Cluster]:
    with socket.socket() as server:
        server.bind(("127.0.0.1", 0))
        port = server.getsockname()[1]
    # Not pytest's folder: its path is too long for the names of Ray's sockets.
    with tempfile.TemporaryDirectory(prefix="vr", dir="/tmp", ignore_cleanup_errors=True) as name:
        folder = Path(name)
        address = f"127.0.0.1:{port}"
        head = [*START, "--head", f"--port={port}", f"--temp-dir={folder}", "--include-dashboard=false"]
        with (folder / "log").open("wb") as log:
            options: dict[str, Any] = {
                "stdout": log,
                "stderr": log,
                "env": _environment(folder),
                "start_new_session": True,
            }
            nodes = [subprocess.Popen([*head, "--node-ip-address=127.0.0.1"], cwd="/", **options)]
            try:
                _wait(folder, 1)
                for count in range(2, NODES + 1):
                    nodes.append(subprocess.Popen([*START, f"--address={address}"], cwd="/", **options))
                    _wait(folder, count)
                yield Cluster(address, nodes, folder)
            finally:
                for node in reversed(nodes):
                    _end(node)


def _wait(folder: Path, count: int) -> None:
    for _ in range(450):
        if (folder / "log").read_text(errors="replace").count("Ray runtime started") == count:
            return
        time.sleep(0.2)
    pytest.fail(f"Ray does not start: {(folder / 'log').read_text(errors='replace')[-3000:]}")


def _family(root: int) -> list[int]:
    """The ids of a process and of all that it started."""
    parents = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            text = stat.read_text()
        except OSError:
            continue
        parents[int(text.split()[0])] = int(text.rpartition(")")[2].split()[1])
    found = [root]
    for pid in found:
        found += [child for child, parent in parents.items() if parent == pid]
    return found


def _end(node: subprocess.Popen[bytes]) -> None:
    for pid in reversed(_family(node.pid)):
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            continue
    node.wait(timeout=300)


def _fleet(address: str, folder: Path, *options: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "vcompat", "fleet", "--no-config", "--ray", address, *options]
    return subprocess.run(
        command, capture_output=True, text=True, check=False, timeout=200,
        env={**_environment(folder), "PYTHONPATH": str(Path(__file__).parents[2])},
    )  # fmt: skip


def test_each_node_of_a_cluster_is_probed_and_one_that_stops_is_a_finding(cluster: Cluster) -> None:
    done = _fleet(cluster.address, cluster.folder, "--timeout", "90", "--format", "json")
    assert done.returncode == 0, done.stdout + done.stderr
    table = json.loads(done.stdout)
    # All logical nodes are on this machine.
    assert (table["processes"], table["findings"]) == (NODES, [])
    assert table["nodes"] == [socket.gethostname()]
    raylets = [pid for pid in _family(cluster.nodes[-1].pid) if _program(pid) == "raylet"]
    os.kill(raylets[0], signal.SIGSTOP)
    done = _fleet(cluster.address, cluster.folder, "--timeout", "25", "--format", "json")
    assert done.returncode == 1, done.stdout + done.stderr
    table = json.loads(done.stdout)
    assert table["processes"] == NODES - 1
    ((finding, entry),) = [(one["id"], entry) for one in table["findings"] for entry in one["entries"]]
    assert finding == "nodes-missing"
    # Ray can give up the node before.
    reason = entry["groups"][0]["value"]
    assert reason == "no answer within 25 s" or "died" in reason.lower()
    assert entry["subject"].startswith(f"{socket.gethostname()} (node ")


def _program(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/comm").read_text().strip()
    except OSError:
        return ""


def test_an_address_at_which_no_cluster_is_ends_with_one_line(tmp_path: Path) -> None:
    done = _fleet("127.0.0.1:1", tmp_path, "--timeout", "5")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("vcompat: --ray 127.0.0.1:1: ")
    assert "Traceback" not in done.stderr
