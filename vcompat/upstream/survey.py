"""Releases looked at, several at a time: each is opened (fetched first, if need be) and judged for every subject."""

from __future__ import annotations

import multiprocessing
import os
import signal
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from pathlib import Path
from typing import NamedTuple

from packaging.version import Version

from vcompat.database import load_rules
from vcompat.fingerprint import Seen
from vcompat.patches import load_patches
from vcompat.upstream.archive import BadArchive
from vcompat.upstream.index import Release
from vcompat.upstream.record import Key
from vcompat.upstream.requirements import declared
from vcompat.upstream.store import Store, Unavailable
from vcompat.upstream.subjects import Subject, subjects_of
from vcompat.upstream.torch_wheel import TORCH, build_of

#: So many releases go to a process at a time: neighbours share code, which is then looked at once.
_TOGETHER = 4


class Looked(NamedTuple):
    """What one release showed, or why it could not be looked at."""

    package: str
    version: Version
    seen: dict[Key, Seen]
    declares: dict[str, str]
    """What it asks of other packages, as `requirements.declared` has it."""
    trouble: str = ""


def look_at(releases: Sequence[Release], folder: Path | None = None) -> Iterator[Looked]:
    """Judge `releases` for every rule and patch, in as many processes as there are processors, as they are ready.

    `folder` is the store's. What cannot be had or read is yielded with its trouble; the others are not kept from
    being looked at.
    """
    batches = [list(releases[at : at + _TOGETHER]) for at in range(0, len(releases), _TOGETHER)]
    if not batches:
        return
    # Started afresh rather than forked: the progress bar has a thread.
    context = multiprocessing.get_context("spawn")
    workers = min(os.cpu_count() or 1, len(batches))
    pool = ProcessPoolExecutor(workers, context, _begin, (str(folder or ""),))
    try:
        for done in as_completed([pool.submit(_judge, batch) for batch in batches]):
            yield from done.result()
    except BaseException:
        for process in multiprocessing.active_children():
            process.terminate()
        raise
    finally:
        pool.shutdown(cancel_futures=True)


class _Worker(NamedTuple):
    store: Store
    subjects: list[Subject]


_worker: list[_Worker] = []


def _begin(folder: str) -> None:
    """What each process of the survey does first."""
    # An interrupt is the parent's to answer; it ends its children, which leave no half-written file in its place.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, _leave)
    _worker.append(_Worker(Store(Path(folder) if folder else None), subjects_of(load_rules(), load_patches())))


def _leave(signum: int, frame: object) -> None:
    # Raised in what the process does just now, so that its folder of unfinished downloads is removed.
    raise SystemExit(128 + signum)


def _judge(releases: list[Release]) -> list[Looked]:
    try:
        return [judge(release, *_worker[0]) for release in releases]
    except SystemExit as told_to_leave:
        # The pool would take it for a result and go on with the next batch.
        os._exit(int(told_to_leave.code or 0))


def judge(release: Release, store: Store, subjects: Sequence[Subject]) -> Looked:
    """Look at one release for those of `subjects` that are of its package; at a torch, for how it is built."""
    seen: dict[Key, Seen] = {}
    try:
        if release.package == TORCH:
            return Looked(release.package, release.version, {}, build_of(release))
        with store.open(release) as archive:
            texts: dict[str, str | None] = {}

            def read(path: str) -> str | None:
                if path not in texts:
                    texts[path] = archive.read(path)
                return texts[path]

            is_wheel = read("PKG-INFO") is None
            for subject in subjects:
                if subject.package == release.package and (subject.in_wheels or not is_wheel):
                    seen[subject.key] = subject.look(read)
            declares = declared(release.package, release.version, read)
    except Unavailable as trouble:
        return Looked(release.package, release.version, {}, {}, str(trouble))
    except BadArchive as trouble:
        return Looked(release.package, release.version, {}, {}, f"{release.package} {release.version}: {trouble}")
    return Looked(release.package, release.version, seen, declares)
