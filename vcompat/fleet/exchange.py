"""The exchanges of one rank: each is done with data that the receiver knows, compared, and timed.

Everything here can block for as long as the backend does: `exercise` runs it in a thread, and reads how far it came.
"""

from __future__ import annotations

import time
from datetime import timedelta
from importlib import import_module
from threading import Event
from typing import Any, NamedTuple

import torch

from vcompat.fleet.job_place import Place
from vcompat.fleet.local import peer_copies, shared_memory
from vcompat.fleet.partners import partners, roots
from vcompat.fleet.waited import waited

#: Not all of its public names are exported for type checkers.
dist: Any = import_module("torch.distributed")

#: How often each pair exchanges data and each sum is computed. The fastest counts.
SWEEPS = 5
#: Numbers of 4 bytes in an exchange: 1 MiB over gloo, 32 MiB over NCCL, so that the time is not that of the latency.
_LENGTH = {"gloo": 1 << 18, "nccl": 1 << 23}
#: Numbers of a sum that only one rank contributes to, and of a broadcast.
_OWN, _BROADCAST = 64, 1 << 14
#: A prime near the largest number of 31 bits, and a factor: patterns of different ranks and rounds differ everywhere.
_PRIME, _FACTOR = 2_147_483_629, 48_271


class Seat(NamedTuple):
    """Where a rank sits: its number, the group that exchanges, and the device of its tensors."""

    rank: int
    size: int
    backend: str
    """gloo or nccl."""
    local_rank: int
    group: Any
    device: Any


class Progress:
    """How far the exchanges of this rank are. Written by one thread, read by others at any time."""

    def __init__(self) -> None:
        self.step, self.partner, self.number = "start", -1, 0
        self.since = time.monotonic()
        self.seconds: dict[str, float] = {}
        self.wrong_sums: list[str] = []
        self.wrong_roots: set[int] = set()
        self.wrong_partners: set[int] = set()
        self.tries: dict[int, list[list[float | None]]] = {}
        self.local: list[list[str]] = []
        self.error = ""
        self.ended = False
        self.changed = Event()
        """Set when another kind of exchange begins, or the last one has ended."""

    def enter(self, step: str, partner: int = -1) -> None:
        """Note that an exchange begins; each has a number."""
        is_new = step != self.step
        self.step, self.partner, self.number, self.since = step, partner, self.number + 1, time.monotonic()
        if is_new:
            self.changed.set()

    def as_json(self) -> dict[str, Any]:
        """Return what `sources.fleet.exercised` reads."""
        return {
            "step": self.step,
            "partner": self.partner,
            "number": self.number,
            "for": round(time.monotonic() - self.since, 3),
            "seconds": dict(self.seconds),
            "wrong_sums": list(self.wrong_sums),
            "wrong_roots": sorted(self.wrong_roots.copy()),
            "wrong_partners": sorted(self.wrong_partners.copy()),
            "tries": {str(partner): list(tries) for partner, tries in self.tries.copy().items()},
            "local": list(self.local),
            "error": self.error,
            "ended": self.ended,
        }


def exchange(here: Place, backend: str, patience: float, progress: Progress) -> None:
    """Do all exchanges of this rank over `backend`. Failures are in `progress`.

    `patience` is a time in seconds after which the backend may end an exchange by itself, far beyond the limit.
    """
    try:
        progress.enter("connecting")
        seat = _seat(here, backend, patience)
        progress.enter("/dev/shm")
        progress.local += shared_memory()
        if seat.backend == "nccl":
            progress.enter("copies between GPUs")
            progress.local += peer_copies(seat.local_rank)
        for _ in range(SWEEPS):
            _all_reduce(seat, progress)
        for root in roots(seat.size):
            _broadcast(seat, progress, root)
        for sweep in range(SWEEPS):
            for turn, partner in enumerate(partners(seat.rank, seat.size)):
                if partner is not None:
                    _pair(seat, progress, partner, sweep * seat.size + turn)
        progress.ended = True
    except (RuntimeError, ValueError, OSError) as error:
        # torch reports all failures of backends as RuntimeError.
        progress.error = " ".join(str(error).partition("\nException raised from")[0].split())[:500] or repr(error)[:500]


