"""The judgement of a fleet as JSON, for programs."""

from __future__ import annotations

import json
from typing import Any

from vcompat.evaluation.fleet.fleet_finding import FleetFinding
from vcompat.evaluation.fleet.judge_fleet import FleetOutcome, RuleFinding
from vcompat.report.checks.json import fixes


def render(outcome: FleetOutcome) -> str:
    """The judgement, as ``fleet.schema.json`` beside this file describes it."""
    table = {
        "vcompat": outcome.version,
        "fails": outcome.fails,
        "nodes": list(outcome.nodes),
        "processes": outcome.processes,
        "repeated": outcome.repeated,
        "exercise": outcome.exercise or None,
        "findings": [_finding(one) for one in outcome.findings],
        "rules": [_rule(one) for one in outcome.rules],
        "suppressed": [*(f"{one.kind.id}: {reason}" for one, reason in outcome.suppressed), *outcome.rules_suppressed],
        "expired": list(outcome.expired),
        "unused": list(outcome.unused),
        "kinds": [list(nodes) for _, nodes in outcome.kinds],
    }
    return json.dumps(table, indent=2)


def _finding(finding: FleetFinding) -> dict[str, Any]:
    return {
        **finding.kind._asdict(),
        "entries": [
            {
                "subject": entry.subject,
                "groups": [{"value": group.value, "nodes": list(group.nodes)} for group in entry.groups],
                "last_is_majority": entry.has_rest,
            }
            for entry in finding.entries
        ],
    }


def _rule(on_nodes: RuleFinding) -> dict[str, Any]:
    finding = on_nodes.finding
    return {
        "rule": finding.rule.id,
        "certainty": finding.certainty,
        "severity": finding.rule.severity,
        "title": finding.failure,
        "nodes": list(on_nodes.nodes),
        "because": [{"fact": reason.fact, "value": reason.value} for reason in finding.because],
        "needs": [need.text for need in finding.needs],
        "fixed_by": finding.fixed_by or None,
        "fixes": fixes(finding.fixes),
    }
