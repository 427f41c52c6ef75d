"""Compares the processes of a run: whether all ranks have the same patches, with the same outcome and versions."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

from vcompat.patching.ledger import NOT_NEEDED, PENDING
from vcompat.patching.process_reports import Process

#: The variables that number a process in its run, in the order in which they count.
_NUMBERS = ("RANK", "OMPI_COMM_WORLD_RANK", "PMI_RANK", "SLURM_PROCID")


class Difference(NamedTuple):
    """Something in which ranks differ."""

    what: str
    """A patch, a package, or what else differs."""
    values: Mapping[str, tuple[int, ...]]
    """Each value, with the ranks that have it."""


class Ranks(NamedTuple):
    """The ranks of a run."""

    each: Mapping[int, Process]
    """The process of each rank: the last one that was started, and none that another process of the rank started."""
    others: Sequence[Process]
    """All other processes."""
    differences: Sequence[Difference]
    waiting: Sequence[Difference]
    """Patches that wait for the import of their module in some ranks. A rank that ends without it did not need them."""
    missing: Sequence[int]
    """Ranks of this run that wrote nothing here: perhaps they wrote to a folder on another host."""
    short: Mapping[str, tuple[int, int]]
    """Hosts on which a rank wrote nothing although the others have ended: how many wrote, of how many."""

    @property
    def fails(self) -> bool:
        """Whether the ranks did not all get the same."""
        return bool(self.differences or self.short)


def compare(processes: Iterable[Process]) -> Ranks:
    """Return the ranks among `processes`, and in what they differ."""
    known = _without_replaced(sorted(processes, key=lambda process: process.began))
    by_pid = {(process.host, process.pid): process for process in known}
    ranks: dict[int, Process] = {}
    for process in known:
        number = rank_of(process)
        parent = by_pid.get((process.host, process.parent))
        if number is not None and (parent is None or parent is process or rank_of(parent) != number):
            ranks[number] = process
    ranks = dict(sorted(ranks.items()))
    chosen = {id(process) for process in ranks.values()}
    differences, waiting = _differences(ranks)
    others = [process for process in known if id(process) not in chosen]
    return Ranks(ranks, others, differences, waiting, _missing(ranks), _short(ranks))


def _without_replaced(known: Sequence[Process]) -> list[Process]:
    """Return the processes without the programs that another one has replaced in the same process, by exec."""
    last = {(process.host, process.pid, process.parent): process for process in known}
    return [process for process in known if process.ended or last[process.host, process.pid, process.parent] is process]


def rank_of(process: Process) -> int | None:
    """Return the rank of a process; None if it has none."""
    for name in _NUMBERS:
        text = process.variables.get(name, "")
        if text.isascii() and text.isdigit() and len(text) < 8:
            return int(text)
    return None


def _missing(ranks: Mapping[int, Process]) -> list[int]:
    return [number for number in range(_size(ranks.values(), "WORLD_SIZE")) if number not in ranks]


def _short(ranks: Mapping[int, Process]) -> dict[str, tuple[int, int]]:
    hosts: dict[str, list[Process]] = {}
    for process in ranks.values():
        hosts.setdefault(process.host, []).append(process)
    return {
        host: (len(processes), expected)
        for host, processes in hosts.items()
        if len(processes) < (expected := _size(processes, "LOCAL_WORLD_SIZE"))
        if all(process.ended for process in processes)
    }


def _size(processes: Iterable[Process], name: str) -> int:
    """Return the number of ranks that a variable states; 0 if none does."""
    texts = (process.variables.get(name, "") for process in processes)
    return max((int(text) for text in texts if text.isascii() and text.isdigit() and len(text) < 6), default=0)


def _differences(ranks: Mapping[int, Process]) -> tuple[list[Difference], list[Difference]]:
    packages = sorted({name for process in ranks.values() for name in process.versions})
    patches = sorted({name for process in ranks.values() for name in process.patches})
    differences = [
        *_of(ranks, ["vcompat"], lambda process, name: process.vcompat),
        *_of(ranks, ["Python"], lambda process, name: process.python),
        *_of(ranks, packages, lambda process, name: process.versions.get(name, "")),
    ]
    # Where no rank needs a patch, it makes no difference whether its module was imported.
    statuses = [one for one in _of(ranks, patches, _status) if not one.values.keys() <= {PENDING, NOT_NEEDED}]
    waiting = [one for one in statuses if _is_waiting(one)]
    return differences + [one for one in statuses if one not in waiting], waiting


def _status(process: Process, name: str) -> str:
    return process.patches[name].status if name in process.patches else "not selected"


def _of(ranks: Mapping[int, Process], names: Sequence[str], value: Callable[[Process, str], str]) -> list[Difference]:
    differences = []
    for name in names:
        values: dict[str, list[int]] = {}
        for number, process in ranks.items():
            values.setdefault(value(process, name), []).append(number)
        # Not known: a package that is not imported in one rank has no other version there.
        values.pop("", None)
        if len(values) > 1:
            differences.append(Difference(name, {text: tuple(numbers) for text, numbers in values.items()}))
    return differences


def _is_waiting(difference: Difference) -> bool:
    """Whether the only difference is that some ranks did not import the module that the patch changes."""
    return len(difference.values) == 2 and PENDING in difference.values
