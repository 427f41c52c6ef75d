"""What the launch variables of all processes state: ranks, WORLD_SIZE, the address of rank 0, GPUs of ranks."""

from __future__ import annotations

from collections.abc import Iterator

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
    # The nodes of the step, which srun states, or else of the job: a step can have fewer.
    lists = {(name, report.env[name]) for report in names.reports for name in _NODE_LISTS if name in report.env}
    steps = {text for name, text in lists if name == _NODE_LISTS[0]} or {text for _, text in lists}
    # Reports of several steps or jobs: no list holds for all.
    if len(steps) != 1:
        return
    # Slurm's names of nodes can differ from their host names, so it states both.
    known = {_short(report.env.get("SLURMD_NODENAME", report.host)) for report in names.reports}
    absent = [node for node in expanded(next(iter(steps))) if _short(node) not in known]
    if absent:
        yield Entry("nodes of Slurm", (Group("did not report", tuple(absent)),))


def _short(host: str) -> str:
    return host.partition(".")[0]


def _ranks(names: Names, silent: frozenset[int]) -> Iterator[Entry]:
    ranks = {number: rank for number, report in enumerate(names.reports) if (rank := rank_of(report)) is not None}
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
    absent = sorted(set(range(size)) - set(ranks.values()) - silent)
    if absent:
        text = f"{size - len(absent)} of {size} ranks reported, not {numbers(absent)}"
        yield Entry(f"WORLD_SIZE={size}", (Group(text, ()),))
    above = {(f"WORLD_SIZE={size}", f"rank {rank}"): [names.nodes[n]] for n, rank in ranks.items() if rank >= size}
    yield from events(above)


def _world_size(names: Names, number: int) -> int | None:
    variables = names.reports[number].env
    if "RANK" in variables:
        return whole(variables.get("WORLD_SIZE"))
    return whole(variables.get("SLURM_STEP_NUM_TASKS", variables.get("SLURM_NTASKS")))


def _twice(names: Names) -> Iterator[Entry]:
    by_rank: dict[int, list[int]] = {}
    for number, report in enumerate(names.reports):
        rank = rank_of(report)
        if rank is not None:
            by_rank.setdefault(rank, []).append(number)
    found = {
        ("RANK", str(rank)): [names.nodes[n] for n in several]
        for rank, several in sorted(by_rank.items())
        if len(several) > 1
    }
    yield from events(found)
    local: dict[tuple[str, str], list[int]] = {}
    for number, report in enumerate(names.reports):
        if "LOCAL_RANK" in report.env:
            local.setdefault((names.nodes[number], report.env["LOCAL_RANK"]), []).append(number)
    again = {
        (f"LOCAL_RANK on {node}", rank): [names.rank(n) for n in several]
        for (node, rank), several in local.items()
        if len(several) > 1
    }
    yield from events(again)


def _shared(names: Names) -> Iterator[Entry]:
    """Yield GPUs that several ranks of a machine have as their only one."""
    by_gpu: dict[tuple[str, str], list[int]] = {}
    for number, report in enumerate(names.reports):
        if len(report.visible) == 1 and rank_of(report) is not None:
            by_gpu.setdefault((names.nodes[number], report.visible[0]), []).append(number)
    for (node, gpu), several in by_gpu.items():
        if len(several) > 1:
            yield Entry(f"{gpu} on {node}", (Group("the only GPU of", tuple(names.rank(n) for n in several)),))


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
    found: dict[tuple[str, str], list[str]] = {}
    for number, report in enumerate(names.reports):
        address = report.env.get("MASTER_ADDR", "")
        elsewhere = report.node.boot is not None and report.node.boot not in firsts
        if elsewhere and "RANK" in report.env and _is_loopback(address):
            found.setdefault(("MASTER_ADDR", address), []).append(names.nodes[number])
    yield from events(found)


def _unresolved(names: Names, text: str, answer: tuple[str, ...] | None) -> Iterator[Entry]:
    """Yield MASTER_ADDR of the nodes whose look-up had this `answer`."""
    found: dict[tuple[str, str], list[str]] = {}
    for number, report in enumerate(names.reports):
        address = report.env.get("MASTER_ADDR", "")
        if address and dict(report.node.names).get(address, ("",)) == answer:
            found.setdefault((f"MASTER_ADDR={address}", text), []).append(names.nodes[number])
    yield from events(found)


def _own_names(names: Names) -> Iterator[Entry]:
    """Yield host names without an address that other machines can reach, if there are other machines."""
    if _machines(names) < 2:
        return
    found: dict[tuple[str, str], list[str]] = {}
    for number, report in enumerate(names.reports):
        answer = dict(report.node.names).get(report.host, ("",))
        if "GLOO_SOCKET_IFNAME" in report.env:
            continue
        if answer is None:
            found.setdefault(("host name", "no answer in time"), []).append(names.nodes[number])
        elif not answer:
            found.setdefault(("host name", "not found"), []).append(names.nodes[number])
        elif all(address.startswith(_LOOPBACK) for address in answer):
            found.setdefault(("host name", f"resolves to {', '.join(answer)}"), []).append(names.nodes[number])
    yield from events(found)


def _port(names: Names) -> Iterator[Entry]:
    """Yield MASTER_PORT if it is in use on the machine with rank 0, before the launch.

    After the launch it is in use by the run itself, so reports of processes with a rank from torchrun do not count.
    """
    found: dict[tuple[str, str], list[str]] = {}
    for number, report in enumerate(names.reports):
        port = whole(report.env.get("MASTER_PORT"))
        if port in report.node.ports_in_use and "RANK" not in report.env and _is_master(names, number):
            found.setdefault(("MASTER_PORT", str(port)), []).append(names.nodes[number])
    yield from events(found)


def _is_master(names: Names, number: int) -> bool:
    report = names.reports[number]
    address = report.env.get("MASTER_ADDR", "")
    if _short(address) == _short(report.host):
        return True
    resolved = dict(report.node.names)
    own = {a for a in resolved.get(report.host) or () if not a.startswith(_LOOPBACK)}
    return len(names.per_node) == 1 or not own.isdisjoint(resolved.get(address) or ())
