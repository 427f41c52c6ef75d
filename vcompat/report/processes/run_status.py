"""Which process of a run applied which patch, as text: ranks with the same outcome together."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence

from vcompat.evaluation.rank_patches import Difference, Ranks, rank_of
from vcompat.patching.ledger import APPLIED, FAILED, REFUSED
from vcompat.patching.processes import Process
from vcompat.report.parts.layout import printable

#: Statuses whose patches are named; of the others, the number is.
_NAMED = (APPLIED, REFUSED, FAILED)


def render(ranks: Ranks) -> str:
    """Return the report."""
    processes = [*ranks.each.values(), *ranks.others]
    hosts = sorted({process.host for process in processes})
    where = f"on {hosts[0]}" if len(hosts) == 1 else f"on {len(hosts)} hosts"
    lines = [f"{_number(len(processes), 'process', 'es')}, {_number(len(ranks.each), 'rank')}, {where}"]
    for numbers, process in _alike(ranks.each):
        lines += ["", f"{_ranks(numbers)}: {_about(process, len(numbers) == 1)}", *_patches(process)]
    for count, process in _alike_others(ranks.others):
        title = f"{count} other processes" if count > 1 else "another process"
        number = rank_of(process)
        title += f" of rank {number}" if number is not None and count == 1 else ""
        lines += ["", f"{title}: {_about(process, count == 1)}", *_patches(process)]
    lines += _compared(ranks)
    return "\n".join(map(printable, lines))


def _compared(ranks: Ranks) -> Iterator[str]:
    if ranks.differences or ranks.waiting or ranks.missing or ranks.short:
        yield ""
    for host, (wrote, expected) in ranks.short.items():
        yield f"differs: only {wrote} of {expected} ranks on {host} wrote a ledger; the others got no patch"
    if ranks.missing and not ranks.short:
        yield f"no ledger: {_ranks(ranks.missing)} applied no patch, or wrote to another folder"
    for difference in ranks.waiting:
        yield f"no difference: {_difference(difference)}, where its module was not imported"
    for difference in ranks.differences:
        yield f"differs: {_difference(difference)}"


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


def _about(process: Process, alone: bool) -> str:
    words = [os.path.basename(process.program) or "python"]
    words += [f"{name} {version or '?'}" for name, version in sorted(process.versions.items())]
    words += [f"pid {process.pid} on {process.host}"] if alone else []
    return ", ".join(words)


def _patches(process: Process) -> Iterator[str]:
    counts: dict[str, int] = {}
    for name, entry in process.patches.items():
        if entry.status in _NAMED:
            yield f"  {entry.status:<8} {name}" + (f": {entry.reason}" if entry.status != APPLIED else "")
        else:
            counts[entry.status] = counts.get(entry.status, 0) + 1
    if counts:
        yield "  " + ", ".join(f"{status}: {count}" for status, count in sorted(counts.items()))


def _signature(process: Process) -> tuple[object, ...]:
    statuses = tuple(sorted((name, *entry) for name, entry in process.patches.items()))
    return process.program, tuple(sorted(process.versions.items())), process.vcompat, statuses


def _alike(each: Mapping[int, Process]) -> list[tuple[list[int], Process]]:
    groups: dict[tuple[object, ...], list[int]] = {}
    for number, process in each.items():
        groups.setdefault(_signature(process), []).append(number)
    return [(numbers, each[numbers[0]]) for numbers in groups.values()]


def _alike_others(others: Sequence[Process]) -> list[tuple[int, Process]]:
    groups: dict[tuple[object, ...], list[Process]] = {}
    for process in others:
        groups.setdefault(_signature(process), []).append(process)
    return [(len(group), group[0]) for group in groups.values()]
