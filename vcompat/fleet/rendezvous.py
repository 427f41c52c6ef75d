"""Gathers the reports of all ranks over torch's own rendezvous, with a limit on the time that it waits.

The reports go over the store of the rendezvous, so that those of other ranks are there if one is silent. Then the ranks
connect over gloo, which shows whether they can, and how far their clocks are apart, and exercise if that is wanted.
"""

from __future__ import annotations

import time
from datetime import timedelta
from importlib import import_module
from typing import Any, NamedTuple

import torch

from vcompat.fleet.exercise import Heard, exercise, prepare
from vcompat.fleet.job_place import Place
from vcompat.foundation.errors import InputError

#: Not all of its public names are exported for type checkers.
dist: Any = import_module("torch.distributed")

#: Seconds that other ranks wait longer than rank 0 does, so that they get its answer.
_GRACE = 10.0
#: Seconds that rank 0 takes to judge at most.
_JUDGING = 60.0
#: Seconds that rank 0 waits until the others have its answer, since the store can end with its process.
_PARTING = 2.0
#: Seconds by which other ranks end after rank 0, if that fails.
_AFTER_RANK_0 = 1.0
_GO, _STOP = "go", "stop"


class Gathered(NamedTuple):
    """What rank 0 knows about the others."""

    store: Any
    texts: dict[int, str]
    """The report of each rank that reported."""
    silent: tuple[int, ...] = ()
    """The ranks that did not report in time."""
    failure: str = ""
    """Why the ranks cannot connect over gloo; empty if they can, or did not try since some are silent."""
    clocks: tuple[tuple[float, float], ...] = ()
    """Of each rank the time before and after a barrier, by its own clock."""
    backend: str = ""
    """The backend of the exercise."""
    heard: Heard | None = None
    """What rank 0 heard in the exercise; None without one."""


def gather(here: Place, text: str, limit: float, exercised: bool) -> Gathered:
    """Send `text`, the report of this rank. Return those of all ranks on rank 0, and none on other ranks.

    `limit` is how long rank 0 waits for the others, in seconds; connecting takes as long again at most, and so does the
    exercise. Raises InputError if the rendezvous, or rank 0 on another rank, does not answer.
    """
    deadline = time.monotonic() + limit
    store = _store(here, limit, here.hosts_store)
    store.set(f"gpus/{here.rank}", str(int(torch.cuda.is_available() and dist.is_nccl_available())))
    store.set(str(here.rank), text)
    if here.rank:
        texts: dict[int, str] = {}
        verdict, _, backend = _answer(store, here.rank, "verdict", limit + _GRACE).partition(" ")
    else:
        texts = _receive(store, here.size, deadline)
        verdict, backend = _STOP, ""
        if len(texts) == here.size:
            verdict, backend = _GO, _backend(store, here.size)
            prepare(store, here.size)
        store.set("verdict", f"{verdict} {backend}")
    gathered = Gathered(store, texts)
    if verdict != _GO:
        return gathered._replace(silent=tuple(sorted(set(range(here.size)) - set(texts))))
    try:
        return _connected(gathered, here, limit, backend if exercised else "")
    except RuntimeError as error:
        # gloo reports all failures of connections so, and states the address or the ranks.
        return gathered._replace(failure=_line(error))


def _backend(store: Any, size: int) -> str:
    """Return the backend of the run: NCCL if all ranks have GPUs."""
    counts = store.multi_get([f"gpus/{rank}" for rank in range(size)])
    return "nccl" if all(count == b"1" for count in counts) else "gloo"


def _connected(gathered: Gathered, here: Place, limit: float, backend: str) -> Gathered:
    """Connect over gloo, compare clocks, and exercise over `backend`, unless it is empty."""
    # A connection of its own: one that waits would keep that of the beats waiting, too.
    store = _store(here, limit, False)
    dist.init_process_group("gloo", store=store, rank=here.rank, world_size=here.size, timeout=timedelta(seconds=limit))
    clocks = _clocks(here, limit)
    if not backend:
        dist.destroy_process_group()
        return gathered._replace(clocks=clocks)
    heard = exercise(here, backend, gathered.store, limit)
    # The process group is left as it is: with an exchange that blocks, nothing of it can be ended.
    return gathered._replace(clocks=clocks, backend=backend, heard=heard)


def tell(gathered: Gathered, here: Place, code: int) -> None:
    """Tell the exit code of rank 0 to the other ranks, and wait until they have it."""
    gathered.store.set("code", str(code))
    stopped = gathered.heard.quiet if gathered.heard else {}
    others = len(gathered.texts) - 1 - len(stopped)
    until = time.monotonic() + _PARTING
    while gathered.store.add("parted", 0) < others and time.monotonic() < until:
        time.sleep(0.01)


def told(gathered: Gathered, here: Place, limit: float) -> int:
    """Return the exit code that rank 0 tells. Raises InputError if it does not answer."""
    # Rank 0 waits in the exercise for half the limit longer, for ranks that are late.
    code = _answer(gathered.store, here.rank, "code", limit + _GRACE + _JUDGING)
    gathered.store.add("parted", 1)
    if code != "0":
        # torchrun names the first process that fails as the cause, and that must be rank 0, which has the report.
        time.sleep(_AFTER_RANK_0)
    return int(code) if code in ("0", "1", "2") else 2


def _store(here: Place, limit: float, hosts: bool) -> Any:
    """Return a connection to the rendezvous; `hosts` tells whether this process starts it."""
    try:
        store = dist.TCPStore(
            here.address,
            here.port,
            is_master=hosts,
            timeout=timedelta(seconds=limit),
            wait_for_workers=False,
            multi_tenant=True,
        )
    except (RuntimeError, ValueError, OSError) as error:
        where = f"MASTER_ADDR={here.address}, MASTER_PORT={here.port}"
        raise InputError(where, f"rank {here.rank} finds no rendezvous: {_line(error)}", "that of the job") from None
    return dist.PrefixStore(f"vcompat/{here.attempt}", store)


def _receive(store: Any, size: int, deadline: float) -> dict[int, str]:
    """Return the report of each rank that sends one before the deadline."""
    texts = {}
    for rank in range(size):
        left = deadline - time.monotonic()
        try:
            if left > 0:
                store.wait([str(rank)], timedelta(seconds=left))
            elif not store.check([str(rank)]):
                continue
        except RuntimeError:
            continue
        texts[rank] = store.get(str(rank)).decode("utf-8", "replace")
    return texts


def _answer(store: Any, rank: int, key: str, limit: float) -> str:
    """Wait until rank 0 has written what this rank waits for, and return it."""
    try:
        store.wait([key], timedelta(seconds=limit))
        return str(store.get(key).decode("utf-8", "replace"))
    except RuntimeError as error:
        raise InputError("vcompat.fleet", f"rank {rank} hears nothing of rank 0: {_line(error)}", "an answer") from None


def _clocks(here: Place, limit: float) -> tuple[tuple[float, float], ...]:
    """Return the time of each rank before and after a barrier.

    During the barrier there is a moment at which each rank had entered it and none had left it. By each clock, this
    moment is between the two times.
    """
    dist.monitored_barrier(timeout=timedelta(seconds=limit), wait_all_ranks=True)
    before = time.time()
    dist.barrier()
    own = torch.tensor([before, time.time()], dtype=torch.float64)
    times = [torch.zeros_like(own) for _ in range(here.size)]
    dist.all_gather(times, own)
    return tuple((float(first), float(last)) for first, last in times)


def _line(error: BaseException) -> str:
    """Return what an error states, without the stack of C++ that follows."""
    return " ".join(str(error).partition("\nException raised from")[0].split())[:500]
