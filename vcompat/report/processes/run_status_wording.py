"""Which process of a run applied which patch, in words: ranks with the same outcome together."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from vcompat.evaluation.rank_patches import Difference, Ranks, rank_of
from vcompat.patching.ledger import APPLIED, FAILED, REFUSED
from vcompat.patching.process_reports import Process

#: Statuses whose patches are named; of the others, the number is.
_NAMED = (APPLIED, REFUSED, FAILED)


class Alike(NamedTuple):
    """Processes with the same program, versions and outcome of each patch."""

    title: str
    about: str
    """The program and the versions; the process and its host if it is the only one."""
    patches: Sequence[tuple[str, str, str]]
    """Status, name and reason of the patches that were applied or should have been."""
    others: str
    """How many patches have another status; empty if none has."""


class Compared(NamedTuple):
    """A result of the comparison of all ranks."""

    word: str
    text: str


def total(ranks: Ranks) -> str:
    """How many processes and ranks there are, and where."""
    processes = [*ranks.each.values(), *ranks.others]
    hosts = sorted({process.host for process in processes})
    where = f"on {hosts[0]}" if len(hosts) == 1 else f"on {len(hosts)} hosts"
    return f"{_number(len(processes), 'process', 'es')}, {_number(len(ranks.each), 'rank')}, {where}"


def alike(ranks: Ranks) -> Iterator[Alike]:
    """The processes of a run, those with the same outcome together: first ranks, then others."""
    for numbers, process in _alike_ranks(ranks.each):
        yield _described(_ranks(numbers), process, alone=len(numbers) == 1)
    for count, process in _alike_others(ranks.others):
        title = f"{count} other processes" if count > 1 else "another process"
        number = rank_of(process)
        title += f" of rank {number}" if number is not None and count == 1 else ""
        yield _described(title, process, alone=count == 1)


def compared(ranks: Ranks) -> Iterator[Compared]:
    """What the ranks do not have in common, and what only looks so."""
    for host, (wrote, expected) in ranks.short.items():
        yield Compared("differs", f"only {wrote} of {expected} ranks on {host} wrote a ledger; the others got no patch")
    if ranks.missing and not ranks.short:
        yield Compared("no ledger", f"{_ranks(ranks.missing)} applied no patch, or wrote to another folder")
    for difference in ranks.waiting:
        yield Compared("no difference", f"{_difference(difference)}, where its module was not imported")
    for difference in ranks.differences:
        yield Compared("differs", _difference(difference))


def _difference(difference: Difference) -> str:
    values = (f"{value or 'unknown'} on {_ranks(numbers)}" for value, numbers in difference.values.items())
    return f"{difference.what} is {', '.join(values)}"


def _number(count: int, what: str, ending: str = "s") -> str:
    return f"{count} {what}{'' if count == 1 else ending}"


def _ranks(numbers: Sequence[int]) -> str:
    """Ranks as ranges: ``rank 0``, ``ranks 0-7, 9``."""
    ranges: list[list[int]] = []
    for number in numbers:
        if ranges and number == ranges[-1][1] + 1:
            ranges[-1][1] = number
        else:
            ranges.append([number, number])
    text = ", ".join(f"{first}-{last}" if last > first else str(first) for first, last in ranges)
    return f"rank{'s' if len(numbers) > 1 else ''} {text}"


def _described(title: str, process: Process, *, alone: bool) -> Alike:
    words = [os.path.basename(process.program) or "python"]
    words += [f"{name} {version or '?'}" for name, version in sorted(process.versions.items())]
    words += [f"pid {process.pid} on {process.host}"] if alone else []
    named: list[tuple[str, str, str]] = []
    counts: dict[str, int] = {}
    for name, entry in process.patches.items():
        if entry.status in _NAMED:
            named.append((entry.status, name, entry.reason if entry.status != APPLIED else ""))
        else:
            counts[entry.status] = counts.get(entry.status, 0) + 1
    others = ", ".join(f"{status}: {count}" for status, count in sorted(counts.items()))
    return Alike(title, ", ".join(words), named, others)


def _signature(process: Process) -> tuple[object, ...]:
    statuses = tuple(sorted((name, *entry) for name, entry in process.patches.items()))
    return process.program, tuple(sorted(process.versions.items())), process.vcompat, statuses


def _alike_ranks(each: Mapping[int, Process]) -> list[tuple[list[int], Process]]:
    groups: dict[tuple[object, ...], list[int]] = {}
    for number, process in each.items():
        groups.setdefault(_signature(process), []).append(number)
    return [(numbers, each[numbers[0]]) for numbers in groups.values()]


def _alike_others(others: Sequence[Process]) -> list[tuple[int, Process]]:
    groups: dict[tuple[object, ...], list[Process]] = {}
    for process in others:
        groups.setdefault(_signature(process), []).append(process)
    return [(len(group), group[0]) for group in groups.values()]
