"""One rank of a training of which another rank does not go on: `python -m tests.e2e.hanging HOW FOLDER SECONDS`.

The ranks meet over files, so that no port must be free. All have SECONDS for the second collective; the time for the
first one, in which they connect, does not depend on it.
"""

from __future__ import annotations

import faulthandler
import logging
import os
import signal
import sys
import time
from datetime import timedelta

import torch
import torch.distributed as dist
from torch.distributed.distributed_c10d import _set_pg_timeout

#: The rank that does something else than the other ranks.
ODD = 1
#: Seconds for what always happens, and those before stacks are printed.
_PATIENCE, _DUMP = 600, 1.0


def reward() -> None:
    """Compute rewards for ever."""
    logging.info("computing rewards")
    while True:
        time.sleep(0.05)


def misbehave(how: str, values: torch.Tensor) -> None:
    """Do what the other ranks do not do."""
    if how.startswith("late"):
        reward()
    elif how == "raises":
        raise ValueError("a completion has no reward")
    elif how == "killed":
        os.kill(os.getpid(), signal.SIGKILL)
    elif how == "diverged":
        dist.broadcast(values, src=ODD)


def train(how: str, rank: int, seconds: float) -> None:
    """Train for two steps; each has one collective."""
    values = torch.ones(4)
    dist.all_reduce(values)
    dist.barrier()
    logging.info("step 1 is done")
    _set_pg_timeout(timedelta(seconds=seconds), dist.group.WORLD)
    if how == "late with dumps":
        faulthandler.dump_traceback_later(_DUMP, exit=False)
    if rank == ODD and how != "healthy":
        misbehave(how, values)
        return
    dist.all_reduce(values)
    logging.info("step 2 is done")


def main() -> None:
    """Run one rank."""
    how, folder, seconds = sys.argv[1], sys.argv[2], float(sys.argv[3])
    rank, world = int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"])
    logging.basicConfig(level=logging.INFO, format="%(asctime)s - %(name)s - %(levelname)s - %(message)s")
    dist.init_process_group("gloo", f"file://{folder}/store", timedelta(seconds=_PATIENCE), world_size=world, rank=rank)
    train(how, rank, seconds)


if __name__ == "__main__":
    main()
