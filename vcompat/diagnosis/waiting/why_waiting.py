"""Why ranks wait: one has ended, one is late, they are in different collectives, or the network does not carry them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from typing import NamedTuple, TypeVar

from vcompat.diagnosis.ranking import CERTAIN, LIKELY, POSSIBLE, are_timed
from vcompat.diagnosis.waiting.signs import Frame, Mismatch, Seen, Wait
from vcompat.diagnosis.waiting.states import Log, State, collective_of, states_of

#: Kinds of hangs.
ENDED, DIVERGED, LATE, RENDEZVOUS, SAME, STUCK, UNCLEAR = KINDS = (
    "ended",
    "diverged",
    "late",
    "rendezvous",
    "same collective",
    "stuck",
    "unclear",
)


class Member(NamedTuple):
    """One rank in a hang."""

    name: str
    rank: int | None
    does: str
    """'waits', 'runs', 'stuck', 'ended' or 'unknown'."""
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


_Rank = TypeVar("_Rank", Member, State)


def hang_of(logs: Sequence[Log]) -> Hang | None:
    """Return why the ranks of a run wait for each other; None if the logs show no rank that waits."""
    states = states_of(logs)
    mismatches = [sign for log in logs for sign in log.signs if isinstance(sign, Mismatch)]
    if mismatches:
        return _mismatched(mismatches, states)
    waiting = [state for state in states if state.is_in_collective]
    # A launcher waits for other launchers, too.
    waiting = [state for state in waiting if state.rank is not None] or waiting
    ended = [state for state in states if state.end is not None]
    if not waiting:
        stuck = [state for state in states if state.stuck is not None]
        return _hang(STUCK, LIKELY, [], stuck) if stuck and not ended else None
    if not ended:
        return _among(states, waiting)
    return _after_ends(ended, states, waiting)


def _after_ends(ended: Sequence[State], states: Sequence[State], waiting: Sequence[State]) -> Hang | None:
    """Why ranks wait if some have ended: for these, unless they may have ended later, and there is another cause."""
    waiting = [state for state in waiting if state.end is None]
    if not waiting:
        return None
    certainty = _order(ended, waiting)
    if certainty == POSSIBLE:
        # As it was before the signals, without what has failed.
        before = [state._replace(end=None) for state in states if state.end is None or state.is_killed]
        other = _among(before, waiting)
        if other is not None and other.kind in (DIVERGED, LATE):
            return other
    return _hang(ENDED, certainty, ended, waiting)


def _among(states: Sequence[State], waiting: Sequence[State]) -> Hang | None:
    """Why ranks wait of which none has ended."""
    waits = [state.wait for state in waiting if state.wait is not None]
    absent = [state for state in states if state.is_absent]
    if _are_lost(waits):
        # A process that a signal ends prints nothing.
        return _hang(ENDED, LIKELY, absent, waiting) if absent else None
    if waits and all(wait.is_rendezvous for wait in waits):
        return _hang(RENDEZVOUS, CERTAIN, absent, waiting)
    if not waits and sum(state.dump is not None for state in states) < 2:
        return None
    return _late(states, waiting) or _silent(states, waiting) or _compared(waiting)


def _are_lost(waits: Sequence[Wait]) -> bool:
    return bool(waits) and all(wait.is_lost for wait in waits)


def _mismatched(mismatches: Sequence[Mismatch], states: Sequence[State]) -> Hang:
    """Ranks of which torch states that they call different collectives."""
    states_by_rank = {state.rank: state for state in states}
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
    odd, alike = _apart([calls[rank] for rank in sorted(calls)], lambda member: (member.collective, member.size))
    others = [state for state in states if state.is_in_collective and state.rank not in calls]
    return Hang(DIVERGED, CERTAIN, tuple(odd), (*alike, *map(_member, others)))


def _apart(ranks: Sequence[_Rank], key: Callable[[_Rank], object]) -> tuple[list[_Rank], list[_Rank]]:
    """Return those that are unlike most, and those that most are like; if no group is the largest, all are unlike."""
    by_key: dict[object, list[_Rank]] = {}
    for rank in ranks:
        by_key.setdefault(key(rank), []).append(rank)
    groups = sorted(by_key.values(), key=len)
    most = groups[-1] if len(groups) > 1 and len(groups[-1]) > len(groups[-2]) else []
    return [rank for group in groups for rank in group if group is not most], most


def _order(ended: Sequence[State], waiting: Sequence[State]) -> str:
    """How certain it is that what has ended did so before the other ranks gave up."""
    waits = [wait for state in waiting for wait in state.waits]
    if _are_lost(waits):
        return CERTAIN
    first = min((state.end.seen for state in ended if state.end), key=lambda seen: (seen.line.time, seen.line.number))
    if are_timed([first.line, *(wait.seen.line for wait in waits)]):
        return CERTAIN if all(first.line.time <= wait.seen.line.time for wait in waits) else POSSIBLE
    if any(state.is_killed for state in ended):
        # With gloo, the other ranks lose the connection to a process that is killed, instead of a timeout.
        return LIKELY if all(wait.operation or wait.is_lost for wait in waits) else POSSIBLE
    if all(wait.seen.path == first.path for wait in waits):
        return CERTAIN if all(first.line.number < wait.seen.line.number for wait in waits) else POSSIBLE
    return LIKELY


def _late(states: Sequence[State], waiting: Sequence[State]) -> Hang | None:
    """A rank that logs show outside of the collective of the others."""
    others = [state for state in states if not state.is_in_collective]
    running = [state for state in others if state.dump is not None]
    behind = [state for state in others if _is_behind(state, waiting)]
    blamed = behind or [state for state in others if state.accused is not None]
    late = running or blamed
    # Without a timeout, stacks show one moment only.
    lasts = blamed or any(state.waits for state in waiting)
    return _hang(LATE, CERTAIN if lasts else LIKELY, late, waiting) if late else None


def _silent(states: Sequence[State], waiting: Sequence[State]) -> Hang | None:
    """A rank that logs do not show in the collective of the others: its watchdog finds it stuck, or it just stops."""
    stuck = [state for state in states if state.stuck is not None and not state.waits]
    if stuck:
        return _hang(LATE, LIKELY, stuck, [state for state in waiting if state not in stuck])
    silent = [state for state in states if state.is_absent and state.last is not None]
    return _hang(LATE, LIKELY, silent, waiting) if silent else None


def _is_behind(state: State, waiting: Sequence[State]) -> bool:
    """Whether a rank has completed all of its work, and the other ranks wait for it in a later one."""
    waits = [wait for each in waiting for wait in each.waits if wait.number is not None]
    numbers = {(wait.group, wait.number or 0) for wait in waits}
    idle = [work for work in state.works if work.is_done]
    return any(group == work.group and number > work.enqueued for work in idle for group, number in numbers)


def _compared(waiting: Sequence[State]) -> Hang:
    """All ranks that are known wait: in different collectives, or in the same one."""
    keys = list(dict.fromkeys(map(_key, waiting)))
    if len(keys) > 1:
        odd, most = _apart(waiting, _key)
        return _hang(DIVERGED, _difference(keys), odd, most)
    known = {state.rank for state in waiting}
    is_whole = len(waiting) > 1 and None not in known and known == set(range(len(known)))
    if is_whole and keys[0][-1]:
        return _hang(SAME, LIKELY, [], waiting)
    return _hang(UNCLEAR, POSSIBLE, [], waiting)


def _key(state: State) -> tuple[object, ...]:
    """What two ranks have in common that are in the same collective: the group, the number, the size, the name."""
    wait = state.wait
    if wait is not None and wait.operation:
        return wait.group, wait.number, wait.size, wait.operation
    return "", None, "", collective_of(frames_of(state))


def _difference(keys: Sequence[tuple[object, ...]]) -> str:
    """How certain it is that ranks in different collectives should be in the same one."""
    groups, numbers = {key[0] for key in keys}, {key[1] for key in keys}
    if any(not key[3] for key in keys) or len(groups) > 1:
        # Ranks are in collectives of several groups if one of these is blocked.
        return POSSIBLE
    return CERTAIN if len(numbers) == 1 and None not in numbers else LIKELY


def frames_of(state: State) -> tuple[Frame, ...]:
    """The calls of a rank."""
    if state.end is not None:
        return state.end.frames
    if state.wait is not None and state.wait.frames:
        return state.wait.frames
    return state.dump.frames if state.dump is not None else ()


def _hang(kind: str, certainty: str, odd: Sequence[State], waiting: Sequence[State]) -> Hang:
    members = [_member(state) for state in odd]
    if kind == ENDED:
        members = [member._replace(does="ended") for member in members]
    return Hang(kind, certainty, tuple(members), tuple(map(_member, waiting)))


def _member(state: State) -> Member:
    frames = frames_of(state)
    does, seen = _doing(state)
    wait = state.wait if does == "waits" else None
    return Member(
        state.name,
        state.rank,
        does,
        ((wait and wait.operation) or collective_of(frames)) if does == "waits" else "",
        wait.number if wait else None,
        wait.size if wait else "",
        state.end.error if state.end else "",
        frames,
        _since(state),
        wait.seconds if wait else None,
        seen,
        state.last,
        next((work.completed for work in state.works if work.is_done), None),
        state.accused is not None,
    )


def _doing(state: State) -> tuple[str, Seen | None]:
    """What a rank does, and the line that shows it."""
    if state.end is not None:
        return "ended", state.end.seen
    if state.is_in_collective:
        shown = state.wait or state.dump
        return "waits", shown.seen if shown else None
    if state.dump is not None:
        return "runs", state.dump.seen
    if state.stuck is not None:
        return "stuck", state.stuck.seen
    told = state.accused or (state.works[-1] if state.works else None)
    return "unknown", told.seen if told else state.last


def _since(state: State) -> str:
    """Since when a rank waits or runs, or when it has ended, by the times in its log."""
    last = state.last.line.time if state.last else ""
    if state.end is not None:
        return state.end.seen.line.time or last
    wait = state.wait
    if wait is not None and wait.seconds is not None and wait.seen.line.time:
        return _before(wait.seen.line.time, wait.seconds)
    return last


def _before(time: str, seconds: float) -> str:
    """The time some seconds before another; a time without a day, and one of another year, stay what they can be."""
    form = "%Y-%m-%d %H:%M:%S" if "-" in time else "%Y-%H:%M:%S"
    try:
        # A leap year has every day.
        begun = datetime.strptime(f"2024-{time}", form) - timedelta(seconds=int(seconds))
    except (ValueError, OverflowError):
        return ""
    return begun.strftime("%m-%d %H:%M:%S" if "-" in time else "%H:%M:%S")
