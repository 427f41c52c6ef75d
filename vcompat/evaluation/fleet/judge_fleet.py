"""Judges a fleet: what differs, what is wrong, and the findings of the rules for each kind of node."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from vcompat.evaluation.checking import assess, today
from vcompat.evaluation.config import Config
from vcompat.evaluation.finding import Finding, by_order
from vcompat.evaluation.fleet.differences import differences
from vcompat.evaluation.fleet.fleet_finding import Entry, FleetFinding, Group, Names, finding
from vcompat.evaluation.fleet.health import health
from vcompat.evaluation.fleet.launch_variables import launch
from vcompat.evaluation.fleet.suppressed import without_suppressed
from vcompat.evaluation.fleet_kinds import Kind
from vcompat.facts.facts import Facts
from vcompat.foundation.version import __version__
from vcompat.rules.rule import SEVERITIES, Rule
from vcompat.sources.gather import Sources
from vcompat.sources.nodes.collect import Collected
from vcompat.sources.nodes.reported_node import OWN, NodeReport

#: The most kinds of nodes for which rules are evaluated. Nodes of one run are of one kind, or of a few.
KINDS_LIMIT = 32
#: Variables of one process, by how their names begin. Their values would make each process a kind of its own, so only
#: whether they are set counts.
_OF_A_PROCESS = tuple(
    "SLURM RANK LOCAL_RANK NODE_RANK GROUP_RANK TORCHELASTIC MASTER CUDA_VISIBLE_DEVICES NVIDIA_VISIBLE_DEVICES "
    "VLLM_HOST_IP VLLM_PORT NCCL_HOSTID".split()
)
#: Those of which only whether they are set decides anything.
_RANKS = frozenset({"env.RANK", "env.LOCAL_RANK", "env.NODE_RANK", "env.GROUP_RANK"})


class RuleFinding(NamedTuple):
    """A finding of a rule, and the nodes that it is about."""

    finding: Finding
    nodes: tuple[str, ...]
    everywhere: bool


class FleetOutcome(NamedTuple):
    """The judgement of a fleet."""

    nodes: tuple[str, ...]
    """The names of all nodes."""
    processes: int
    findings: tuple[FleetFinding, ...]
    rules: tuple[RuleFinding, ...]
    """The certain findings first."""
    rules_fail: bool
    kinds: tuple[tuple[Facts, tuple[str, ...]], ...]
    """The kinds of nodes, the most frequent first, each with facts and nodes."""
    repeated: int
    exercise: str = ""
    """What the ranks exchanged, as a sentence; empty without an exercise."""
    suppressed: tuple[tuple[FleetFinding, str], ...] = ()
    """Findings about the fleet that the project suppresses, each with the reason."""
    rules_suppressed: tuple[str, ...] = ()
    """One sentence for each suppressed finding of a rule."""
    expired: tuple[str, ...] = ()
    unused: tuple[str, ...] = ()
    """One sentence for each suppression whose day has passed, or that suppresses nothing."""
    threshold: str = "error"
    strict: bool = False
    version: str = __version__
    width: int = 100

    @property
    def certain(self) -> tuple[RuleFinding, ...]:
        """Findings of rules that apply for certain and that no patch fixes."""
        return tuple(one for one in self.rules if one.finding.is_certain and not one.finding.fixed_by)

    @property
    def fails(self) -> bool:
        """Whether the exit code is 1."""
        if self.threshold == "never":
            return False
        limit = SEVERITIES.index(self.threshold)
        return self.rules_fail or any(SEVERITIES.index(one.kind.severity) <= limit for one in self.findings)


class _Rules(NamedTuple):
    """The findings of rules, and what the project suppresses of them, in sentences."""

    findings: tuple[RuleFinding, ...]
    fail: bool
    suppressed: tuple[str, ...]
    expired: tuple[str, ...]
    unused: tuple[str, ...]


class Asked(NamedTuple):
    """What the user wants to know about a fleet."""

    files: Sequence[str] = ()
    """Run files."""
    settings: tuple[tuple[str, str], ...] = ()
    """The facts of ``--set``."""
    expected: int | None = None
    """The number of nodes; None if the user does not say."""
    now: float | None = None
    """The time here after all reports were written; None if their clocks are not to be compared with this one."""
    silent: tuple[int, ...] = ()
    """Ranks that did not report in time."""
    more: tuple[FleetFinding, ...] = ()
    """Findings of whoever gathered the reports."""
    exercise: str = ""
    """What the ranks exchanged, as a sentence; empty without an exercise."""


def judge(collected: Collected, asked: Asked, config: Config, rules: tuple[Rule, ...]) -> FleetOutcome:
    """Judge the reports of a fleet. Raises InputError for run files that cannot be used."""
    names = Names(collected.reports)
    groups = _kinds(names)
    judged = _rules(groups[:KINDS_LIMIT], names, asked, config, rules)
    findings = [
        *finding("reports-rejected", [Entry(one.where, (Group(one.reason, ()),)) for one in collected.rejected]),
        *launch(names, asked.expected, asked.silent),
        *differences(names),
        *health(names, asked.now),
        *asked.more,
        *_not_evaluated(groups[KINDS_LIMIT:], names),
    ]
    counted = without_suppressed(_merged(findings), config.suppressions, today())
    return FleetOutcome(
        nodes=tuple(names.per_node),
        processes=len(collected.reports),
        findings=counted.findings,
        rules=judged.findings,
        rules_fail=judged.fail,
        kinds=tuple((_facts(numbers, names), _nodes(numbers, names)) for numbers in groups[:KINDS_LIMIT]),
        repeated=collected.repeated,
        exercise=asked.exercise,
        suppressed=counted.suppressed,
        rules_suppressed=judged.suppressed,
        expired=judged.expired,
        unused=(*judged.unused, *counted.unused),
        threshold=config.fail_on or "error",
        strict=config.strict,
    )


def _merged(findings: list[FleetFinding]) -> tuple[FleetFinding, ...]:
    """Return one finding of each kind, the worst first."""
    entries: dict[Kind, list[Entry]] = {}
    for each in findings:
        entries.setdefault(each.kind, []).extend(each.entries)
    merged = (FleetFinding(kind, tuple(several)) for kind, several in entries.items())
    return tuple(sorted(merged, key=lambda one: SEVERITIES.index(one.kind.severity)))


def _kinds(names: Names) -> list[list[int]]:
    """Return the numbers of the reports of each kind of node, the most frequent kind first."""
    kinds: dict[tuple[object, ...], list[int]] = {}
    for number, report in enumerate(names.reports):
        variables = frozenset(
            (name, value if _counts(name) else ...) for name, value in report.own.items() if name not in OWN
        )
        kinds.setdefault((id(report.facts), variables), []).append(number)
    return sorted(kinds.values(), key=len, reverse=True)


def _counts(name: str) -> bool:
    return name not in OWN and not name.removeprefix("env.").startswith(_OF_A_PROCESS)


def _is_shared(name: str, numbers: list[int], names: Names) -> bool:
    """Return whether what a report of its own states holds for all reports of a kind."""
    if _counts(name) or name in _RANKS:
        return True
    return len({names.reports[number].own.get(name) for number in numbers}) == 1


def _facts(numbers: list[int], names: Names) -> Facts:
    """Return the facts of a kind of node. What differs between its processes is unknown."""
    report: NodeReport = names.reports[numbers[0]]
    facts = report.facts.copy()
    for name, known in facts.all_known():
        facts.set(name, known.value, known.source.replace("this machine", names.nodes[numbers[0]]), known.place)
    for name, value in report.own.items():
        if _is_shared(name, numbers, names):
            facts.set(name, value, "environment of the process" if name.startswith("env.") else "report of the node")
        else:
            facts.forget(name, "differs between nodes or processes")
    return facts


def _nodes(numbers: list[int], names: Names) -> tuple[str, ...]:
    return tuple(dict.fromkeys(names.nodes[number] for number in numbers))


def _rules(groups: list[list[int]], names: Names, asked: Asked, config: Config, rules: tuple[Rule, ...]) -> _Rules:
    """Evaluate the rules once for each kind of node."""
    sources = Sources(files=asked.files, settings=dict(asked.settings), probe=False)
    by_name: dict[tuple[str, str], tuple[Finding, dict[str, None]]] = {}
    judgements = []
    for numbers in groups:
        judgement = assess(sources, config, rules, _facts(numbers, names)).judgement
        judgements.append(judgement)
        for each in judgement.findings:
            by_name.setdefault((each.name, each.certainty), (each, {}))[1].update(dict.fromkeys(_nodes(numbers, names)))
    judged = [RuleFinding(each, tuple(nodes), len(nodes) == len(names.per_node)) for each, nodes in by_name.values()]
    suppressed = [one for judgement in judgements for one in judgement.suppressed]
    # Unused is what suppresses nothing on any kind of node.
    unused = [text for text in judgements[0].unused if all(text in judgement.unused for judgement in judgements)]
    return _Rules(
        findings=tuple(sorted(judged, key=lambda one: by_order(one.finding))),
        fail=any(judgement.fails(config.fail_on or "error", config.strict) for judgement in judgements),
        suppressed=tuple(
            dict.fromkeys(f"{one.finding.failure} ({one.finding.rule.id}): {one.reason}" for one in suppressed)
        ),
        expired=judgements[0].expired,
        unused=tuple(unused),
    )


def _not_evaluated(groups: list[list[int]], names: Names) -> list[FleetFinding]:
    nodes = [node for numbers in groups for node in _nodes(numbers, names)]
    group = Group(f"{len(groups)} further kinds", tuple(dict.fromkeys(nodes)))
    return finding("not-evaluated", [Entry("nodes", (group,))] if groups else [])
