"""Which phases the ranks of a rehearsal went through, and how many tokens they generated."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from vcompat.rehearsal.protocol import ENTER, OUTPUT, PHASE, Event, Told
from vcompat.rehearsal.verdict import Phase


def phases_of(told: Sequence[Told]) -> tuple[Phase, ...]:
    """Return the phases of all ranks, of each rank in the order in which they ended; then those that never ended."""
    ranks = [one for one in told if one.is_rank]
    last = max((event.time for one in ranks for event in one.events), default=0.0)
    return tuple(phase for one in ranks for phase in _of_rank(one, last))


def _of_rank(rank: Told, last: float) -> Iterator[Phase]:
    waiting: list[Event] = []
    for event in rank.events:
        if event.kind == ENTER:
            waiting.append(event)
        elif event.kind == PHASE:
            v = event.values
            begun = next((e for e in reversed(waiting) if e.values["name"] == v["name"]), None)
            waiting = waiting[: waiting.index(begun)] if begun else waiting
            yield Phase(rank.rank, str(v["name"]), float(v["began"]), float(v["seconds"]), int(v["depth"]))
    for depth, event in enumerate(waiting):
        yield Phase(rank.rank, str(event.values["name"]), event.time, last - event.time, depth, has_ended=False)


def tokens_of(groups: Sequence[Sequence[Told]]) -> tuple[tuple[float, int], ...]:
    """Return the seconds of each generation, of the slowest rank, and the tokens of all tensor-parallel groups."""
    every = [_generations(one) for members in groups for one in members]
    # The ranks of a group generate the same tokens together.
    leading = [_generations(members[0]) for members in groups]
    least = min(map(len, every), default=0)
    return tuple((max(one[at][0] for one in every), sum(one[at][1] for one in leading)) for at in range(least))


def _generations(rank: Told) -> list[tuple[float, int]]:
    """The seconds and the tokens of each generation of a rank."""
    made, seconds = [], 0.0
    for event in rank.events:
        if event.kind == PHASE and event.values.get("name") == "generation":
            seconds = float(event.values["seconds"])
        elif event.kind == OUTPUT:
            made.append((seconds, int(event.values["tokens"])))
    return made
