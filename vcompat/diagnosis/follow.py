"""Logs that are still written, read as `tail -F` does, until a failure has ended a process.

A failure ends a process if the process writes nothing behind it. A program that handles an exception and logs it goes
on sooner or later, so what is not surely the end has to stay the end for longer.
"""

from __future__ import annotations

import os
import select
import stat
import time
from collections.abc import Callable, Sequence
from typing import NamedTuple

from vcompat.diagnosis.diagnosing import GOES_ON, process_names
from vcompat.diagnosis.failures import failures, follows, message_end
from vcompat.diagnosis.log_search import Found, LogSearch, Search
from vcompat.diagnosis.logs.log_bytes import BLOCK, EMPTY_FOLDER, STDIN, Log, is_plain, open_log, paths_of
from vcompat.diagnosis.metrics.tables import is_table
from vcompat.diagnosis.metrics.tensorboard_files import is_event_file
from vcompat.foundation.errors import InputError

#: Seconds without a line after which a process has ended whose last lines are a failure; and if others follow them, or
#: the failure is the consequence of another one.
SURE, UNSURE = 5.0, 60.0
#: Seconds between two looks at the logs, and how many times as long as a look took.
_PAUSE, _SHARE = 0.25, 20
#: What the trainer replaces as a whole, at each checkpoint.
_STATE = "trainer_state.json"
#: The most blocks of a log that are read before the others have their turn.
_TURN = 64


class _Last(NamedTuple):
    """The last lines of a process, if a failure is in them."""

    line: int
    """Number of the last line."""
    is_sure: bool
    """Whether nothing follows the failure, which names a cause."""
    since: float
    """When the last line was read."""


class Tail:
    """One log that is still written."""

    def __init__(self, path: str, process: str, search: Search) -> None:
        """`process` names the process of lines that name none. Raises InputError if it cannot be opened."""
        self.path = path
        self.found: list[Found] = []
        """What is known of contents that were replaced since."""
        self.has_closed = False
        """Whether nothing is waited for: a pipe that was closed, a file that does not grow line by line."""
        self._process, self._search = process, search
        self._log = LogSearch(search, self.name, process)
        self._begun = False
        self._is_whole = False
        """Whether it is read when the others end: it is compressed, no text, or a record of metrics."""
        self._changed, self._is_noted = 0.0, True
        self._last: dict[str, _Last] = {}
        self._replaced: dict[tuple[int, int], int] = {}
        """The files that were replaced, by inode, with their sizes: an inode is used again."""
        self._open()

    @property
    def name(self) -> str:
        """What the log is called."""
        return "<stdin>" if self.path == STDIN else self.path

    @property
    def lines(self) -> int:
        """The number of lines read."""
        return self._log.lines + sum(found.lines for found in self.found)

    def look(self, now: float) -> bool:
        """Read what was written since the last look, at the time `now`. Return whether there may be more."""
        for _ in range(_TURN):
            data = self._read()
            if not data:
                break
            self._take(data)
            self._changed, self._is_noted = now, False
        else:
            return True
        if not self._is_noted:
            self._note_ends(now)
        return not self.has_closed and not self.is_pipe and self._has_new_file()

    def has_ended(self, now: float) -> bool:
        """Whether a failure has ended a process, as far as can be told at the time `now`."""
        if any(now - last.since >= (SURE if last.is_sure else UNSURE) for last in self._last.values()):
            return True
        line = max((each.cause.line.number for each in self._log.failures if each.ends_run), default=0)
        return line > 0 and self._log.lines - line <= GOES_ON and now - self._changed >= UNSURE

    def end(self) -> list[Found]:
        """Close the log; return what it has."""
        if self.path != STDIN:
            self._file.close()
        if self._is_whole and not self.is_pipe:
            self._read_whole()
        elif self._begun or not self.found:
            self.found.append(self._log.end())
            self._begun = False
        return self.found

    def is_at(self, status: os.stat_result) -> bool:
        """Whether this is the file with that status, or was until another one replaced it."""
        identity = (status.st_ino, status.st_dev)
        return identity == self._identity or self._replaced.get(identity) == status.st_size

    def _open(self) -> None:
        """Open the file from its beginning. Raises InputError."""
        self._file = open_log(self.path).file
        status = os.fstat(self._file.fileno())
        self._identity = (status.st_ino, status.st_dev)
        self.is_pipe = not stat.S_ISREG(status.st_mode) or self.path == STDIN
        self._at = 0

    def _read(self) -> bytes:
        """Return what can be read without waiting."""
        if self.has_closed or (self.is_pipe and not select.select([self._file], [], [], 0)[0]):
            return b""
        try:
            data = os.read(self._file.fileno(), BLOCK)
        except OSError as error:
            self._stop(error.strerror or str(error))
            return b""
        self._at += len(data)
        self.has_closed = self.is_pipe and not data
        return data

    def _take(self, data: bytes) -> None:
        if not self._begun and not self._grows(data):
            self.has_closed = self._is_whole = True
            if self.is_pipe:
                self._stop("compressed or binary data; decompress it first")
            return
        self._begun = True
        self._log.take(data)

    def _note_ends(self, now: float) -> None:
        """Note which processes may have ended, if they write nothing more."""
        self._is_noted = True
        before, self._last = self._last, {}
        for excerpt in self._log.pending():
            stated = failures(excerpt.lines)
            if not stated or not stated[-1].ends_run:
                continue
            process, number = excerpt.lines[-1].process, excerpt.lines[-1].number
            end = message_end(excerpt.lines, stated[-1], ())
            rest = any(line.text.strip() for line in excerpt.lines[end + 1 :])
            known = before.get(process)
            since = known.since if known is not None and known.line == number else now
            self._last[process] = _Last(number, not rest and not follows(stated[-1]), since)

    def _read_whole(self) -> None:
        """Read a file that is no growing text: what it has when the others end is what counts."""
        try:
            log = open_log(self.path)
        except InputError as error:
            self.found.append(self._log.end(error.what))
            return
        with log.file:
            self.found.append(self._search.read(Log(self.name, log.file), self._process))

    def _grows(self, data: bytes) -> bool:
        """Whether a log that begins with `data` is text that grows line by line; records of metrics are read whole."""
        name = self.name
        is_record = is_event_file(name) or os.path.basename(name) == _STATE or is_table(data)
        return is_plain(data) and (self.is_pipe or not is_record)

    def _stop(self, why: str) -> None:
        self.found.append(self._log.end(why))
        self._begun, self.has_closed = False, True

    def _has_new_file(self) -> bool:
        """Begin again if the file was truncated or replaced; return whether it was."""
        try:
            status = os.stat(self.path)
            if self.is_at(status) and status.st_size >= self._at:
                return False
            while data := self._read():
                self._take(data)
            self._replaced[self._identity] = self._at
            old = self._file
            self._open()
            old.close()
        except (OSError, InputError):
            # It is away, or being replaced.
            return False
        if self._begun:
            self.found.append(self._log.end())
        self._log = LogSearch(self._search, self.name, self._process)
        self._begun, self._last = False, {}
        return True