def _seat(here: Place, backend: str, patience: float) -> Seat:
    group = dist.new_group(backend=backend, timeout=timedelta(seconds=patience))
    if backend == "gloo":
        device = torch.device("cpu")
    else:
        device = torch.device("cuda", here.local_rank % max(1, torch.cuda.device_count()))
        torch.cuda.set_device(device)
    return Seat(here.rank, here.size, backend, here.local_rank, group, device)


def _all_reduce(seat: Seat, progress: Progress) -> None:
    """Sum up numbers of all ranks. Each has some places for itself, so that a wrong number there names it.

    All numbers and sums are whole and below 2**24, so they are exact in any order of additions.
    """
    length = _LENGTH[seat.backend]
    common = torch.arange(length, dtype=torch.float32).remainder_(251)
    own = torch.zeros(seat.size, _OWN)
    places = torch.arange(1, _OWN + 1, dtype=torch.float32)
    own[seat.rank] = places + seat.rank
    values = torch.cat([common + seat.rank, own.flatten()]).to(seat.device)
    progress.enter("all-reduce")
    started = time.monotonic()
    _wait([dist.all_reduce(values, group=seat.group, async_op=True)], seat)
    _keep_shortest(progress, "all-reduce", started)
    result = values.cpu()
    expected = common * seat.size + seat.size * (seat.size - 1) // 2
    parts = result[length:].view(seat.size, _OWN)
    wrong = (parts != places + torch.arange(seat.size).view(-1, 1)).any(1).nonzero().flatten().tolist()
    if not torch.equal(result[:length], expected):
        wrong.append(-1)
    progress.wrong_sums += [number for number in wrong if number not in progress.wrong_sums]


def _broadcast(seat: Seat, progress: Progress, root: int) -> None:
    expected = _pattern(root, root, _BROADCAST)
    values = (expected.clone() if seat.rank == root else torch.zeros_like(expected)).to(seat.device)
    progress.enter("broadcast", root)
    started = time.monotonic()
    _wait([dist.broadcast(values, root, group=seat.group, async_op=True)], seat)
    _keep_shortest(progress, "broadcast", started)
    if not torch.equal(values.cpu(), expected):
        progress.wrong_roots.add(root)


def _pair(seat: Seat, progress: Progress, partner: int, turn: int) -> None:
    """Send data to a partner and receive as much. A first short exchange waits until both are there."""
    length = _LENGTH[seat.backend]
    sent = _pattern(seat.rank, turn, length).to(seat.device)
    received = torch.zeros_like(sent)
    progress.enter("point to point", partner)
    _swap(seat, partner, sent[:1].clone(), received[:1].clone())
    before, started = waited(), time.monotonic()
    _swap(seat, partner, sent, received)
    seconds, after = time.monotonic() - started, waited()
    progress.tries.setdefault(partner, []).append(
        [round(seconds, 6), None if before is None or after is None else round(after - before, 6)]
    )
    if not torch.equal(received.cpu(), _pattern(partner, turn, length)):
        progress.wrong_partners.add(partner)


def _swap(seat: Seat, partner: int, sent: Any, received: Any) -> None:
    sends = dist.P2POp(dist.isend, sent, partner, seat.group)
    receives = dist.P2POp(dist.irecv, received, partner, seat.group)
    _wait(dist.batch_isend_irecv([sends, receives]), seat)


def _wait(works: list[Any], seat: Seat) -> None:
    for work in works:
        work.wait()
    if seat.backend == "nccl":
        # With NCCL, waiting only makes the stream of the GPU wait.
        torch.cuda.synchronize()


def _pattern(rank: int, turn: int, length: int) -> Any:
    """Return numbers that only this rank sends, and only in this turn."""
    start = (rank * 1_000_003 + turn * 7_919 + 1) % _PRIME
    return (torch.arange(start, start + length, dtype=torch.int64) * _FACTOR).remainder_(_PRIME).to(torch.int32)


def _keep_shortest(progress: Progress, step: str, started: float) -> None:
    seconds = round(time.monotonic() - started, 6)
    progress.seconds[step] = min(seconds, progress.seconds.get(step, seconds))
