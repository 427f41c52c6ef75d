"""Keeps what the guard decided about a source file, for the next process that imports the same file.

Parsing upstream's modules is most of the time that patches add to the start of a process. A decision is found by a hash
over the whole source file, the change, and the code of the guard: it is the one that parsing would give again. Only the
processes of `vcompat run` keep decisions. The files are private to the user, and a file that
cannot be read or written is as if it were not there. No lock is taken.
"""

from __future__ import annotations

import hashlib
import json
import os
import stat
import sys
from contextlib import suppress

from vcompat.foundation.errors import InputError
from vcompat.foundation.version import __version__
from vcompat.patching.launching import REHEARSAL
from vcompat.patching.patch import Change
from vcompat.patching.run_folder import cache_folder, make_private, write_atomically

#: The most bytes of a file, and files of one module, which releases and environments have.
_LARGEST, _MOST = 100_000, 8

#: What was decided about one source file: the word and the reason, by a hash of the change.
_Entries = dict[str, tuple[str, str]]


class Verdicts:
    """The decisions about source files, in memory and in the user's cache folder."""

    def __init__(self, folder: str, guard: bytes) -> None:
        """`guard` is the code that decides; another one does not find what this one decided."""
        self._folder = folder
        self._guard = hashlib.sha256(f"{__version__} {sys.version_info[:2]} ".encode() + guard)
        self._files: dict[str, _Entries] = {}
        self._is_new: set[str] = set()

    def get(self, change: Change, source: bytes) -> tuple[str, str] | None:
        """Return the word and the reason that were decided; None if nothing was."""
        return self._entries(self._name(change.module, source)).get(_key(change))

    def put(self, change: Change, source: bytes, word: str, reason: str) -> None:
        """Remember a decision. `save` writes it."""
        name = self._name(change.module, source)
        self._entries(name)[_key(change)] = word, reason
        self._is_new.add(name)

    def save(self) -> None:
        """Write what is new, unless this is a rehearsal. Never raises."""
        if os.environ.get(REHEARSAL):
            return
        new, self._is_new = self._is_new, set()
        for name in new:
            with suppress(InputError, OSError, ValueError):
                folder = make_private(self._folder)
                # Another process may have decided about other changes.
                entries = {**_read(os.path.join(folder, name)), **self._files[name]}
                write_atomically(folder, name, json.dumps(entries).encode("ascii"))
                _remove_older(folder, name)

    def _entries(self, name: str) -> _Entries:
        if name not in self._files:
            self._files[name] = _read(os.path.join(self._folder, name))
        return self._files[name]

    def _name(self, module: str, source: bytes) -> str:
        digest = self._guard.copy()
        digest.update(source)
        return f"{module}-{digest.hexdigest()[:32]}.json"


def default_folder() -> str:
    """Return the folder of the decisions; empty if the user has no cache folder that can be written."""
    cache = cache_folder(os.environ)
    return os.path.join(cache, "guards") if cache else ""


def _key(change: Change) -> str:
    texts = json.dumps([change.object, change.shape, change.has, change.lacks])
    return hashlib.sha256(texts.encode("ascii")).hexdigest()[:32]


def _read(path: str) -> _Entries:
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return {}
    with open(descriptor, "rb") as file:
        state = os.fstat(descriptor)
        is_ours = state.st_uid == os.getuid() and not stat.S_IMODE(state.st_mode) & 0o077
        data = file.read(_LARGEST + 1) if is_ours and stat.S_ISREG(state.st_mode) else b""
    try:
        table = json.loads(data) if len(data) <= _LARGEST else {}
        return {key: (str(word), str(reason)) for key, (word, reason) in table.items()}
    except (ValueError, TypeError, AttributeError, RecursionError):
        return {}


def _remove_older(folder: str, name: str) -> None:
    """Remove the oldest files of the same module, so that upgrades do not fill the folder. Raises OSError."""
    module = name.rpartition("-")[0]
    with os.scandir(folder) as entries:
        same = [entry for entry in entries if entry.name.rpartition("-")[0] == module]
    if len(same) > _MOST:
        newest_last = sorted(same, key=lambda entry: entry.stat(follow_symlinks=False).st_mtime)
        for entry in newest_last[: len(same) - _MOST]:
            os.unlink(entry.path)
