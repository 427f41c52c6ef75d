"""The folder of a run, in which each process writes its ledger: private to the user, one small file per process."""

from __future__ import annotations

import os
import re
import stat
import time
from collections.abc import Iterator, Mapping
from contextlib import suppress

from vcompat.foundation.errors import InputError
from vcompat.patching.old_runs import remove_old_runs

_EXPECTED = "a folder that only you can enter (mode 0700)"
_ENDING = ".json"
#: The most files of a run that are read.
MOST_PROCESSES = 100_000
_UNUSUAL = re.compile(r"[^A-Za-z0-9.-]")


class NoFolderError(InputError):
    """A folder that cannot be made, such as on a file system that is read-only."""


def new_folder(environment: Mapping[str, str]) -> str:
    """Create the folder of a run, under a name of its own; return its path. Raises InputError like `make_private`."""
    parent = default_parent(environment)
    if parent.startswith(_temporary(environment)):
        # Others can make folders there, and could replace what is in one of theirs.
        make_private(_temporary(environment))
    folder = make_private(os.path.join(parent, new_name(environment)))
    remove_old_runs(parent)
    return folder


def default_parent(environment: Mapping[str, str]) -> str:
    """Return the folder in which folders of runs are made: in the user's cache folder, else in TMPDIR."""
    return os.path.join(cache_folder(environment) or _temporary(environment), "runs")


def cache_folder(environment: Mapping[str, str]) -> str:
    """Return the folder of vcompat in the user's cache folder, which need not exist; empty if it cannot be written."""
    cache = environment.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    return os.path.join(cache, "vcompat") if os.path.isabs(cache) and os.access(_existing(cache), os.W_OK) else ""


def _temporary(environment: Mapping[str, str]) -> str:
    return os.path.join(os.path.abspath(environment.get("TMPDIR") or "/tmp"), f"vcompat-{os.getuid()}")


def _existing(path: str) -> str:
    while not os.path.exists(path):
        path = os.path.dirname(path)
    return path


def new_name(environment: Mapping[str, str]) -> str:
    """Return the name of the folder of a run. All tasks of one step of a Slurm job have the same."""
    job = environment.get("SLURM_JOB_ID")
    if job:
        step, restart = environment.get("SLURM_STEP_ID", "batch"), environment.get("SLURM_RESTART_COUNT", "0")
        return _UNUSUAL.sub("_", f"slurm-{job}-{step}-{restart}")[:100]
    return time.strftime("%Y%m%d-%H%M%S") + f"-{os.getpid()}"


def make_private(path: str) -> str:
    """Create the folder at `path` unless it is there; return its absolute path.

    Raises NoFolderError if it cannot be created, InputError if it belongs to somebody else or others can enter it.
    """
    path = os.path.abspath(path)
    try:
        os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
        # Another process of the run, or the user, may have made it.
        with suppress(FileExistsError):
            os.mkdir(path, 0o700)
        state = os.lstat(path)
    except (OSError, ValueError) as error:
        what = f"cannot be made: {getattr(error, 'strerror', None) or error}"
        raise NoFolderError(path, what, _EXPECTED) from None
    if not stat.S_ISDIR(state.st_mode):
        raise InputError(path, "not a folder", _EXPECTED)
    if state.st_uid != os.getuid():
        raise InputError(path, "belongs to another user", _EXPECTED)
    if stat.S_IMODE(state.st_mode) & 0o077:
        raise InputError(path, "others can enter it", _EXPECTED)
    return path


def file_name(host: str, pid: int, began: float) -> str:
    """Return the name of the file of a process; no other process of the run has it."""
    return f"{_UNUSUAL.sub('_', host)[:64]}-{pid}-{int(began * 1e6)}{_ENDING}"


def write_atomically(folder: str, name: str, data: bytes) -> None:
    """Write a file so that a reader finds it whole or not at all. Raises OSError. No lock is taken."""
    made = os.path.join(folder, f".{name}.{os.getpid()}")
    descriptor = os.open(made, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    try:
        try:
            while data:
                # A file system that is nearly full takes a part.
                data = data[os.write(descriptor, data) :]
        finally:
            os.close(descriptor)
        os.replace(made, os.path.join(folder, name))
    except OSError:
        os.unlink(made)
        raise


def files_of(folder: str) -> Iterator[str]:
    """Yield the paths of the files that processes wrote. Raises InputError if the folder cannot be read."""
    try:
        with os.scandir(folder) as entries:
            names = sorted(entry.name for entry in entries if not entry.name.startswith("."))
    except (OSError, ValueError) as error:
        what = getattr(error, "strerror", None) or str(error)
        raise InputError(folder, what, "the folder of a run, which `vcompat run` names") from None
    reports = [name for name in names if name.endswith(_ENDING)]
    if len(reports) > MOST_PROCESSES:
        raise InputError(folder, f"more than {MOST_PROCESSES} files", "the folder of a run")
    yield from (os.path.join(folder, name) for name in reports)


def newest(parent: str) -> str:
    """Return the folder of the run that began last; empty if there is none."""
    try:
        with os.scandir(parent) as entries:
            folders = [(entry.stat(follow_symlinks=False).st_mtime, entry.path) for entry in entries if entry.is_dir()]
    except OSError:
        return ""
    return max(folders, default=(0.0, ""))[1]
