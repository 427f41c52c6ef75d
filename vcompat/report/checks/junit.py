"""JUnit's XML: every rule is a test case, which fails if the rule has a finding that fails the check."""

from __future__ import annotations

import re
from xml.etree import ElementTree as Tree

from vcompat.evaluation.finding import Finding
from vcompat.evaluation.outcome import Outcome
from vcompat.report.parts.formats import message, place_of, relative
from vcompat.rules.instruction import instruction
from vcompat.rules.rule import COMPONENTS

#: Characters that XML 1.0 does not allow.
_NOT_ALLOWED = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def render(outcome: Outcome) -> str:
    """The outcome as JUnit's XML, one suite per component."""
    by_rule: dict[str, list[Finding]] = {}
    for finding in outcome.judgement.findings:
        by_rule.setdefault(finding.rule.id, []).append(finding)
    suppressed = {one.finding.rule.id: one for one in outcome.judgement.suppressed}
    root = Tree.Element("testsuites", name="vcompat")
    for component in COMPONENTS:
        rules = [rule for rule in outcome.rules if rule.component == component]
        if rules:
            suite = Tree.SubElement(root, "testsuite", name=f"vcompat.{component}")
            for rule in rules:
                case = added_case(suite, rule.id)
                if rule.id in suppressed:
                    Tree.SubElement(case, "skipped", message=plain(suppressed[rule.id].reason))
                elif rule.id in by_rule:
                    _add_findings(case, by_rule[rule.id], outcome)
    if outcome.judgement.expired:
        suite = Tree.SubElement(root, "testsuite", name="vcompat.suppressions")
        for text in outcome.judgement.expired:
            Tree.SubElement(added_case(suite, plain(text)), "failure", message=plain(text), type="expired")
    return written(root)


def _add_findings(case: Tree.Element, findings: list[Finding], outcome: Outcome) -> None:
    """Add all findings of a rule to its test case. Those that fail the check are its failure."""
    failing = [
        finding for finding in findings if finding.reaches(outcome.threshold, outcome.strict, outcome.fail_on_likely)
    ]
    place = place_of((failing or findings)[0], outcome)
    if place is not None:
        case.set("file", relative(place.path))
        if place.line:
            case.set("line", str(place.line))
    if failing:
        titles = "; ".join(finding.title for finding in failing)
        failure = Tree.SubElement(case, "failure", message=plain(titles), type=failing[0].rule.severity)
        failure.text = "\n\n".join(_text(finding, outcome) for finding in failing)
    others = [_text(finding, outcome) for finding in findings if finding not in failing]
    if others:
        Tree.SubElement(case, "system-out").text = "\n\n".join(others)


def _text(finding: Finding, outcome: Outcome) -> str:
    place = place_of(finding, outcome)
    where = f"{relative(place.path)}{f':{place.line}' if place.line else ''}: " if place else ""
    return plain(where + message(finding) + "".join(f"\nFix: {instruction(fix)}" for fix in finding.fixes))


def added_case(suite: Tree.Element, name: str) -> Tree.Element:
    """Add a test case to a suite."""
    return Tree.SubElement(suite, "testcase", classname=suite.get("name", ""), name=name, time="0")


def written(root: Tree.Element) -> str:
    """Return the suites as XML, with how many cases each has, and how many of them failed or were skipped."""
    for suite in root:
        suite.set("tests", str(len(suite)))
        suite.set("failures", str(len(suite.findall("testcase/failure"))))
        suite.set("errors", "0")
        suite.set("skipped", str(len(suite.findall("testcase/skipped"))))
        suite.set("time", "0")
    Tree.indent(root)
    return '<?xml version="1.0" encoding="utf-8"?>\n' + Tree.tostring(root, encoding="unicode") + "\n"


def plain(text: str) -> str:
    """Return a text without characters that XML does not allow."""
    return _NOT_ALLOWED.sub("?", text)
