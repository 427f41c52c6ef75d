"""What the launch variables of all processes state: ranks, WORLD_SIZE, the address of rank 0, GPUs of ranks."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping
from typing import TypeVar

from vcompat.evaluation.fleet.fleet_finding import (
    Entry,
    FleetFinding,
    Group,
    Names,
    compared,
    events,
    finding,
    rank_of,
    whole,
)
from vcompat.evaluation.fleet.hostlist import expanded, numbers

_NODE_LISTS = ("SLURM_STEP_NODELIST", "SLURM_JOB_NODELIST")
#: A WORLD_SIZE above this is wrong: no rank is looked for.
_SIZE_LIMIT = 200_000
_LOOPBACK = ("127.", "::1")
_Key = TypeVar("_Key", bound=Hashable)


def launch(names: Names, expected: int | None, silent: tuple[int, ...] = ()) -> Iterator[FleetFinding]:
    """Yield what is wrong with the launch.

    `expected` is the number of nodes that the user expects. `silent` are the ranks that did not report in time, if
    the reports were gathered in a running job.
    """
    yield from finding("nodes-missing", _missing(names, expected))
    if silent:
        yield from finding("ranks-silent", [Entry("ranks", (Group("silent", tuple(f"rank {n}" for n in silent)),))])
    yield from finding("world-size-and-ranks", _ranks(names, frozenset(silent)))
    yield from finding("ranks-twice", _twice(names))
    yield from finding("gpu-shared-by-ranks", _shared(names))
    yield from finding("master-addresses-differ", _masters(names))
    yield from finding("master-is-loopback", _loopback(names))
    yield from finding("name-unresolved", _unresolved(names, "not found", ()))
    yield from finding("name-slow", _unresolved(names, "no answer in time", None))
    yield from finding("host-unresolved", _own_names(names))
    yield from finding("port-in-use", _port(names))


def _missing(names: Names, expected: int | None) -> Iterator[Entry]:
    """Yield the nodes that the user or Slurm expects and that did not report."""
    seen = len(names.per_node)
    if expected is not None and seen != expected:
        word = "fewer" if seen < expected else "more"
        yield Entry("nodes", (Group(f"{seen} reported, {word} than the {expected} expected", ()),))
    # Slurm's names of nodes can differ from their host names, so it states both.
    known = {_short(report.env.get("SLURMD_NODENAME", report.host)) for report in names.reports}
    absent = [node for node in _nodes_of_slurm(names) if _short(node) not in known]
    if absent:
        yield Entry("nodes of Slurm", (Group("did not report", tuple(absent)),))


def _nodes_of_slurm(names: Names) -> list[str]:
    """Return the nodes of the step, which srun states, or else of the job: a step can have fewer."""
    for variable in _NODE_LISTS:
        lists = {report.env[variable] for report in names.reports if variable in report.env}
        if lists:
            # Reports of several steps or jobs: no list holds for all.
            return expanded(lists.pop()) if len(lists) == 1 else []
    return []


def _short(host: str) -> str:
    return host.partition(".")[0]


def _known_ranks(names: Names) -> dict[int, int]:
    """Return the rank of each report that has one, by the report's number."""
    return {number: rank for number, report in enumerate(names.reports) if (rank := rank_of(report)) is not None}


def _ranks(names: Names, silent: frozenset[int]) -> Iterator[Entry]:
    ranks = _known_ranks(names)
    without = [names.rank(n) for n in range(len(names.reports)) if n not in ranks]
    if not ranks:
        return
    if without:
        yield Entry("RANK", (Group("not set", tuple(without)),))
    sizes = {_world_size(names, number) for number in ranks}
    size = next(iter(sizes))
    # Different sizes are a finding of their own, and no size means that nobody states how many there should be.
    if len(sizes) > 1 or size is None:
        return
    if size > _SIZE_LIMIT:
        yield Entry("WORLD_SIZE", (Group(f"{size}, but {len(ranks)} ranks reported", ()),))
        return
    absent, subject = sorted(set(range(size)) - set(ranks.values()) - silent), f"WORLD_SIZE={size}"
    if absent:
        text = f"{size - len(absent)} of {size} ranks reported, not {numbers(absent)}"
        yield Entry(subject, (Group(text, ()),))
    above = {rank: names.nodes[n] for n, rank in ranks.items() if rank >= size}
    yield from events((subject, f"rank {rank}", node) for rank, node in above.items())


def _world_size(names: Names, number: int) -> int | None:
    variables = names.reports[number].env
    if "RANK" in variables:
        return whole(variables.get("WORLD_SIZE"))
    return whole(variables.get("SLURM_STEP_NUM_TASKS", variables.get("SLURM_NTASKS")))


