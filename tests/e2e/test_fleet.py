"""Real ranks report to rank 0: under torchrun, accelerate, and alone."""

from __future__ import annotations

import json
import os
import re
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("torch")

BIN = Path(sys.executable).parent
MODULE = ["-m", "vcompat.fleet", "--no-config", "--format", "json"]
SILENT = "ranks-silent"


def _environment(**variables: str) -> dict[str, str]:
    launcher = re.compile(r"(RANK|WORLD_SIZE|LOCAL_RANK|MASTER_\w+|TORCHELASTIC_\w+|NCCL_\w+|VLLM_\w+|GLOO_\w+)")
    inherited = {name: value for name, value in os.environ.items() if not launcher.fullmatch(name)}
    return {**inherited, "OMP_NUM_THREADS": "1", **variables}


def _port() -> str:
    with socket.socket() as server:
        server.bind(("127.0.0.1", 0))
        return str(server.getsockname()[1])


def _start(rank: int, size: int, port: str, *options: str, **variables: str) -> subprocess.Popen[str]:
    launch = {"RANK": str(rank), "WORLD_SIZE": str(size), "LOCAL_RANK": str(rank), "MASTER_PORT": port}
    return subprocess.Popen(
        [sys.executable, *MODULE, *options],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        env=_environment(MASTER_ADDR="127.0.0.1", **launch, **variables),
    )  # fmt: skip


def _end(process: subprocess.Popen[str]) -> tuple[int, str, str]:
    out, err = process.communicate(timeout=120)
    return process.returncode, out, err


def _findings(text: str) -> dict[str, Any]:
    table = json.loads(text)
    return {one["id"]: one["entries"] for one in table["findings"]}


def test_eight_ranks_of_torchrun_are_judged_by_rank_0() -> None:
    command = [
        str(BIN / "torchrun"),
        "--nproc-per-node",
        "8",
        "--rdzv-backend",
        "c10d",
        "--rdzv-endpoint",
        "localhost:0",
    ]
    done = subprocess.run(
        [*command, *MODULE], capture_output=True, text=True, timeout=300, check=False, env=_environment()
    )
    assert done.returncode == 0, done.stderr
    table = json.loads(done.stdout)
    assert (table["processes"], len(table["nodes"]), table["findings"]) == (8, 1, [])


def test_accelerate_launch_starts_it_too() -> None:
    command = [str(BIN / "accelerate"), "launch", "--multi_gpu", "--num_processes", "2", "--num_machines", "1"]
    command += ["--main_process_port", _port()]
    command += ["--mixed_precision", "no", "--dynamo_backend", "no", "--module", "vcompat.fleet", *MODULE[2:]]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False, env=_environment())
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["processes"] == 2


def test_variables_that_differ_between_ranks_are_found() -> None:
    port = _port()
    ranks = [_start(0, 2, port), _start(1, 2, port, NCCL_ALGO="Ring")]
    (code, out, err), (other, nothing, _) = map(_end, ranks)
    assert (code, other, nothing) == (0, 0, ""), err
    assert _findings(out)["variables-differ"][0]["subject"] == "NCCL_ALGO"


def test_a_silent_rank_is_a_finding_and_the_others_are_judged() -> None:
    port = _port()
    ranks = [_start(rank, 3, port, "--timeout", "15") for rank in (0, 2)]
    (code, out, err), (other, _, complaint) = map(_end, ranks)
    assert (code, other, complaint) == (1, 0, ""), err
    assert json.loads(out)["processes"] == 2
    assert _findings(out)[SILENT][0]["groups"] == [{"value": "silent", "nodes": ["rank 1"]}]
    assert "world-size-and-ranks" not in _findings(out)


def test_a_rank_without_rank_0_ends_with_the_reason() -> None:
    code, out, err = _end(_start(1, 2, _port(), "--timeout", "1"))
    assert (code, out) == (2, "")
    assert "rank 1 finds no rendezvous" in err
    assert "Traceback" not in err


def test_ranks_that_cannot_connect_over_gloo_are_a_finding() -> None:
    port = _port()
    ranks = [_start(rank, 2, port, "--timeout", "20", GLOO_SOCKET_IFNAME="nothing0") for rank in (0, 1)]
    (code, out, err), (_, _, _) = map(_end, ranks)
    assert code == 1, err
    assert json.loads(out)["processes"] == 2
    assert "nothing0" in _findings(out)["ranks-cannot-connect"][0]["groups"][0]["value"]


def test_a_rank_that_ends_after_its_report_is_a_finding() -> None:
    port = _port()
    script = (
        "import sys, datetime, torch.distributed as dist\n"
        f"store = dist.TCPStore('127.0.0.1', {port}, is_master=False, wait_for_workers=False)\n"
        "store = dist.PrefixStore('vcompat/0', store)\n"
        "store.set('1', sys.stdin.read()); store.wait(['verdict'], datetime.timedelta(seconds=60))\n"
    )
    probe = subprocess.run([sys.executable, "-m", "vcompat", "probe"], capture_output=True, text=True, check=True)
    first = _start(0, 2, port, "--timeout", "10")
    subprocess.run([sys.executable, "-c", script], input=probe.stdout, text=True, check=True, env=_environment())
    code, out, err = _end(first)
    assert code == 1, err
    assert "ranks-cannot-connect" in _findings(out)


def test_a_forged_report_of_a_rank_is_rejected() -> None:
    port = _port()
    script = (
        "import datetime, torch.distributed as dist\n"
        f"store = dist.TCPStore('127.0.0.1', {port}, is_master=False, wait_for_workers=False)\n"
        "store = dist.PrefixStore('vcompat/0', store)\n"
        'store.set(\'1\', \'{"facts": {"plan.bf16": true}, "node": {}}\')\n'
        "store.wait(['verdict'], datetime.timedelta(seconds=60))\n"
    )
    first = _start(0, 2, port, "--timeout", "10")
    subprocess.run([sys.executable, "-c", script], check=True, env=_environment())
    code, out, err = _end(first)
    assert code == 1, err
    entry = _findings(out)["reports-rejected"][0]
    assert entry["subject"] == "rank 1"
    assert "a node does not state this" in entry["groups"][0]["value"]


def test_without_a_launcher_it_states_how_to_start_it() -> None:
    done = subprocess.run([sys.executable, *MODULE], capture_output=True, text=True, check=False, env=_environment())
    assert done.returncode == 2
    assert "expected torchrun or accelerate launch" in done.stderr
