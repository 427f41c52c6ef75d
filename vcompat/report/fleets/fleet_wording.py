"""Phrases about fleets that several formats share."""

from __future__ import annotations

from vcompat.evaluation.fleet.fleet_finding import Entry, Group
from vcompat.evaluation.fleet.hostlist import folded
from vcompat.evaluation.fleet.judge_fleet import FleetOutcome, RuleFinding
from vcompat.report.parts.wording import hardware, packages

#: Groups of nodes with different values that are shown of one entry, and characters of a list of nodes and of a value.
_GROUPS, _NODES, _VALUE = 6, 80, 120


def checked(outcome: FleetOutcome) -> str:
    """What was judged, as one sentence."""
    nodes = counted(len(outcome.nodes), "node")
    processes = f" ({counted(outcome.processes, 'process')})" if outcome.processes != len(outcome.nodes) else ""
    facts, members = outcome.kinds[0]
    most = "" if len(members) == len(outcome.nodes) else f"; most frequent, on {len(members)} of them"
    return f"Checked {nodes}{processes}{most}: {packages(facts) or 'no torch, vLLM or TRL'}, on {hardware(facts)}."


def verdict(outcome: FleetOutcome) -> str:
    """The verdict in a few words."""
    return "the fleet is not ready" if outcome.fails else "the fleet passes"


def total(outcome: FleetOutcome) -> str:
    """How many findings there are, by severity."""
    severities = [one.kind.severity for one in outcome.findings]
    severities += [one.finding.rule.severity for one in outcome.certain]
    parts = [counted(severities.count(name), name) for name in ("error", "warning", "note") if name in severities]
    possible = sum(not one.finding.is_certain and not one.finding.fixed_by for one in outcome.rules)
    parts += [f"{counted(possible, 'rule')} that might apply"] if possible else []
    return ", ".join(parts) or "No findings"


def counted(number: int, noun: str) -> str:
    """A number and a noun, in the plural unless it is one."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}{'es' if noun.endswith('s') else 's'}"


def shown_groups(entry: Entry) -> list[str]:
    """The groups of an entry as phrases, such as ``node17, node23: 0.25.1`` and ``the other 62: 0.26.0``."""
    deviating = entry.groups[:-1] if entry.has_rest else entry.groups
    # The largest ones, in the order of the entry.
    kept = sorted(sorted(deviating, key=lambda group: -len(group.nodes))[:_GROUPS], key=deviating.index)
    shown = [_phrase(group, nodes(group.nodes)) for group in kept]
    if len(deviating) > len(kept):
        left = [group for group in deviating if group not in kept]
        shown.append(f"{sum(len(group.nodes) for group in left)} others: {len(left)} further values")
    if entry.has_rest:
        shown.append(_phrase(entry.groups[-1], f"the other {len(entry.groups[-1].nodes)}"))
    return shown


def _phrase(group: Group, who: str) -> str:
    value = group.value if len(group.value) <= _VALUE else group.value[:_VALUE] + "..."
    return f"{who}: {value}" if who else value


def nodes(names: tuple[str, ...]) -> str:
    """Names of nodes as a list that fits into a line or two: plain if there are few, else with ranges."""
    text = ", ".join(names) if len(names) <= 4 else folded(names)
    if len(text) <= _NODES:
        return text
    cut = text[:_NODES].rpartition(",")[0] or text[:_NODES]
    # A bracket that is cut open would read as a whole range.
    opened = "]" if cut.count("[") > cut.count("]") else ""
    return f"{cut}{opened}, ... ({len(names)} nodes)"


def where(one: RuleFinding) -> str:
    """The nodes of a rule's finding in words."""
    return "all nodes" if one.everywhere else nodes(one.nodes)