def _twice(names: Names) -> Iterator[Entry]:
    ranks = sorted(_repeated(_known_ranks(names)).items())
    yield from events(("RANK", str(rank), names.nodes[n]) for rank, several in ranks for n in several)
    named = enumerate(names.named)
    local = {n: (node, report.env["LOCAL_RANK"]) for n, (node, report) in named if "LOCAL_RANK" in report.env}
    same = _repeated(local).items()
    yield from events((f"LOCAL_RANK on {node}", rank, names.rank(n)) for (node, rank), several in same for n in several)


def _repeated(values: Mapping[int, _Key]) -> dict[_Key, list[int]]:
    """Return the values that several reports have, with the numbers of the reports."""
    by_value: dict[_Key, list[int]] = {}
    for number, value in values.items():
        by_value.setdefault(value, []).append(number)
    return {value: several for value, several in by_value.items() if len(several) > 1}


def _shared(names: Names) -> Iterator[Entry]:
    """Yield GPUs that several ranks of a machine have as their only one."""
    only = {n: (names.nodes[n], names.reports[n].visible) for n in _known_ranks(names)}
    for (node, visible), several in _repeated(only).items():
        if len(visible) == 1:
            yield Entry(f"{visible[0]} on {node}", (Group("the only GPU of", tuple(map(names.rank, several))),))


def _machines(names: Names) -> int:
    """The number of machines that the reports certainly come from: containers of one have the same boot id."""
    boots = {report.node.boot for report in names.reports}
    return 1 if None in boots else len(boots)


def _masters(names: Names) -> Iterator[Entry]:
    """Yield MASTER_ADDR if processes have different ones without a common address.

    On the machine of rank 0 it can be a loopback address, if each machine is launched by a command of its own.
    """
    stated = {
        number: report.env["MASTER_ADDR"] for number, report in enumerate(names.reports) if "MASTER_ADDR" in report.env
    }
    remote = {number: address for number, address in stated.items() if not _is_loopback(address)}
    if len(set(remote.values())) < 2:
        return
    known = [set(dict(names.reports[number].node.names).get(address) or ()) for number, address in remote.items()]
    if not set.intersection(*known):
        yield from compared("MASTER_ADDR", remote, names)


def _is_loopback(address: str) -> bool:
    return address == "localhost" or address.startswith(_LOOPBACK)


def _loopback(names: Names) -> Iterator[Entry]:
    """Yield loopback addresses of rank 0 on machines that certainly do not have rank 0."""
    firsts = {report.node.boot for report in names.reports if report.env.get("RANK") == "0"}
    if len(firsts) != 1 or None in firsts:
        return
    yield from events(
        ("MASTER_ADDR", address, node)
        for node, report in names.named
        if report.node.boot not in {None, *firsts} and "RANK" in report.env
        if _is_loopback(address := report.env.get("MASTER_ADDR", ""))
    )


def _unresolved(names: Names, text: str, answer: tuple[str, ...] | None) -> Iterator[Entry]:
    """Yield MASTER_ADDR of the nodes whose look-up had this `answer`."""
    yield from events(
        (f"MASTER_ADDR={address}", text, node)
        for node, report in names.named
        if (address := report.env.get("MASTER_ADDR", ""))
        if dict(report.node.names).get(address, ("",)) == answer
    )


def _own_names(names: Names) -> Iterator[Entry]:
    """Yield host names without an address that other machines can reach, if there are other machines."""
    if _machines(names) < 2:
        return
    yield from events(
        ("host name", text, node)
        for node, report in names.named
        if "GLOO_SOCKET_IFNAME" not in report.env
        if (text := _unreachable(dict(report.node.names).get(report.host, ("",))))
    )


def _unreachable(answer: tuple[str, ...] | None) -> str:
    """Return what the look-up of a host name gave if other machines cannot reach the host by it; else nothing."""
    if answer is None:
        return "no answer in time"
    if not answer:
        return "not found"
    return f"resolves to {', '.join(answer)}" if all(address.startswith(_LOOPBACK) for address in answer) else ""


def _port(names: Names) -> Iterator[Entry]:
    """Yield MASTER_PORT if it is in use on the machine with rank 0, before the launch.

    After the launch it is in use by the run itself, so reports of processes with a rank from torchrun do not count.
    """
    yield from events(
        ("MASTER_PORT", str(port), names.nodes[number])
        for number, report in enumerate(names.reports)
        if (port := whole(report.env.get("MASTER_PORT"))) in report.node.ports_in_use
        if "RANK" not in report.env and _is_master(names, number)
    )


def _is_master(names: Names, number: int) -> bool:
    report = names.reports[number]
    address = report.env.get("MASTER_ADDR", "")
    if _short(address) == _short(report.host):
        return True
    resolved = dict(report.node.names)
    own = {a for a in resolved.get(report.host) or () if not a.startswith(_LOOPBACK)}
    return len(names.per_node) == 1 or not own.isdisjoint(resolved.get(address) or ())
