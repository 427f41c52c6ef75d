"""Which exchanges between two ranks are slow, for reasons other than a loaded machine."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from vcompat.evaluation.fleet.fleet_finding import Entry, Group
from vcompat.sources.nodes.exercised import Exercised

#: A pair is slow if it takes so many times as long as the median of its kind, and so many seconds longer.
_FACTOR, _EXCESS = 5.0, 0.02
#: Fewer pairs of a kind are not judged: one slow rank of three is part of most pairs.
_LEAST = 6

_Pair = tuple[int, int]


class Time(NamedTuple):
    """The time of a pair, in seconds."""

    net: float
    """The shortest one, without the time that either process waited for a processor."""
    whole: float
    """The shortest one."""
    middle_net: float
    middle: float
    """The median of all tries, without and with the time of waiting."""


def slow(results: Mapping[int, Exercised], names: Sequence[str], nodes: Sequence[str]) -> Iterator[Entry]:
    """Yield the ranks and pairs that are slow, compared with pairs of the same kind: within a node, or between nodes.

    The time that either process waited for a processor does not count. Where it is not known, a pair is not judged.
    """
    times = _times(results)
    for inside in (True, False):
        own = {pair: time for pair, time in times.items() if (nodes[pair[0]] == nodes[pair[1]]) == inside}
        if len(own) >= _LEAST:
            yield from _slow(own, names, "within a node" if inside else "between nodes")


def _slow(times: Mapping[_Pair, Time], names: Sequence[str], kind: str) -> Iterator[Entry]:
    usual = sorted(time.whole for time in times.values())[(len(times) - 1) // 2]
    limit = _limit(times, max(_FACTOR * usual, usual + _EXCESS))
    bad = {pair for pair, time in times.items() if time.net > limit}
    # Pairs that can be slow. Without its waiting time, one pair of a slow rank can be below the limit.
    late = {pair for pair, time in times.items() if time.whole > limit}
    everywhere = set()
    subject, usually = f"point to point {kind}", f"{_milliseconds(usual)} is usual"
    for rank, pairs in sorted(_by_rank(times).items()):
        if late.issuperset(pairs) and len(bad.intersection(pairs)) > 1:
            everywhere.add(rank)
            shortest = _milliseconds(min(times[pair].whole for pair in pairs))
            yield Entry(subject, (Group(f"{shortest} or more with each partner, {usually}", (names[rank],)),))
    for first, second in sorted(pair for pair in bad if everywhere.isdisjoint(pair)):
        text = f"{_milliseconds(times[first, second].whole)}, {usually}"
        yield Entry(subject, (Group(text, (names[first], names[second])),))


def _by_rank(pairs: Iterable[_Pair]) -> dict[int, list[_Pair]]:
    by_rank: dict[int, list[_Pair]] = {}
    for pair in pairs:
        for rank in pair:
            by_rank.setdefault(rank, []).append(pair)
    return by_rank


def _limit(times: Mapping[_Pair, Time], least: float) -> float:
    """Return how long sound pairs take: the median tries of all pairs whose shortest time is below `least`.

    On a machine with so much load that any try can take long, the shortest of some tries can be long as well.
    """
    sound = [time.middle for time in times.values() if time.whole <= least]
    unclear = [time.middle_net for time in times.values() if time.net <= least < time.whole]
    return max(least, *sound, *unclear)


def _times(results: Mapping[int, Exercised]) -> dict[_Pair, Time]:
    """Return the time of each pair in which both ranks know how long they waited in each try."""
    tries = {(rank, partner): stated for rank, result in results.items() for partner, stated in result.tries}
    times: dict[_Pair, Time] = {}
    for (first, second), here in tries.items():
        there = tries.get((second, first), ())
        # The same try on both sides: it took no longer than the shorter time of both.
        both = [
            (max(0.0, min(own, other) - waited - others), min(own, other))
            for (own, waited), (other, others) in zip(here, there, strict=False)
            if waited is not None and others is not None
        ]
        if first < second and both and len(both) == min(len(here), len(there)):
            net, whole = (sorted(seconds) for seconds in zip(*both, strict=True))
            times[first, second] = Time(net[0], whole[0], net[len(net) // 2], whole[len(whole) // 2])
    return times


def _milliseconds(seconds: float) -> str:
    return f"{seconds * 1000:.0f} ms" if seconds >= 0.01 else f"{seconds * 1000:.1f} ms"
