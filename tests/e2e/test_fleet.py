"""Real ranks report to rank 0, and exchange data: under torchrun, accelerate, and alone.

One rank takes more than a second of a processor to import torch, so each job here proves several sentences.
"""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("torch")

HOST = socket.gethostname()
BIN = Path(sys.executable).parent
FAULTS = str(Path(__file__).with_name("fleet_faults.py"))
OPTIONS = ["--no-config", "--format", "json"]
MODULE = ["-m", "vcompat.fleet", *OPTIONS]
#: Where waiting for a processor explains the time of an exchange, nothing is called slow: on a loaded machine, try again.
_TRIES = 4
slow = pytest.mark.skipif(
    not os.environ.get("VCOMPAT_SLOW_TESTS"), reason="starts many ranks; set VCOMPAT_SLOW_TESTS=1"
)


def _environment(**variables: str) -> dict[str, str]:
    launcher = re.compile(r"(RANK|WORLD_SIZE|LOCAL_RANK|MASTER_\w+|TORCHELASTIC_\w+|NCCL_\w+|VLLM_\w+|GLOO_\w+)")
    inherited = {name: value for name, value in os.environ.items() if not launcher.fullmatch(name)}
    return {**inherited, "OMP_NUM_THREADS": "1", **variables}


def _port() -> str:
    with socket.socket() as server:
        server.bind(("127.0.0.1", 0))
        return str(server.getsockname()[1])


def _start(rank: int, size: int, port: str, *options: str, faults: str = "", **variables: str) -> subprocess.Popen[str]:
    launch = {"RANK": str(rank), "WORLD_SIZE": str(size), "LOCAL_RANK": str(rank), "MASTER_PORT": port}
    program = [FAULTS, *OPTIONS] if faults else MODULE
    return subprocess.Popen(
        [sys.executable, *program, *options],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        env=_environment(MASTER_ADDR="127.0.0.1", FAULTS=faults, **launch, **variables),
    )  # fmt: skip


def _end(process: subprocess.Popen[str]) -> tuple[int, str, str]:
    out, err = process.communicate(timeout=120)
    return process.returncode, out, err


def _torchrun(ranks: int, *program: str, **variables: str) -> subprocess.CompletedProcess[str]:
    command = [str(BIN / "torchrun"), "--nproc-per-node", str(ranks)]
    command += ["--rdzv-backend", "c10d", "--rdzv-endpoint", "localhost:0"]
    return subprocess.run(
        [*command, *program], capture_output=True, text=True, timeout=300, check=False, env=_environment(**variables)
    )


def _findings(text: str) -> dict[str, Any]:
    table = json.loads(text)
    return {one["id"]: one["entries"] for one in table["findings"]}


def _events(entries: list[Any]) -> list[tuple[str, str, tuple[str, ...]]]:
    return [(one["subject"], group["value"], tuple(group["nodes"])) for one in entries for group in one["groups"]]


def test_sound_ranks_of_torchrun_have_no_finding_and_exchange_data_to_the_end() -> None:
    done = _torchrun(4, *MODULE, "--exercise")
    assert done.returncode == 0, done.stderr
    table = json.loads(done.stdout)
    assert (table["processes"], len(table["nodes"]), table["findings"]) == (4, 1, [])
    assert table["exercise"].startswith("Exercised over gloo, 4 of 4 ranks to the end: all-reduce ")


def test_ranks_that_send_wrong_data_are_slow_or_have_other_variables_are_named() -> None:
    for _ in range(_TRIES):
        done = _torchrun(4, FAULTS, *OPTIONS, "--exercise", FAULTS="wrong:1 slow:3 differ:2")
        assert done.returncode == 1
        found = _findings(done.stdout)
        if "exchange-slow" in found:
            break
    assert set(found) == {"exchange-slow", "exchange-wrong", "variables-differ"}, done.stdout
    assert _events(found["exchange-wrong"]) == [
        ("all-reduce", "wrong sums", tuple(f"{HOST} rank {rank}" for rank in range(4))),
        ("point to point", "sends data that arrive wrong at all others", (f"{HOST} rank 1",)),
    ]
    for subject, text, ranks in _events(found["exchange-slow"]):
        assert subject == "point to point within a node"
        assert re.fullmatch(r"\d{3,} ms.*, [\d.]+ ms is usual", text)
        assert f"{HOST} rank 3" in ranks
    assert found["variables-differ"][0]["subject"] == "NCCL_ALGO"
    cause = done.stderr.partition("Root Cause")[2]
    assert re.search(r"rank +: 0 .*\n +exitcode +: 1 ", cause), done.stderr


