"""Work spread over the processors: a function on many batches, in processes of their own, results as they come."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from typing import TypeVar

#: Seconds that a process has to put its things away.
_PATIENCE = 5.0
#: So many go to a process at a time: neighbouring releases share code, which is then looked at once.
_TOGETHER = 4
Item = TypeVar("Item")
Batch = TypeVar("Batch")
Result = TypeVar("Result")


def in_parts(items: Sequence[Item]) -> list[Sequence[Item]]:
    """Neighbours together, a few at a time."""
    return [items[at : at + _TOGETHER] for at in range(0, len(items), _TOGETHER)]


def spread(function: Callable[[Batch], Result], batches: Sequence[Batch]) -> Iterator[Result]:
    """Yield `function(batch)` of every batch, in no order.

    An interrupt ends the processes at once; what they do just now is unwound first, so that it can put its things away.
    """
    if not batches:
        return
    # Started afresh rather than forked: the progress bar has a thread.
    context = multiprocessing.get_context("spawn")
    pool = ProcessPoolExecutor(min(os.cpu_count() or 1, len(batches)), context, _begin)
    try:
        for done in as_completed(_submitted(pool, function, batches)):
            yield done.result()
    except BaseException:
        for process in multiprocessing.active_children():
            process.terminate()
        raise
    finally:
        pool.shutdown(cancel_futures=True)


def _submitted(
    pool: ProcessPoolExecutor, function: Callable[[Batch], Result], batches: Sequence[Batch]
) -> list[Future[Result]]:
    """Hand over the batches, which starts the processes.

    An interrupt has to wait until that is done: half-way it would leave a process that nobody knows. The processes
    start with it held back, too, so that it is the parent's alone to answer; it ends its children.
    """
    held = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        return [pool.submit(_run, function, batch) for batch in batches]
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, held)


def _begin() -> None:
    signal.signal(signal.SIGTERM, _leave)


def _leave(signum: int, frame: object) -> None:
    # Once is enough: the pool says it again to who is slow, in the middle of the putting away.
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    # Raised where nobody can hear it (while an object is finalised), it is lost; then the process ends like this.
    patience = threading.Timer(_PATIENCE, os._exit, (128 + signum,))
    patience.daemon = True
    patience.start()
    raise SystemExit(128 + signum)


def _run(function: Callable[[Batch], Result], batch: Batch) -> Result:
    try:
        return function(batch)
    except SystemExit as told_to_leave:
        # The pool would take it for a result and go on with the next batch.
        os._exit(int(told_to_leave.code or 0))
