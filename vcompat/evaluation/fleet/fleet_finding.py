"""What is found in a fleet: a kind of finding, and the values or events with the nodes that have them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from vcompat.evaluation.fleet_kinds import KINDS, Kind
from vcompat.sources.nodes.reported_node import NodeReport


class Group(NamedTuple):
    """Nodes that have the same value."""

    value: str
    nodes: tuple[str, ...]
    """Names of nodes, or of ranks such as ``node17 rank 3`` if the ranks of a node differ."""


class Entry(NamedTuple):
    """One thing that is compared or wrong, such as a package or a GPU."""

    subject: str
    groups: tuple[Group, ...]
    """Those that deviate first; if `has_rest`, the last group is what most nodes have."""
    has_rest: bool = False

    @property
    def deviating(self) -> tuple[str, ...]:
        """The nodes that something is wrong with; all of them if none is in the majority."""
        return tuple(node for group in self.groups[: -1 if self.has_rest else None] for node in group.nodes)


class FleetFinding(NamedTuple):
    """A finding about the fleet."""

    kind: Kind
    entries: tuple[Entry, ...]


def finding(kind: str, entries: Iterable[Entry]) -> list[FleetFinding]:
    """Return the finding of a kind; none without entries."""
    several = tuple(entries)
    return [FleetFinding(KINDS[kind], several)] if several else []


class Names:
    """What nodes and ranks are called."""

    def __init__(self, reports: tuple[NodeReport, ...]) -> None:
        self.reports = reports
        boots: dict[str, dict[str | None, int]] = {}
        for report in reports:
            known = boots.setdefault(report.host, {})
            known.setdefault(report.node.boot, len(known) + 1)
        self.ambiguous = {host: known for host, known in boots.items() if len(known.keys() - {None}) > 1}
        self.nodes = tuple(self._node(report) for report in reports)
        #: Each report, with the name of its node.
        self.named = tuple(zip(self.nodes, reports, strict=True))
        self.per_node: dict[str, list[int]] = {}
        self._positions: list[int] = []
        for number, name in enumerate(self.nodes):
            own = self.per_node.setdefault(name, [])
            own.append(number)
            self._positions.append(len(own))

    def _node(self, report: NodeReport) -> str:
        # The same host name on several machines, which have different boot ids: they are numbered.
        machines = self.ambiguous.get(report.host)
        return f"{report.host}/{machines[report.node.boot]}" if machines else report.host

    def rank(self, number: int) -> str:
        """The name of one process; the node's if it has one process."""
        node = self.nodes[number]
        if len(self.per_node[node]) == 1:
            return node
        rank = rank_of(self.reports[number])
        return f"{node} rank {rank}" if rank is not None else f"{node} process {self._positions[number]}"


def rank_of(report: NodeReport) -> int | None:
    """Return the rank that the launcher gave the process; None if it gave none."""
    return whole(report.env.get("RANK")) if "RANK" in report.env else whole(report.env.get("SLURM_PROCID"))


def whole(text: str | None) -> int | None:
    """Return the number that a variable has; None if it has none."""
    return int(text) if text is not None and text.isascii() and text.isdecimal() and len(text) < 10 else None


def compared(subject: str, values: Mapping[int, str], names: Names) -> list[Entry]:
    """Return the entry of a value that differs between reports; none if it does not.

    `values` has the value of each report that knows it, by the report's number.
    """
    by_value: dict[str, list[int]] = {}
    for number, value in values.items():
        by_value.setdefault(value, []).append(number)
    if len(by_value) < 2:
        return []
    per_node: dict[str, set[str]] = {}
    for value, numbers in by_value.items():
        for number in numbers:
            per_node.setdefault(names.nodes[number], set()).add(value)
    groups = [
        Group(
            value,
            tuple(
                dict.fromkeys(names.nodes[n] if len(per_node[names.nodes[n]]) == 1 else names.rank(n) for n in numbers)
            ),
        )
        for value, numbers in by_value.items()
    ]
    groups.sort(key=lambda group: (len(group.nodes), group.nodes))
    majority = len(groups[-1].nodes) > len(groups[-2].nodes)
    return [Entry(subject, tuple(groups), majority)]


def events(seen: Iterable[tuple[str, str, str]]) -> list[Entry]:
    """Return entries for events, of which `seen` has the subject, the value and the node."""
    by_subject: dict[str, dict[str, dict[str, None]]] = {}
    for subject, value, node in seen:
        by_subject.setdefault(subject, {}).setdefault(value, {})[node] = None
    return [
        Entry(subject, tuple(Group(value, tuple(nodes)) for value, nodes in values.items()))
        for subject, values in by_subject.items()
    ]
