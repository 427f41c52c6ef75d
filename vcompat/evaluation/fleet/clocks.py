"""How far clocks are certainly apart, from the times at which ranks entered and left a barrier."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from vcompat.evaluation.fleet.fleet_finding import Entry, Group
from vcompat.evaluation.fleet.health import SKEW


def apart(clocks: Sequence[tuple[float, float]]) -> Iterator[Entry]:
    """Yield the ranks whose clock is off by more than SKEW seconds.

    Each clock shows one common moment between its two times. If the times of two clocks do not overlap, the gap is the
    least by which they differ. They are compared with the clock in the middle, since most clocks are right.
    """
    if not clocks:
        return
    order = sorted(range(len(clocks)), key=lambda rank: sum(clocks[rank]))
    middle = order[len(order) // 2]
    first, last = clocks[middle]
    groups = []
    for rank, (before, after) in enumerate(clocks):
        ahead, behind = before - last, first - after
        if max(ahead, behind) > SKEW:
            text = f"at least {max(ahead, behind):.1f} s {'ahead of' if ahead > behind else 'behind'} rank {middle}"
            groups.append(Group(text, (f"rank {rank}",)))
    if groups:
        yield Entry("clock", tuple(groups))
