"""Writes the events of this process, and has faulthandler write the stacks of all threads when there is no progress."""

from __future__ import annotations

import faulthandler
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from vcompat.rehearsal.inside.memory_samples import Memory
from vcompat.rehearsal.inside.written_files import opened
from vcompat.rehearsal.protocol import ENTER, EVENTS, PHASE, STACKS, file_suffix, line_of


class Events:
    """The file of one process. A process that was forked writes nothing."""

    def __init__(self, folder: str, stuck_after: float) -> None:
        """`stuck_after` is in seconds. Raises OSError if the files cannot be made."""
        self._pid = os.getpid()
        self._stuck_after = stuck_after
        suffix = file_suffix(os.uname().nodename, self._pid)
        self._file = opened(os.path.join(folder, EVENTS + suffix))
        self._stacks = opened(os.path.join(folder, STACKS + suffix))
        self._depth = 0
        self.memory = Memory(folder)

    def add(self, kind: str, **values: Any) -> None:
        """Write an event. That is progress: the time until the stacks are written begins anew."""
        if os.getpid() != self._pid:
            return
        self._file.write(line_of(kind, time.time(), values))
        # A thread without Python writes them, so also a process that waits in C code is seen.
        faulthandler.dump_traceback_later(self._stuck_after, file=self._stacks)

    @contextmanager
    def phase(self, name: str, **values: Any) -> Iterator[None]:
        """Write when the phase begins, and how long it took when it ends, also by an exception."""
        began = time.time()
        self.add(ENTER, name=name, **values)
        self.memory.at_phase(began)
        self._depth += 1
        failure = ""
        try:
            yield
        except BaseException as error:
            failure = type(error).__name__
            raise
        finally:
            self._depth -= 1
            seconds = time.time() - began
            self.memory.at_phase(began + seconds)
            self.add(PHASE, name=name, began=began, seconds=seconds, depth=self._depth, failed=failure, **values)

    def finish(self, kind: str) -> None:
        """Write the last event; nothing is awaited any more."""
        self.memory.end()
        self.add(kind)
        faulthandler.cancel_dump_traceback_later()
