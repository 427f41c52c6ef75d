"""Removes the folders of old runs, so that they do not pile up in the user's cache folder.

Only what a run makes is removed: a private folder of this user, with a name that runs have, that contains nothing but
ledgers. No link is followed: a folder is opened once, and its files are removed by that descriptor. Several processes
may do this at once.
"""

from __future__ import annotations

import os
import re
import stat
import time
from contextlib import suppress
from itertools import islice

#: Seconds since a process of the run wrote to it, after which a folder is removed; if it is empty, much earlier.
_OLD, _OLD_IF_EMPTY = 30 * 24 * 3600.0, 24 * 3600.0
#: The most folders that one process removes, and looks at.
_MOST_REMOVED, _MOST_SEEN = 50, 10_000
_FOLDER = re.compile(r"\d{8}-\d{6}-\d+|slurm-[A-Za-z0-9._-]+")
#: A ledger, one that was being written when its process ended, or the mark of a failure that was diagnosed.
_FILE = re.compile(r"\.?[A-Za-z0-9._-]+-\d+-\d+\.json(\.\d+)?|\.failed-[A-Za-z0-9._-]+")
_AS_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


def remove_old_runs(parent: str) -> None:
    """Remove the folders of old runs in `parent`. Never raises: what cannot be removed stays."""
    now = time.time()
    with suppress(OSError):
        descriptor = os.open(parent, _AS_FOLDER)
        try:
            for changed, name in _quiet(descriptor, now)[:_MOST_REMOVED]:
                with suppress(OSError):
                    if now - changed > _OLD:
                        _remove(descriptor, name)
                    else:
                        # This fails if there is a file in it.
                        os.rmdir(name, dir_fd=descriptor)
        finally:
            os.close(descriptor)


def _quiet(parent: int, now: float) -> list[tuple[float, str]]:
    """Return the folders to which nothing was written for some time, and when it was; the oldest first."""
    folders = []
    with os.scandir(parent) as entries:
        for entry in islice(entries, _MOST_SEEN):
            if not _FOLDER.fullmatch(entry.name):
                continue
            with suppress(OSError):
                state = entry.stat(follow_symlinks=False)
                if _is_ours(state) and now - state.st_mtime > _OLD_IF_EMPTY:
                    folders.append((state.st_mtime, entry.name))
    return sorted(folders)


def _remove(parent: int, name: str) -> None:
    """Remove a folder if it contains nothing but ledgers. Raises OSError."""
    folder = os.open(name, _AS_FOLDER, dir_fd=parent)
    try:
        # The name may stand for another folder since it was found.
        names = os.listdir(folder) if _is_ours(os.fstat(folder)) else [""]
        if all(_FILE.fullmatch(each) for each in names):
            for each in names:
                # Another process that does the same may be ahead.
                with suppress(FileNotFoundError):
                    os.unlink(each, dir_fd=folder)
            os.rmdir(name, dir_fd=parent)
    finally:
        os.close(folder)


def _is_ours(state: os.stat_result) -> bool:
    return stat.S_ISDIR(state.st_mode) and state.st_uid == os.getuid() and not stat.S_IMODE(state.st_mode) & 0o077