class Follower:
    """Several logs, and folders in which new ones appear."""

    def __init__(self, paths: Sequence[str], search: Search) -> None:
        """Open the logs. Raises InputError for one that cannot be opened."""
        self._search = search
        self._folders = [path for path in paths if path != STDIN and os.path.isdir(path)]
        files = [path for path in paths if path not in self._folders]
        self.tails: dict[str, Tail] = {}
        self._refused: dict[str, str] = {}
        """Files that appeared in a folder and cannot be opened, with the reasons."""
        for path, process in zip(files, process_names(files), strict=True):
            self.tails.setdefault(path, Tail(path, process, search))
        self._look_for_files()

    @property
    def lines(self) -> int:
        """The number of lines read."""
        return sum(tail.lines for tail in self.tails.values())

    def look(self, now: float) -> bool:
        """Read what is new, at the time `now`. Return whether there may be more at once."""
        self._look_for_files()
        have_more = [tail.look(now) for tail in self.tails.values()]
        return any(have_more)

    def has_ended(self, now: float) -> bool:
        """Whether a failure has ended a process at the time `now`, or nothing more can come."""
        tails = self.tails.values()
        if any(tail.has_closed and tail.path == STDIN for tail in tails):
            return True
        all_closed = bool(tails) and not self._folders and all(tail.has_closed for tail in tails)
        # A program that writes to a pipe would be ended if nobody read it any more.
        piped = any(tail.is_pipe for tail in tails)
        return all_closed or (not piped and any(tail.has_ended(now) for tail in tails))

    def end(self) -> list[Found]:
        """Close all logs; return what they have. Raises InputError if nothing was read."""
        logs = [each for tail in self.tails.values() for each in tail.end()]
        logs += [Found(path, [], [], 0, why, ()) for path, why in self._refused.items()]
        if not logs:
            raise InputError(self._folders[0], EMPTY_FOLDER, "a folder of logs")
        if all(each.note and not each.lines for each in logs):
            raise InputError(logs[0].path, logs[0].note, "a log")
        return logs

    def _look_for_files(self) -> None:
        for folder in self._folders:
            for path in _files_in(folder):
                if path not in self.tails and path not in self._refused and not self._is_known(path):
                    try:
                        self.tails[path] = Tail(path, os.path.relpath(path, folder), self._search)
                    except InputError as error:
                        if os.path.exists(path):
                            self._refused[path] = error.what

    def _is_known(self, path: str) -> bool:
        """Whether a file is one that is read, under another name: a log that was rotated."""
        try:
            status = os.stat(path)
        except OSError:
            return True
        return any(tail.is_at(status) for tail in self.tails.values())


def follow(
    paths: Sequence[str], search: Search, stopped: Callable[[], bool], progress: Callable[[int, int], None]
) -> list[Found]:
    """Read logs until a failure has ended a process, or until `stopped` returns true; return what they have.

    `paths` are as in `diagnose_paths`; a folder may be empty. `progress` gets the numbers of logs and lines. Standard
    input is read to its end, since its writer would be ended otherwise. Raises InputError for what cannot be opened.
    """
    follower = Follower(paths, search)
    while not stopped():
        begun = time.monotonic()
        has_more = follower.look(begun)
        progress(len(follower.tails), follower.lines)
        now = time.monotonic()
        if has_more:
            continue
        if follower.has_ended(now):
            break
        time.sleep(max(_PAUSE, _SHARE * (now - begun)))
    return follower.end()


def _files_in(folder: str) -> list[str]:
    try:
        return paths_of(folder)
    except InputError as error:
        if error.what != EMPTY_FOLDER:
            raise
        return []
