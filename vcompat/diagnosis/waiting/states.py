"""What each rank of a run does where its logs end: it waits, it runs, it has ended, or its log just stops."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from vcompat.diagnosis.failures import Failure, follows
from vcompat.diagnosis.killed import ends_process, signal_in
from vcompat.diagnosis.waiting.rank_of_line import Ranks
from vcompat.diagnosis.waiting.signs import Accused, Dump, Exit, Frame, Mismatch, Seen, Sign, Stuck, Wait, Work

#: Signals that no other process sends because a rank has failed, by their numbers.
_SIGNALS = {-4: "SIGILL", -7: "SIGBUS", -9: "SIGKILL", -11: "SIGSEGV"}
#: Whose processes are no ranks: launchers, loaders of data, what watches over others.
_HELPERS = (
    "torch/distributed/elastic/",
    "torch/distributed/run.py",
    "torch/utils/data/_utils/worker.py",
    "multiprocessing/resource_tracker.py",
    "multiprocessing/forkserver.py",
)
#: The most waits, and process groups, of a rank that are kept.
_MOST = 100
#: Lines of a process after a failure with which it has gone on: the program has coped with the failure.
_GOES_ON = 100
#: What states a crash without a stack.
_CRASHES = ("CUDA error", "CUDA Error", "LLVM ERROR", "Segmentation fault")
_ABORTED = "Fatal Python error: Aborted"
_COLLECTIVES = "torch/distributed/distributed_c10d.py"
#: Where a process waits for its GPU, and with it for a collective that runs there.
_ON_GPU = (("torch/cuda/__init__.py", "synchronize"), ("torch/cuda/streams.py", "synchronize"))


class Log(NamedTuple):
    """What one log has of a run."""

    path: str
    signs: Sequence[Sign]
    failures: Sequence[Failure]
    tracebacks: Mapping[int, tuple[Frame, ...]]
    processes: Iterable[str]
    lasts: Mapping[str, Seen]
    """The last line of each process that is part of no stack and states nothing about waiting."""


class End(NamedTuple):
    """How a process has ended on its own account."""

    seen: Seen
    error: str
    frames: tuple[Frame, ...]


class State(NamedTuple):
    """What is known of one rank."""

    name: str
    """Such as `rank 3`; a process or a log if the rank is not known."""
    rank: int | None
    waits: tuple[Wait, ...] = ()
    works: tuple[Work, ...] = ()
    dump: Dump | None = None
    stuck: Stuck | None = None
    end: End | None = None
    accused: Accused | None = None
    last: Seen | None = None

    @property
    def wait(self) -> Wait | None:
        """The wait that tells most: a collective of a known number, then a timeout, then a lost connection."""
        return min(self.waits, key=lambda one: (one.number is None, one.is_lost, one.seen.line.number), default=None)

    @property
    def is_in_collective(self) -> bool:
        """Whether it waits for other ranks."""
        return bool(self.waits) or (self.dump is not None and is_waiting(self.dump.frames))

    @property
    def is_absent(self) -> bool:
        """Whether it is a rank that waits for no other one."""
        return self.rank is not None and not self.is_in_collective

    @property
    def is_killed(self) -> bool:
        """Whether a signal has ended it."""
        return self.end is not None and self.end.error.startswith("SIG")


def is_waiting(frames: Sequence[Frame]) -> bool:
    """Whether the innermost calls of a stack are those of a collective, or wait for the GPU."""
    if collective_of(frames):
        return True
    return any(frame.file.endswith(file) and frame.function == name for frame in frames[:2] for file, name in _ON_GPU)


def collective_of(frames: Sequence[Frame]) -> str:
    """Return the function of torch.distributed that a stack has called, such as all_reduce; empty if it is in none."""
    name = ""
    for frame in frames:
        if frame.file.endswith(_COLLECTIVES):
            name = name if frame.function.startswith("_") else frame.function
        elif not frame.file.endswith(("torch/distributed/c10d_logger.py", "<string>")):
            break
    return name


def states_of(logs: Sequence[Log]) -> list[State]:
    """Return what each rank does, in the order of ranks; processes whose rank is not known come last."""
    states = _States(_ranks(logs))
    for log in logs:
        for sign in log.signs:
            if not isinstance(sign, Dump) or not _is_helper(sign.frames):
                states.take(sign)
    for log in logs:
        for seen in log.lasts.values():
            states.take_last(seen)
        for end in _ends(log):
            states.take_end(end)
    return sorted(states.by_name.values(), key=lambda state: (state.rank is None, state.rank or 0, state.name))


def _ranks(logs: Sequence[Log]) -> Ranks:
    exits = [sign.seen for log in logs for sign in log.signs if isinstance(sign, Exit)]
    pids = {seen.pid: seen.rank for seen in exits if seen.pid is not None and seen.rank is not None}
    return Ranks(((log.path, process) for log in logs for process in log.processes), pids)


class _States:
    """The states of the ranks, as far as logs have been read."""

    def __init__(self, ranks: Ranks) -> None:
        self._ranks = ranks
        self.by_name: dict[str, State] = {}

    def _of(self, seen: Seen) -> State:
        rank = self._ranks.of(seen)
        return self._named(_name(seen) if rank is None else f"rank {rank}", rank)

    def _named(self, name: str, rank: int | None) -> State:
        return self.by_name.setdefault(name, State(name, rank))

    def _keep(self, state: State) -> None:
        self.by_name[state.name] = state

    def take(self, sign: Sign) -> None:
        """Add a sign to the state of its rank, and to those of the ranks that it accuses."""
        state = self._of(sign.seen)
        if isinstance(sign, Wait):
            self._keep(state._replace(waits=(*state.waits, sign)[:_MOST]))
        elif isinstance(sign, Work):
            others = (work for work in state.works if work.group != sign.group)
            self._keep(state._replace(works=(*others, sign)[-_MOST:]))
        elif isinstance(sign, Dump):
            self._keep(state._replace(dump=sign))
        elif isinstance(sign, Stuck):
            self._keep(state._replace(stuck=state.stuck or sign))
        elif isinstance(sign, Exit) and sign.code in _SIGNALS:
            self._keep(state._replace(end=state.end or End(sign.seen, _SIGNALS[sign.code], ())))
        elif isinstance(sign, Accused):
            for rank in sign.ranks:
                accused = self._named(f"rank {rank}", rank)
                self._keep(accused._replace(accused=accused.accused or sign))

    def take_last(self, seen: Seen) -> None:
        """Add the last line of a process, unless that of its other output is later."""
        state = self._of(seen)
        last = state.last
        if last is None or (seen.after, seen.line.number) > (last.after, last.line.number):
            self._keep(state._replace(last=seen))

    def take_end(self, end: End) -> None:
        """Add how a process has ended. Of one that a signal has ended, it must be known that it is a rank."""
        if end.error not in _SIGNALS.values() or self._ranks.of(end.seen) is not None:
            state = self._of(end.seen)
            self._keep(state._replace(end=state.end or end))


def _ends(log: Log) -> list[End]:
    """The failures of a log that are no consequences of another process's."""
    stated = {sign.seen.line.number for sign in log.signs if isinstance(sign, Wait | Accused | Mismatch | Exit)}
    ends = []
    for failure in log.failures:
        line, error = failure.cause.line, failure.cause.error
        last = log.lasts.get(line.process)
        went_on = last is not None and last.line.number - line.number > _GOES_ON
        if line.number in stated or went_on or not failure.ends_run or follows(failure):
            continue
        frames = log.tracebacks.get(line.number, ())
        if ends_process(error):
            # What else ends a process is sent to it because another one has failed.
            error = signal_in(error)
            if error not in _SIGNALS.values():
                continue
        elif error.startswith(_ABORTED) or not (failure.has_traceback or frames or error.startswith(_CRASHES)):
            # NCCL's watchdog aborts its process.
            continue
        ends.append(End(Seen(log.path, line), error, frames))
    return ends


def _name(seen: Seen) -> str:
    if seen.pid is not None:
        return f"process {seen.pid}"
    return seen.line.process or os.path.relpath(seen.path)


def _is_helper(frames: Sequence[Frame]) -> bool:
    return any(part in frame.file for frame in frames for part in _HELPERS)
