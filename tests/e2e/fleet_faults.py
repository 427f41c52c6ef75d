"""`python -m vcompat.fleet` on hardware that fails: stands for what is wrong with a processor, a link or a node.

FAULTS names ranks, such as "wrong:1 slow:3 stop:2 lone:0". Only torch's exchanges are changed, and only in these ranks.
"""

from __future__ import annotations

import os
import signal
import sys
import time
from typing import Any

import torch.distributed as dist

from vcompat.fleet.__main__ import main

FAULTS = [fault.split(":")[0] for fault in os.environ["FAULTS"].split() if fault.split(":")[1] == os.environ["RANK"]]


def wrong() -> None:
    """What this rank sends has one wrong number."""
    swap, add_up = dist.batch_isend_irecv, dist.all_reduce

    def swapping(operations: list[Any]) -> Any:
        for one in operations:
            if one.op is dist.isend:
                one.tensor[len(one.tensor) // 2] += 1
        return swap(operations)

    def adding_up(values: Any, **options: Any) -> Any:
        values[12_345] += 1
        return add_up(values, **options)

    dist.batch_isend_irecv, dist.all_reduce = swapping, adding_up


def slow() -> None:
    """Whatever this rank sends to another one takes long."""
    swap = dist.batch_isend_irecv

    def swapping(operations: list[Any]) -> Any:
        time.sleep(0.15)
        return swap(operations)

    dist.batch_isend_irecv = swapping


def stop() -> None:
    """This process stops in the middle of the exchanges: all its threads, without an error."""
    swap, calls = dist.batch_isend_irecv, []

    def swapping(operations: list[Any]) -> Any:
        calls.append(operations)
        if len(calls) == 6:
            os.kill(os.getpid(), signal.SIGSTOP)
        return swap(operations)

    dist.batch_isend_irecv = swapping


def silent() -> None:
    """This rank takes part in no exchange with another one, but lives on: a link that swallows all."""

    def swapping(operations: list[Any]) -> Any:
        time.sleep(600)

    dist.batch_isend_irecv = swapping


def differ() -> None:
    """This rank has another setting of NCCL."""
    os.environ["NCCL_ALGO"] = "Ring"


for name in FAULTS:
    globals()[name]()
code = main()
sys.stdout.flush()
sys.stderr.flush()
os._exit(code)
