"""What the lines of a log state about ranks that wait, and about those that they wait for."""

from __future__ import annotations

from typing import NamedTuple

from vcompat.diagnosis.logs.prefixes import Line


class Frame(NamedTuple):
    """One call of a stack."""

    file: str
    line: int
    function: str


class Seen(NamedTuple):
    """The line that states something, and whose it is."""

    path: str
    line: Line
    rank: int | None = None
    """The rank, if the line itself states it."""
    pid: int | None = None
    """The process, if the line or what is above it states it."""
    after: str = ""
    """The time of the line, or of the last one before of the same process that has one."""


class Wait(NamedTuple):
    """A rank waits for the other ranks, or has waited until a timeout."""

    seen: Seen
    operation: str
    """The collective as the backend names it, such as ALLREDUCE; empty if it is not stated."""
    number: int | None
    """Its sequence number within the process group."""
    size: str
    """How many elements go in and come out, as the backend states them; empty if not stated."""
    group: str
    """The process group, as the backend names it; empty if not stated."""
    seconds: float | None
    """How long it has waited."""
    frames: tuple[Frame, ...]
    """The calls that led to it, the innermost first."""
    is_lost: bool = False
    """Whether it has lost the connection to another rank, instead of a timeout."""
    is_rendezvous: bool = False
    """Whether it waits for ranks that do not connect to the store, or do not write to it."""


class Work(NamedTuple):
    """How far NCCL's work has got on a rank; -1 if there was none."""

    seen: Seen
    group: str
    enqueued: int
    completed: int

    @property
    def is_done(self) -> bool:
        """Whether the rank has completed all that it has enqueued."""
        return self.enqueued == self.completed


class Accused(NamedTuple):
    """Ranks of which the backend states that they have not arrived."""

    seen: Seen
    ranks: tuple[int, ...]


class Mismatch(NamedTuple):
    """Two ranks that call different collectives, by torch's own comparison of them; the first one states it."""

    seen: Seen
    ranks: tuple[int, int]
    operations: tuple[str, str]
    sizes: tuple[str, str] = ("", "")
    """The shapes of their tensors, as the log states them."""
    frames: tuple[Frame, ...] = ()
    """The calls of the rank that states it, the innermost first."""


class Stuck(NamedTuple):
    """A rank whose NCCL watchdog makes no progress: a call of CUDA or NCCL does not return, or the GIL is held."""

    seen: Seen
    seconds: int


class Dump(NamedTuple):
    """The stack of a process that was still running."""

    seen: Seen
    frames: tuple[Frame, ...]


class Exit(NamedTuple):
    """A process that has ended, as its launcher reports it."""

    seen: Seen
    code: int


Sign = Wait | Work | Accused | Mismatch | Stuck | Dump | Exit