def test_a_rank_that_stops_in_the_middle_is_named_and_the_others_end() -> None:
    port = _port()
    ranks = [_start(rank, 3, port, "--exercise", "--timeout", "8", faults="stop:1") for rank in range(3)]
    try:
        (code, out, err), (other, nothing, complaint) = _end(ranks[0]), _end(ranks[2])
        assert ranks[1].poll() is None
    finally:
        ranks[1].send_signal(signal.SIGKILL)
        _end(ranks[1])
    assert (code, other, nothing, complaint) == (1, 1, "", ""), err
    assert set(_findings(out)) == {"ranks-stopped"}
    ((_, text, who),) = _events(_findings(out)["ranks-stopped"])
    assert who == (f"{HOST} rank 1",)
    assert re.fullmatch(r"no sign for \d+ s, last sign during point to point", text)


@pytest.mark.slow
def test_a_silent_rank_is_a_finding_and_the_others_are_judged() -> None:
    port = _port()
    ranks = [_start(rank, 3, port, "--timeout", "10", "--exercise") for rank in (0, 2)]
    (code, out, err), (other, _, complaint) = map(_end, ranks)
    assert (code, other, complaint) == (1, 1, ""), err
    assert json.loads(out)["processes"] == 2
    assert _findings(out)["ranks-silent"][0]["groups"] == [{"value": "silent", "nodes": ["rank 1"]}]
    assert "world-size-and-ranks" not in _findings(out)


def test_ranks_that_cannot_connect_over_gloo_are_a_finding() -> None:
    port = _port()
    ranks = [_start(rank, 2, port, "--timeout", "20", GLOO_SOCKET_IFNAME="nothing0") for rank in (0, 1)]
    (code, out, err), (_, _, _) = map(_end, ranks)
    assert code == 1, err
    assert json.loads(out)["processes"] == 2
    assert "nothing0" in _findings(out)["ranks-cannot-connect"][0]["groups"][0]["value"]


@pytest.mark.slow
def test_a_rank_with_a_forged_report_that_ends_then_is_rejected_and_missed() -> None:
    port = _port()
    script = (
        "import datetime, torch.distributed as dist\n"
        f"store = dist.TCPStore('127.0.0.1', {port}, is_master=False, wait_for_workers=False)\n"
        "store = dist.PrefixStore('vcompat/0', store)\n"
        "store.set('gpus/1', '0')\n"
        'store.set(\'1\', \'{"facts": {"plan.bf16": true}, "node": {}}\')\n'
        "store.wait(['verdict'], datetime.timedelta(seconds=60))\n"
    )
    first = _start(0, 2, port, "--timeout", "10", "--exercise")
    subprocess.run([sys.executable, "-c", script], check=True, env=_environment())
    code, out, err = _end(first)
    assert code == 1, err
    found = _findings(out)
    entry = found["reports-rejected"][0]
    assert entry["subject"] == "rank 1"
    assert "a node does not state this" in entry["groups"][0]["value"]
    assert "ranks-cannot-connect" in found


def test_a_rank_without_rank_0_ends_with_the_reason() -> None:
    code, out, err = _end(_start(1, 2, _port(), "--timeout", "1"))
    assert (code, out) == (2, "")
    assert "rank 1 finds no rendezvous" in err
    assert "Traceback" not in err


@slow
def test_a_link_on_which_nothing_arrives_blocks_and_names_no_rank_that_is_alive_as_stopped() -> None:
    port = _port()
    ranks = [_start(rank, 2, port, "--exercise", "--timeout", "8", faults="silent:0 silent:1") for rank in range(2)]
    (code, out, err), _ = map(_end, ranks)
    assert code == 1, err
    assert _events(_findings(out)["exchange-blocked"])[0][2] == (f"{HOST} rank 0", f"{HOST} rank 1")
    assert set(_findings(out)) == {"exchange-blocked"}


@slow
def test_a_rank_of_torchrun_that_stops_is_named_before_torchrun_ends_it() -> None:
    done = _torchrun(3, FAULTS, *OPTIONS, "--exercise", "--timeout", "8", FAULTS="stop:2")
    assert done.returncode == 1
    ((_, _, who),) = _events(_findings(done.stdout)["ranks-stopped"])
    assert who == (f"{HOST} rank 2",)


@slow
def test_eight_ranks_of_torchrun_are_judged_by_rank_0() -> None:
    done = _torchrun(8, *MODULE, "--exercise")
    assert done.returncode == 0, done.stderr
    table = json.loads(done.stdout)
    assert (table["processes"], len(table["nodes"]), table["findings"]) == (8, 1, [])


@slow
def test_accelerate_launch_starts_it_too() -> None:
    command = [str(BIN / "accelerate"), "launch", "--multi_gpu", "--num_processes", "2", "--num_machines", "1"]
    command += ["--main_process_port", _port()]
    command += ["--mixed_precision", "no", "--dynamo_backend", "no", "--module", "vcompat.fleet", *MODULE[2:]]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False, env=_environment())
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["processes"] == 2
