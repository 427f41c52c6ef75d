"""What the processes of a rehearsal report: one file of JSON lines per process, in the private folder of the rehearsal.

A line is written at once when something begins or ends, so that the file of a process that died or hangs tells how far
it got. The last line may be cut off.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from vcompat.foundation.bounded_reading import MB, read_bytes
from vcompat.patching.launching import REHEARSAL
from vcompat.rehearsal.samples import Samples, samples_of

#: The folder of the rehearsal. Each process of the command inherits it, so it also identifies these processes.
FOLDER = REHEARSAL
#: The most optimizer steps.
STEPS = "VCOMPAT_REHEARSAL_STEPS"
#: Set to 1 if the model is to be replaced by a tiny one.
TINY = "VCOMPAT_REHEARSAL_TINY"
#: Seconds without any progress after which a process writes the stacks of its threads.
STUCK_AFTER = "VCOMPAT_REHEARSAL_STUCK_AFTER"
#: How the names of the files begin.
EVENTS, STACKS, MEMORY, PY_SPY = "events-", "stacks-", "memory-", "py-spy-"
#: The most bytes of a file that are read.
_LARGEST = 64 * MB
_UNUSUAL = re.compile(r"[^A-Za-z0-9.-]")

# The kinds of event.
BEGIN, TRAINER, OTHER, ENTER, PHASE, CANARY, WEIGHTS, AGAIN, KEPT, OUTPUT, PROBLEM, TRAINED, END = (
    "begin", "trainer", "other trainer", "enter", "phase", "canary", "weights", "again", "kept", "output", "problem",
    "trained", "end",
)  # fmt: skip

#: The phase in which a trainer is made.
MAKING = "trainer"


class Event(NamedTuple):
    """One line of a process."""

    kind: str
    time: float
    """Seconds since 1970."""
    values: dict[str, Any]


class Told(NamedTuple):
    """What one process reported."""

    name: str
    """Host and process ID, as the names of its files have them."""
    events: tuple[Event, ...]
    stacks: str
    """The stacks of its threads when there was no progress; empty if there always was."""
    memory: Samples = Samples()
    py_spy: str = ""
    """The stacks of its threads by py-spy when it was stuck; empty if py-spy did not write them."""

    def of(self, kind: str) -> list[Event]:
        """Return the events of a kind, in order."""
        return [event for event in self.events if event.kind == kind]

    @property
    def is_rank(self) -> bool:
        """Whether a trainer that is rehearsed was begun to be made in this process."""
        return any(event.kind == ENTER and event.values.get("name") == MAKING for event in self.events)

    @property
    def trainer(self) -> dict[str, Any]:
        """What the trainer stated when it was made; empty if it was not."""
        return next((event.values for event in self.of(TRAINER)), {})

    @property
    def rank(self) -> int:
        """The rank that the trainer states, else the launcher; 0 if neither does."""
        stated = self.trainer.get("rank", next((e.values["variables"].get("RANK") for e in self.of(BEGIN)), None))
        return int(stated or 0)


def values_of(told: Iterable[Told], kind: str) -> list[dict[str, Any]]:
    """Return what the events of a kind state, of all processes."""
    return [event.values for process in told for event in process.of(kind)]


def phase_values(told: Iterable[Told], name: str) -> list[dict[str, Any]]:
    """Return what the ends of a phase state, of all processes."""
    return [values for values in values_of(told, PHASE) if values.get("name") == name]


def line_of(kind: str, time: float, values: dict[str, Any]) -> bytes:
    """Return the line of an event."""
    return json.dumps({"kind": kind, "time": time, **values}, separators=(",", ":")).encode("ascii") + b"\n"


def read_folder(folder: str) -> list[Told]:
    """Return what each process reported, by rank. Raises InputError for a file that cannot be read."""
    told = [_told(folder, name) for name in sorted(os.listdir(folder)) if name.startswith(EVENTS)]
    return sorted(told, key=lambda one: (not one.is_rank, one.rank))


def last_progress(folder: str) -> float:
    """Return when a process last reported anything, in seconds since 1970; 0 if none did."""
    times = [0.0]
    with os.scandir(folder) as entries:
        times += [entry.stat().st_mtime for entry in entries if entry.name.startswith(EVENTS)]
    return max(times)


def _told(folder: str, name: str) -> Told:
    process = name.removeprefix(EVENTS)
    stacks, memory, py_spy = (_read(folder, beginning + process) for beginning in (STACKS, MEMORY, PY_SPY))
    events = tuple(_events(os.path.join(folder, name)))
    return Told(
        process,
        events,
        stacks.decode("utf-8", "replace"),
        samples_of(memory.splitlines()),
        py_spy.decode("utf-8", "replace"),
    )


def _read(folder: str, name: str) -> bytes:
    path = os.path.join(folder, name)
    return (
        read_bytes(path, _LARGEST, "a file that a process of `vcompat rehearse` wrote") if os.path.exists(path) else b""
    )


def _events(path: str) -> Iterator[Event]:
    for line in read_bytes(path, _LARGEST, "a file that a process of `vcompat rehearse` wrote").splitlines():
        try:
            values = json.loads(line)
            yield Event(str(values.pop("kind")), float(values.pop("time")), values)
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
            # The line of a process that was killed while it wrote.
            continue


def file_suffix(host: str, pid: int) -> str:
    """Return what the names of the files of a process have after their beginning."""
    return f"{_UNUSUAL.sub('_', host)[:64]}-{pid}"
