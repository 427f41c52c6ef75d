"""Why ranks wait: one has ended, one is late, they are in different collectives, or the network does not carry them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from typing import NamedTuple, TypeVar

from vcompat.diagnosis.ranking import CERTAIN, LIKELY, POSSIBLE
from vcompat.diagnosis.waiting.signs import Frame, Mismatch, Seen, Wait
from vcompat.diagnosis.waiting.states import Log, State, collective_of, states_of

#: Kinds of hangs.
ENDED, DIVERGED, LATE, RENDEZVOUS, SAME, UNCLEAR = KINDS = (
    "ended",
    "diverged",
    "late",
    "rendezvous",
    "same collective",
    "unclear",
)

_One = TypeVar("_One")


class Member(NamedTuple):
    """One rank in a hang."""

    name: str
    rank: int | None
    does: str
    """'waits', 'runs', 'ended' or 'unknown'."""
    collective: str
    """What it waits in, as the log names it; empty if that is not stated."""
    number: int | None
    """The sequence number of the collective."""
    size: str
    """How many elements go in and come out, as the log states it."""
    error: str
    """What has ended it."""
    frames: tuple[Frame, ...]
    """Its calls, the innermost first."""
    since: str
    """Since when, as the times in logs; empty if they state none."""
    seconds: float | None
    """How long it has waited."""
    seen: Seen | None
    """The line that shows it."""
    last: Seen | None
    """Its last line before."""
    completed: int | None = None
    """The number of the last collective, if it has completed all that it has enqueued."""
    is_accused: bool = False
    """Whether the backend of another rank states that it has not arrived."""


class Hang(NamedTuple):
    """A run that hangs, or that a timeout has ended."""

    kind: str
    certainty: str
    """'certain' if the logs show it, else 'likely' or 'possible'."""
    odd: tuple[Member, ...]
    """The ranks that the others wait for; empty if none is known to be another than the others."""
    waiting: tuple[Member, ...]

    @property
    def is_explained(self) -> bool:
        """Whether it is known why the run hangs, and no failure has to be explained besides."""
        return self.kind in (DIVERGED, LATE) and self.certainty != POSSIBLE


def hang_of(logs: Sequence[Log]) -> Hang | None:
    """Return why the ranks of a run wait for each other; None if the logs show no rank that waits."""
    states = states_of(logs)
    mismatches = [sign for log in logs for sign in log.signs if isinstance(sign, Mismatch)]
    if mismatches:
        return _mismatched(mismatches, states)
    waiting = [one for one in states if one.is_in_collective]
    if any(one.rank is not None for one in waiting):
        # A launcher waits for other launchers, too.
        waiting = [one for one in waiting if one.rank is not None]
    if not waiting:
        return None
    ended = [one for one in states if one.end is not None]
    if not ended:
        return _among(states, waiting)
    alive = [one for one in waiting if one.end is None]
    certainty = _order(ended, alive)
    other = _among(_before_signals(states), alive) if alive and certainty == POSSIBLE else None
    if other is not None and other.kind in (DIVERGED, LATE):
        return other
    return _hang(ENDED, certainty, ended, alive) if alive else None


def _before_signals(states: Sequence[State]) -> list[State]:
    """Return the states without failures, and with those that a signal has ended as they were before."""
    running = [one._replace(end=None) if one.end and one.end.error.startswith("SIG") else one for one in states]
    return [one for one in running if one.end is None]


def _among(states: Sequence[State], waiting: Sequence[State]) -> Hang | None:
    """Why ranks wait of which none has ended."""
    waits = [one.wait for one in waiting if one.wait is not None]
    if waits and all(wait.is_lost for wait in waits):
        # A process that a signal ends prints nothing.
        gone = [one for one in states if not one.is_in_collective and one.rank is not None]
        return _hang(ENDED, LIKELY, gone, waiting) if gone else None
    if not waits and sum(one.dump is not None for one in states) < 2:
        return None
    if waits and all(wait.is_rendezvous for wait in waits):
        absent = [one for one in states if not one.is_in_collective and one.rank is not None]
        return _hang(RENDEZVOUS, CERTAIN, absent, waiting)
    return _late(states, waiting) or _compared(states, waiting)


def _mismatched(mismatches: Sequence[Mismatch], states: Sequence[State]) -> Hang:
    """Ranks of which torch states that they call different collectives."""
    states_by_rank = {one.rank: one for one in states}
    calls: dict[int, Member] = {}
    # What a rank states of itself comes first: its calls are known.
    for place in (0, 1):
        for sign in mismatches:
            rank = sign.ranks[place]
            if rank not in calls:
                member = _member(states_by_rank.get(rank, State(f"rank {rank}", rank)))
                calls[rank] = member._replace(
                    does="waits",
                    collective=sign.operations[place],
                    size=sign.sizes[place],
                    frames=() if place else sign.frames,
                    seen=sign.seen,
                )
    odd, alike = _apart([calls[rank] for rank in sorted(calls)], lambda one: (one.collective, one.size))
    others = [one for one in states if one.is_in_collective and one.rank not in calls]
    return Hang(DIVERGED, CERTAIN, tuple(odd), (*alike, *map(_member, others)))


def _apart(ones: Sequence[_One], key: Callable[[_One], object]) -> tuple[list[_One], list[_One]]:
    """Return those that are unlike most, and those that most are like; if no group is the largest, all are unlike."""
    by_key: dict[object, list[_One]] = {}
    for one in ones:
        by_key.setdefault(key(one), []).append(one)
    groups = sorted(by_key.values(), key=len)
    most = groups[-1] if len(groups) > 1 and len(groups[-1]) > len(groups[-2]) else []
    return [one for group in groups for one in group if group is not most], most


def _order(ended: Sequence[State], waiting: Sequence[State]) -> str:
    """How certain it is that what has ended did so before the other ranks gave up."""
    ends = [one.end.seen for one in ended if one.end is not None]
    waits = [wait for one in waiting for wait in one.waits]
    if waits and all(wait.is_lost for wait in waits):
        return CERTAIN
    first = min(ends, key=lambda seen: (seen.line.time, seen.line.number))
    times = [first.line.time, *(wait.seen.line.time for wait in waits)]
    if all(times) and len({len(time) for time in times}) == 1:
        return CERTAIN if first.line.time <= min(times[1:], default=first.line.time) else POSSIBLE
    if any(one.end is not None and one.end.error.startswith("SIG") for one in ended):
        # With gloo, the other ranks lose the connection to a process that is killed, instead of a timeout.
        return LIKELY if all(wait.operation or wait.is_lost for wait in waits) else POSSIBLE
    if all(wait.seen.path == first.path for wait in waits):
        return CERTAIN if all(first.line.number < wait.seen.line.number for wait in waits) else POSSIBLE
    return LIKELY


def _late(states: Sequence[State], waiting: Sequence[State]) -> Hang | None:
    """A rank that is not in the collective of the others."""
    others = [one for one in states if not one.is_in_collective]
    accused = [one for one in others if one.accused is not None]
    running = [one for one in others if one.dump is not None]
    behind = [one for one in others if _is_behind(one, waiting)]
    silent = [one for one in others if one.last is not None and one.rank is not None]
    late = running or behind or accused
    if late:
        # Without a timeout, stacks show one moment only.
        lasts = bool(behind or accused) or any(one.waits for one in waiting)
        return _hang(LATE, CERTAIN if lasts else LIKELY, late, waiting)
    stuck = [one for one in states if one.stuck is not None and not one.waits]
    if stuck:
        return _hang(LATE, LIKELY, stuck, [one for one in waiting if one not in stuck])
    return _hang(LATE, LIKELY, silent, waiting) if silent else None


def _is_behind(one: State, waiting: Sequence[State]) -> bool:
    """Whether a rank has completed all of its work, and the other ranks wait for it in a later one."""
    waits = [wait for each in waiting for wait in each.waits if wait.number is not None]
    numbers = {(wait.group, wait.number or 0) for wait in waits}
    idle = [work for work in one.works if work.enqueued == work.completed]
    return any(group == work.group and number > work.enqueued for work in idle for group, number in numbers)


def _compared(states: Sequence[State], waiting: Sequence[State]) -> Hang:
    """All ranks that are known wait: in different collectives, or in the same one."""
    keys = list(dict.fromkeys(map(_key, waiting)))
    if len(keys) > 1:
        odd, most = _apart(waiting, _key)
        return _hang(DIVERGED, _difference(keys), odd, most)
    known = {one.rank for one in waiting}
    is_whole = len(waiting) > 1 and None not in known and known == set(range(len(known)))
    if is_whole and keys[0][-1]:
        return _hang(SAME, LIKELY, [], waiting)
    return _hang(UNCLEAR, POSSIBLE, [], waiting)


def _key(one: State) -> tuple[object, ...]:
    """What two ranks have in common that are in the same collective: the group, the number, the size, the name."""
    wait = one.wait
    if wait is not None and wait.operation:
        return wait.group, wait.number, wait.size, wait.operation
    frames = frames_of(one)
    return "", None, "", collective_of(frames)


def _difference(keys: Sequence[tuple[object, ...]]) -> str:
    """How certain it is that ranks in different collectives should be in the same one."""
    groups, numbers = {key[0] for key in keys}, {key[1] for key in keys}
    if any(not key[3] for key in keys) or len(groups) > 1:
        # Ranks are in collectives of several groups if one of these is blocked.
        return POSSIBLE
    return CERTAIN if len(numbers) == 1 and None not in numbers else LIKELY


def frames_of(one: State) -> tuple[Frame, ...]:
    """The calls of a rank."""
    if one.end is not None:
        return one.end.frames
    wait = one.wait
    if wait is not None and wait.frames:
        return wait.frames
    return one.dump.frames if one.dump is not None else ()


def _hang(kind: str, certainty: str, odd: Sequence[State], waiting: Sequence[State]) -> Hang:
    members = [_member(one) for one in odd]
    if kind == ENDED:
        members = [one._replace(does="ended") for one in members]
    return Hang(kind, certainty, tuple(members), tuple(map(_member, waiting)))


def _member(one: State) -> Member:
    wait, frames = one.wait, frames_of(one)
    does, seen = "unknown", one.last
    if one.end is not None:
        does, seen = "ended", one.end.seen
    elif one.is_in_collective:
        shown = wait or one.dump
        does, seen = "waits", shown.seen if shown else None
    elif one.dump is not None:
        does, seen = "runs", one.dump.seen
    elif one.accused is not None or one.works:
        seen = one.accused.seen if one.accused else one.works[-1].seen
    collective = (wait.operation if wait else "") or collective_of(frames)
    return Member(
        one.name,
        one.rank,
        does,
        collective if does == "waits" else "",
        wait.number if wait and does == "waits" else None,
        wait.size if wait and does == "waits" else "",
        one.end.error if one.end else "",
        frames,
        _since(one, wait),
        wait.seconds if wait and does == "waits" else None,
        seen,
        one.last,
        next((work.completed for work in one.works if work.enqueued == work.completed), None),
        one.accused is not None,
    )


def _since(one: State, wait: Wait | None) -> str:
    """Since when a rank waits or runs, or when it has ended, by the times in its log."""
    if one.end is not None:
        return one.end.seen.line.time or (one.last.line.time if one.last else "")
    if wait is not None and wait.seconds is not None and wait.seen.line.time:
        return _before(wait.seen.line.time, wait.seconds)
    return one.last.line.time if one.last else ""


def _before(time: str, seconds: float) -> str:
    """The time some seconds before another; a time without a day, and one of another year, stay what they can be."""
    form = "%Y-%m-%d %H:%M:%S" if "-" in time else "%Y-%H:%M:%S"
    try:
        # A leap year has every day.
        begun = datetime.strptime(f"2024-{time}", form) - timedelta(seconds=int(seconds))
    except (ValueError, OverflowError):
        return ""
    return begun.strftime("%m-%d %H:%M:%S" if "-" in time else "%H:%M:%S")
