"""What the exchanges of all ranks show: which rank or pair is silent, blocked, wrong or slow."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from vcompat.evaluation.fleet.fleet_finding import Entry, FleetFinding, Group, finding, rank_of
from vcompat.evaluation.fleet.slowness import slow
from vcompat.foundation.errors import InputError
from vcompat.sources.nodes.exercised import Exercised, read_result
from vcompat.sources.nodes.reported_node import NodeReport

_PAIR = "point to point"
_COLLECTIVE = ("all-reduce", "broadcast")


class Exercise(NamedTuple):
    """The exchanges of a job."""

    names: tuple[str, ...]
    """What each rank is called."""
    nodes: tuple[str, ...]
    """The machine of each rank."""
    results: Mapping[int, Exercised]
    quiet: Mapping[int, tuple[float, str]]
    """For each rank without a result: the seconds since its last sign, and what it did then."""
    limit: float
    """How long the exchanges may take, in seconds."""


def exercised(
    texts: Mapping[int, str],
    quiet: Mapping[int, tuple[float, str]],
    size: int,
    reports: Sequence[NodeReport],
    limit: float,
) -> tuple[Exercise, list[tuple[str, str]]]:
    """Return the exchanges of a job of `size` ranks from what the ranks sent, and what of it cannot be used and why.

    `texts` has the result of each rank as JSON. `reports` tell on which machine a rank is.
    """
    hosts = {rank: report for report in reports if (rank := rank_of(report)) is not None}
    names, nodes = [], []
    for rank in range(size):
        report = hosts.get(rank)
        # As Names calls it, for the grid of nodes.
        names.append(f"{report.host} rank {rank}" if report else f"rank {rank}")
        nodes.append(f"{report.host} {report.node.boot}" if report else f"rank {rank}")
    results, refused = {}, []
    for rank, text in texts.items():
        try:
            results[rank] = read_result(text, rank, size)
        except InputError as error:
            refused.append((names[rank], str(error).partition(": ")[2]))
    return Exercise(tuple(names), tuple(nodes), results, quiet, limit), refused


def exchanges(done: Exercise) -> list[FleetFinding]:
    """Return what the exchanges show."""
    return [
        *finding("ranks-stopped", _stopped(done)),
        *finding("exchange-wrong", _wrong(done)),
        *finding("exchange-failed", _failed(done)),
        *finding("exchange-blocked", _blocked(done)),
        *finding("exchange-unfinished", _unfinished(done)),
        *finding("exchange-slow", slow(done.results, done.names, done.nodes)),
        *finding("node-fails", _local(done)),
    ]


def _stopped(done: Exercise) -> Iterator[Entry]:
    for rank, (seconds, step) in sorted(done.quiet.items()):
        text = f"no sign for {seconds:.0f} s, last sign during {step}" if step else f"no sign for {seconds:.0f} s"
        yield Entry("exercise", (Group(text, (done.names[rank],)),))


def _failed(done: Exercise) -> Iterator[Entry]:
    """Yield what the backend reports. If a rank stopped, all others can fail for that reason only."""
    if done.quiet:
        return
    by_text: dict[str, list[int]] = {}
    for rank, result in done.results.items():
        if result.error:
            by_text.setdefault(f"{result.step}: {result.error}", []).append(rank)
    for text, ranks in by_text.items():
        yield Entry("error", (Group(text, _named(done, ranks)),))


def _blocked(done: Exercise) -> Iterator[Entry]:
    """Yield exchanges in which all partners took part for half the limit, and that did not end."""
    waiting = {rank: own for rank, own in done.results.items() if _waits(own) and own.blocked >= done.limit / 2}
    in_pairs = {rank: own for rank, own in waiting.items() if own.step == _PAIR}
    for rank, own in in_pairs.items():
        other = in_pairs.get(own.partner)
        # A pair is stated once, of its lower rank.
        if other and other.partner == rank < own.partner and own.number == other.number:
            text = f"did not end within {min(own.blocked, other.blocked):.0f} s"
            yield Entry(_PAIR, (Group(text, _named(done, [rank, own.partner])),))
    steps = {(own.step, own.number) for own in waiting.values()}
    if len(waiting) == len(done.names) and len(steps) == 1:
        ((step, _),) = steps
        seconds = min(own.blocked for own in waiting.values())
        if step in _COLLECTIVE:
            yield Entry(step, (Group(f"all ranks take part, and it did not end within {seconds:.0f} s", ()),))


def _unfinished(done: Exercise) -> Iterator[Entry]:
    """Yield how far the ranks are that are alive, if nothing explains why they are not further."""
    late = [rank for rank, one in done.results.items() if _waits(one)]
    if not late or done.quiet or any(_blocked(done)) or any(_failed(done)):
        return
    by_step: dict[str, list[int]] = {}
    for rank in late:
        by_step.setdefault(done.results[rank].step, []).append(rank)
    for step, ranks in by_step.items():
        yield Entry(step, (Group(f"not ended after {done.limit:.0f} s", _named(done, ranks)),))


def _waits(one: Exercised) -> bool:
    return not one.ended and not one.error


def _wrong(done: Exercise) -> Iterator[Entry]:
    yield from _wrong_sums(done)
    for step, senders in (
        ("broadcast", {rank: one.wrong_roots for rank, one in done.results.items()}),
        (_PAIR, {rank: one.wrong_partners for rank, one in done.results.items()}),
    ):
        # (sender, receiver) of data that arrived wrong
        wrong = {(sender, receiver) for receiver, several in senders.items() for sender in several}
        for sender in sorted({sender for sender, _ in wrong}):
            receivers = sorted(receiver for other, receiver in wrong if other == sender)
            text = f"sends data that arrive wrong at {_several(done, receivers)}"
            yield Entry(step, (Group(text, (done.names[sender],)),))


def _wrong_sums(done: Exercise) -> Iterator[Entry]:
    """Yield wrong sums: whose part is wrong, and where."""
    seen = {rank: one.wrong_sums for rank, one in done.results.items() if one.wrong_sums}
    if not seen:
        return
    parts = set.intersection(*(set(parts) for parts in seen.values())) - {-1}
    # If the parts of all are wrong, they say nothing about where it went wrong.
    whose = (
        f"the part of {_several(done, sorted(parts))} is wrong"
        if len(parts) < len(done.names) / 2 and parts
        else "wrong sums"
    )
    yield Entry("all-reduce", (Group(whose, _named(done, seen)),))


def _local(done: Exercise) -> Iterator[Entry]:
    by_event: dict[tuple[str, str], list[int]] = {}
    for rank, result in done.results.items():
        for event in result.local:
            by_event.setdefault(event, []).append(rank)
    for (subject, text), ranks in by_event.items():
        yield Entry(subject, (Group(text, _named(done, ranks)),))


def _named(done: Exercise, ranks: Mapping[int, object] | list[int]) -> tuple[str, ...]:
    return tuple(done.names[rank] for rank in sorted(ranks))


def _several(done: Exercise, ranks: list[int]) -> str:
    if len(ranks) >= len(done.names) - 1 and len(ranks) > 1:
        return "all others" if len(ranks) < len(done.names) else "all ranks"
    shown = ", ".join(done.names[rank] for rank in ranks[:4])
    return shown if len(ranks) <= 4 else f"{shown} and {len(ranks) - 4} more"


def summary(done: Exercise, backend: str) -> str:
    """What was done, in one sentence with the times."""
    ended = [one for one in done.results.values() if one.ended]
    parts = []
    for step in _COLLECTIVE:
        # A rank that comes late waits least, so the largest of the ranks' shortest times is the operation's.
        times = [dict(one.seconds)[step] for one in done.results.values() if step in dict(one.seconds)]
        if times:
            parts.append(f"{step} {_shown(max(times))}")
    pairs = {
        (min(rank, partner), max(rank, partner)): min(seconds for seconds, _ in tries)
        for rank, one in done.results.items()
        for partner, tries in one.tries
        if tries
    }
    if pairs:
        parts.append(f"{len(pairs)} pairs {_shown(min(pairs.values()))} to {_shown(max(pairs.values()))}")
    times_text = f": {', '.join(parts)}" if parts else ""
    return f"Exercised over {backend}, {len(ended)} of {len(done.names)} ranks to the end{times_text}"


def _shown(seconds: float) -> str:
    return f"{seconds * 1000:.3g} ms" if seconds < 1 else f"{seconds:.1f} s"
