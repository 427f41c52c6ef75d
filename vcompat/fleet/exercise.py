"""Runs the exchanges of a rank in a thread, tells rank 0 how far it is, and ends at the limit whatever happens.

Each rank writes a beat to the store of the rendezvous, twice a second, whether or not an exchange blocks. So rank 0
knows which ranks are alive, even if nobody can say on whom an exchange waits.
"""

from __future__ import annotations

import json
import time
from threading import Event, Thread
from typing import Any, NamedTuple

from vcompat.fleet.exchange import Progress, exchange
from vcompat.fleet.job_place import Place

#: Seconds between two beats.
_BEAT = 0.5
#: Seconds that rank 0 waits for results after the limit, at least: the others reach the limit slightly later.
_GRACE = 5.0


class Heard(NamedTuple):
    """What rank 0 heard of the others."""

    results: dict[int, str]
    """The result of each rank that sent one, as JSON."""
    quiet: dict[int, tuple[float, str]]
    """For each other rank: the seconds since its last beat, and what it did then."""
    waited: float
    """How long rank 0 waited, in seconds."""


def exercise(here: Place, backend: str, store: Any, limit: float) -> Heard | None:
    """Exchange data with all ranks for `limit` seconds at most. Return what rank 0 heard; None on other ranks.

    The ranks are connected over gloo. `store` is a connection to the rendezvous, used by nothing else at the same time.
    """
    progress, over = Progress(), Event()
    started = time.monotonic()
    worker = Thread(target=exchange, args=(here, backend, 10 * limit + 600, progress), daemon=True)
    heart = Thread(target=_beat, args=(store, here.rank, progress, over), daemon=True)
    worker.start()
    heart.start()
    worker.join(limit)
    over.set()
    progress.changed.set()
    # The heart uses the store. It ends at once, unless the rendezvous does not answer.
    heart.join(_GRACE)
    store.set(f"result/{here.rank}", json.dumps(progress.as_json()))
    return _hear(store, here.size, started, limit) if here.rank == 0 else None


def prepare(store: Any, size: int) -> None:
    """Write the keys that `exercise` reads, so that reading them never waits."""
    for rank in range(size):
        store.set(f"beat/{rank}", "")
        store.set(f"result/{rank}", "")


def _beat(store: Any, rank: int, progress: Progress, over: Event) -> None:
    number = 0
    while not over.is_set():
        number += 1
        try:
            store.set(f"beat/{rank}", f"{number} {progress.step}")
        except RuntimeError:
            # Rank 0 has ended; the exchanges notice that, too.
            return
        progress.changed.wait(_BEAT)
        progress.changed.clear()


def _hear(store: Any, size: int, started: float, limit: float) -> Heard:
    """Wait for the results of all ranks until the limit, and then for those that are not quiet."""
    results: dict[int, str] = {}
    # Of each rank without a result: when it gave its last sign, and which.
    signs: dict[int, tuple[float, str]] = dict.fromkeys(range(size), (started, ""))
    while True:
        texts = store.multi_get([f"{kind}/{rank}" for rank in signs for kind in ("result", "beat")])
        results_and_beats = [text.decode("utf-8", "replace") for text in texts]
        now = time.monotonic()
        for rank, result, beat in zip(list(signs), results_and_beats[::2], results_and_beats[1::2], strict=True):
            if result:
                results[rank] = result
                del signs[rank]
            elif beat != signs[rank][1]:
                signs[rank] = now, beat
        overtime = now - started - limit
        are_alive = any(now - last < limit / 2 for last, _ in signs.values())
        if not signs or (overtime > 0 and not are_alive) or overtime > max(_GRACE, limit / 2):
            quiet = {rank: (now - last, beat.partition(" ")[2]) for rank, (last, beat) in signs.items()}
            return Heard(results, quiet, now - started)
        time.sleep(0.02 if now - started < min(limit, 2) else 0.2)
