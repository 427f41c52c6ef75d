"""The judgement of a fleet as JUnit's XML: each kind of finding is a test case, and so is each rule that applies."""

from __future__ import annotations

from xml.etree import ElementTree as Tree

from vcompat.evaluation.fleet.fleet_finding import FleetFinding
from vcompat.evaluation.fleet.judge_fleet import FleetOutcome
from vcompat.evaluation.fleet_kinds import KINDS
from vcompat.report.checks.junit import added_case, plain, written
from vcompat.report.fleets.fleet_wording import shown_groups, where
from vcompat.rules.instruction import instruction
from vcompat.rules.rule import SEVERITIES


def render(outcome: FleetOutcome) -> str:
    """The judgement as JUnit's XML. What reaches the threshold is a failure."""
    root = Tree.Element("testsuites", name="vcompat fleet")
    _kinds(Tree.SubElement(root, "testsuite", name="vcompat.fleet"), outcome)
    _rules(Tree.SubElement(root, "testsuite", name="vcompat.rules"), outcome)
    for text in outcome.expired:
        _case(root[1], plain(text), [plain(text)], "expired", True)
    return written(root)


def _kinds(suite: Tree.Element, outcome: FleetOutcome) -> None:
    findings = {one.kind.id: one for one in outcome.findings}
    suppressed = {one.kind.id: reason for one, reason in outcome.suppressed}
    for kind in KINDS.values():
        if kind.id in findings:
            lines = [f"{kind.title}: {_text(findings[kind.id])}", f"{kind.summary}\nFix: {kind.fix}"]
            _case(suite, kind.id, lines, kind.severity, _fails(outcome, kind.severity))
        elif kind.id in suppressed:
            Tree.SubElement(_case(suite, kind.id, [], "", False), "skipped", message=plain(suppressed[kind.id]))
        else:
            _case(suite, kind.id, [], "", False)


def _rules(suite: Tree.Element, outcome: FleetOutcome) -> None:
    for on_nodes in outcome.rules:
        finding = on_nodes.finding
        if not finding.fixed_by:
            lines = [f"{finding.title} (on {where(on_nodes)})", finding.summary, *map(instruction, finding.fixes)]
            failing = finding.reaches(outcome.threshold, outcome.strict)
            _case(suite, finding.rule.id, lines, finding.rule.severity, failing)


def _case(suite: Tree.Element, name: str, lines: list[str], kind: str, failing: bool) -> Tree.Element:
    """Add a case; with `lines`, it has failed or prints them."""
    case = added_case(suite, name)
    if lines and failing:
        Tree.SubElement(case, "failure", message=plain(lines[0]), type=kind).text = plain("\n".join(lines))
    elif lines:
        Tree.SubElement(case, "system-out").text = plain("\n".join(lines))
    return case


def _fails(outcome: FleetOutcome, severity: str) -> bool:
    return outcome.threshold != "never" and SEVERITIES.index(severity) <= SEVERITIES.index(outcome.threshold)


def _text(one: FleetFinding) -> str:
    return "; ".join(f"{entry.subject}: {'; '.join(shown_groups(entry))}" for entry in one.entries[:200])
