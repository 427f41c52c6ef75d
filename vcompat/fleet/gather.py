"""Gathers the reports of all ranks over torch's own rendezvous, with a limit on the time that it waits.

The reports go over the store of the rendezvous, so that those of other ranks are there if one is silent. Then the ranks
connect over gloo, which shows whether they can, and how far their clocks are apart.
"""

from __future__ import annotations

import os
import time
from collections.abc import Mapping
from datetime import timedelta
from importlib import import_module
from typing import Any, NamedTuple

import torch

from vcompat.foundation.errors import InputError

#: Not all of its public names are exported for type checkers.
dist: Any = import_module("torch.distributed")

_VARIABLES = ("RANK", "WORLD_SIZE", "MASTER_ADDR", "MASTER_PORT")
#: Seconds that other ranks wait longer than rank 0 does, so that they get its answer.
_GRACE = 10.0
#: Seconds that rank 0 waits until the others have its answer, if it does not connect with them.
_PARTING = 2.0
_GO, _STOP = b"go", b"stop"


class Place(NamedTuple):
    """This process among those of the job."""

    rank: int
    size: int
    address: str
    port: int
    hosts_store: bool
    """Whether this process has to start the store: torchrun's agent has one already."""
    attempt: str


class Gathered(NamedTuple):
    """What rank 0 knows about the others."""

    texts: dict[int, str]
    """The report of each rank that reported."""
    silent: tuple[int, ...] = ()
    """The ranks that did not report in time."""
    failure: str = ""
    """Why the ranks cannot connect over gloo; empty if they can, or did not try since some are silent."""
    clocks: tuple[tuple[float, float], ...] = ()
    """Of each rank the time before and after a barrier, by its own clock."""


def place(variables: Mapping[str, str] = os.environ) -> Place:
    """Return what the launcher states about this process. Raises InputError if it states nothing, or nonsense."""
    try:
        rank, size, port = (int(variables[name]) for name in ("RANK", "WORLD_SIZE", "MASTER_PORT"))
        address = variables["MASTER_ADDR"]
    except (KeyError, ValueError):
        stated = ", ".join(f"{name}={variables.get(name, '')}" for name in _VARIABLES)
        raise InputError("vcompat.fleet", f"no launcher: {stated}", "torchrun or accelerate launch") from None
    if not 0 <= rank < size:
        raise InputError("vcompat.fleet", f"RANK={rank} with WORLD_SIZE={size}", "a rank below WORLD_SIZE")
    has_agent = variables.get("TORCHELASTIC_USE_AGENT_STORE") == "True"
    return Place(
        rank, size, address, port, rank == 0 and not has_agent, variables.get("TORCHELASTIC_RESTART_COUNT", "0")
    )


def gather(here: Place, text: str, limit: float) -> Gathered:
    """Send `text`, the report of this rank. Return those of all ranks on rank 0, and nothing on other ranks.

    `limit` is how long rank 0 waits for the others, in seconds; connecting takes as long again at most. Raises
    InputError if the rendezvous, or rank 0 on another rank, does not answer.
    """
    deadline = time.monotonic() + limit
    store = _store(here, limit)
    store.set(str(here.rank), text)
    if here.rank:
        texts: dict[int, str] = {}
        goes_on = _verdict(store, here.rank, limit)
    else:
        texts = _receive(store, here.size, deadline)
        goes_on = len(texts) == here.size
        store.set("verdict", _GO if goes_on else _STOP)
    if not goes_on:
        _part(store, here.rank, len(texts) - 1)
        return Gathered(texts, tuple(sorted(set(range(here.size)) - set(texts))))
    try:
        return Gathered(texts, clocks=_meet(store, here, limit))
    except RuntimeError as error:
        # gloo reports all failures of connections so, and states the address or the ranks.
        return Gathered(texts, failure=_line(error))


def _store(here: Place, limit: float) -> Any:
    try:
        store = dist.TCPStore(
            here.address,
            here.port,
            is_master=here.hosts_store,
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


def _verdict(store: Any, rank: int, limit: float) -> bool:
    """Wait until rank 0 has heard all ranks or given up; return whether the ranks connect."""
    try:
        store.wait(["verdict"], timedelta(seconds=limit + _GRACE))
        return bool(store.get("verdict") == _GO)
    except RuntimeError as error:
        raise InputError("vcompat.fleet", f"rank {rank} hears nothing of rank 0: {_line(error)}", "an answer") from None


def _part(store: Any, rank: int, others: int) -> None:
    """Tell rank 0 that its answer has arrived. Rank 0 waits for that, since the store ends with its process."""
    if rank:
        store.add("parted", 1)
        return
    until = time.monotonic() + _PARTING
    while store.add("parted", 0) < others and time.monotonic() < until:
        time.sleep(0.01)


def _meet(store: Any, here: Place, limit: float) -> tuple[tuple[float, float], ...]:
    """Connect over gloo, and return the time of each rank before and after a barrier.

    During the barrier there is a moment at which each rank had entered it and none had left it. By each clock, this
    moment is between the two times.
    """
    timeout = timedelta(seconds=limit)
    dist.init_process_group("gloo", store=store, rank=here.rank, world_size=here.size, timeout=timeout)
    try:
        dist.monitored_barrier(timeout=timeout, wait_all_ranks=True)
        before = time.time()
        dist.barrier()
        own = torch.tensor([before, time.time()], dtype=torch.float64)
        times = [torch.zeros_like(own) for _ in range(here.size)]
        dist.all_gather(times, own)
    finally:
        dist.destroy_process_group()
    return tuple((float(first), float(last)) for first, last in times)


def _line(error: BaseException) -> str:
    """Return what an error states, without the stack of C++ that follows."""
    return " ".join(str(error).partition("\nException raised from")[0].split())[:500]
