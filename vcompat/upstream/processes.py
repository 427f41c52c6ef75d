"""Distribute work over processes: run a function on many batches, and yield results as they complete."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from typing import TypeVar

#: Seconds that a terminated process has to clean up.
_GRACE_PERIOD = 5.0
#: Items per batch. Neighboring releases share code, which a process then parses once.
_BATCH_SIZE = 4
Item = TypeVar("Item")
Batch = TypeVar("Batch")
Result = TypeVar("Result")


def in_parts(items: Sequence[Item], size: int = _BATCH_SIZE) -> list[Sequence[Item]]:
    """Split `items` into batches of `size` neighbors."""
    return [items[at : at + size] for at in range(0, len(items), size)]


def spread(function: Callable[[Batch], Result], batches: Sequence[Batch]) -> Iterator[Result]:
    """Yield `function(batch)` for every batch, in order of completion.

    An interrupt terminates the processes. Each of them first unwinds its current call, which can clean up. If this
    process is killed, they end at once.
    """
    if not batches:
        return
    # Spawned rather than forked: the progress bar has a thread.
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
    """Submit the batches, which starts the processes.

    Interrupts are blocked meanwhile: one in between would leave an untracked process. The processes inherit the blocked
    signal, so only the parent handles an interrupt; it terminates its children.
    """
    held = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        return [pool.submit(_run, function, batch) for batch in batches]
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, held)


def _begin() -> None:
    signal.signal(signal.SIGTERM, _leave)
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    # The pool's own end of the queue keeps a worker waiting for a parent that was killed.
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def _leave(signum: int, frame: object) -> None:
    # Once is enough: the pool signals a slow process again, in the middle of its cleanup.
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    # An exception raised in a finalizer is lost; then the timer ends the process.
    timer = threading.Timer(_GRACE_PERIOD, os._exit, (128 + signum,))
    timer.daemon = True
    timer.start()
    raise SystemExit(128 + signum)


def _run(function: Callable[[Batch], Result], batch: Batch) -> Result:
    try:
        return function(batch)
    except SystemExit as leaving:
        # The pool would treat it as a result and continue with the next batch.
        os._exit(int(leaving.code or 0))
