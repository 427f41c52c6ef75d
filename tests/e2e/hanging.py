"""One rank of a training of which another rank does not go on: `python -m tests.e2e.hanging HOW FOLDER SECONDS`.

The ranks meet over files, so that no port must be free, but for the run in which one rank never connects to the store.
All have SECONDS for the second collective; the time for the first one, in which they connect, does not depend on it.
It imports torch only, and runs with torch 2.6 to 2.14.
"""

from __future__ import annotations

import faulthandler
import logging
import os
import signal
import sys
import time
import warnings
from collections.abc import Sequence
from datetime import timedelta
from pathlib import Path

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


def limited(seconds: float) -> dist.ProcessGroup:
    """Return a group of all ranks whose collectives have that many seconds."""
    timeout = timedelta(seconds=seconds)
    if tuple(map(int, torch.__version__.split(".")[:2])) < (2, 9):
        # Gloo of torch 2.6 keeps the timeout that it was made with.
        return dist.new_group(timeout=timeout)
    with warnings.catch_warnings():
        # Torch 2.14 deprecates it.
        warnings.simplefilter("ignore")
        _set_pg_timeout(timeout, dist.group.WORLD)
    return dist.group.WORLD


def misbehave(how: str, values: torch.Tensor, group: dist.ProcessGroup) -> None:
    """Do what the other ranks do not do."""
    if how.startswith("late"):
        reward()
    elif how == "raises":
        raise ValueError("a completion has no reward")
    elif how == "killed":
        os.kill(os.getpid(), signal.SIGKILL)
    elif how.startswith("diverged"):
        dist.broadcast(values, src=ODD, group=group)
    elif how == "skips":
        logging.info("step 2 is skipped")
        dist.all_gather_object([None] * dist.get_world_size(), how, group=group)


def train(how: str, rank: int, seconds: float) -> None:
    """Train for two steps; each has one collective."""
    values = torch.ones(4)
    dist.all_reduce(values)
    dist.barrier()
    logging.info("step 1 is done")
    group = limited(seconds)
    if how == "late with dumps":
        faulthandler.dump_traceback_later(_DUMP, exit=False)
    if rank == ODD and how != "healthy":
        misbehave(how, values, group)
        return
    dist.all_reduce(values, group=group)
    logging.info("step 2 is done")


def connect(how: str, folder: str, seconds: float) -> int:
    """Meet the other ranks, and return this process's rank."""
    rank, world = int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"])
    if how == "absent":
        if rank == ODD:
            load()
        # Only the rank that never comes may be late, however slowly the others were started.
        meet(folder, rank, [one for one in range(world) if one != ODD])
        timeout = timedelta(seconds=seconds)
        store = shared_store(f"{folder}/port", rank, world, timeout)
        dist.init_process_group("gloo", timeout=timeout, store=store, world_size=world, rank=rank)
        return rank
    if how == "diverged with checks":
        dist.set_debug_level(dist.DebugLevel.DETAIL)
    dist.init_process_group("gloo", f"file://{folder}/store", timedelta(seconds=_PATIENCE), world_size=world, rank=rank)
    return rank


def meet(folder: str, rank: int, ranks: Sequence[int]) -> None:
    """Wait until all of `ranks` are here."""
    Path(f"{folder}/here-{rank}").touch()
    while not all(Path(f"{folder}/here-{one}").exists() for one in ranks):
        time.sleep(0.05)


def load() -> None:
    """Load a model for ever, before this process joins the other ones."""
    logging.info("loading the model")
    while True:
        time.sleep(0.05)


def shared_store(path: str, rank: int, world: int, timeout: timedelta) -> dist.TCPStore:
    """Return the store that rank 0 serves. Its port is a free one, which the file tells the other ranks."""
    if rank == 0:
        store = dist.TCPStore("127.0.0.1", 0, world, is_master=True, timeout=timeout, wait_for_workers=False)
        with open(f"{path}.new", "w") as file:
            file.write(str(store.port))
        os.rename(f"{path}.new", path)
        return store
    while not os.path.exists(path):
        time.sleep(0.05)
    with open(path) as file:
        return dist.TCPStore("127.0.0.1", int(file.read()), world, timeout=timeout, wait_for_workers=False)


def main() -> None:
    """Run one rank."""
    how, folder, seconds = sys.argv[1], sys.argv[2], float(sys.argv[3])
    logging.basicConfig(level=logging.INFO, format="%(asctime)s - %(name)s - %(levelname)s - %(message)s")
    train(how, connect(how, folder, seconds), seconds)


if __name__ == "__main__":
    main()
