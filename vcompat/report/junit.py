"""JUnit's XML: every rule is a test case, which fails if the rule has a finding that fails the check."""

from __future__ import annotations

import re
from xml.etree import ElementTree as Tree

from vcompat.evaluation.finding import Finding
from vcompat.evaluation.outcome import Outcome
from vcompat.report.formats import message, place_of, relative
from vcompat.rules.instruction import instruction
from vcompat.rules.rule import COMPONENTS

#: Characters that XML 1.0 does not allow.
_NOT_ALLOWED = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def render(outcome: Outcome) -> str:
    """The outcome as JUnit's XML, one suite per component."""
    found = {finding.rule.id: finding for finding in outcome.judgement.findings}
    suppressed = {one.finding.rule.id: one for one in outcome.judgement.suppressed}
    root = Tree.Element("testsuites", name="vcompat")
    for component in COMPONENTS:
        rules = [rule for rule in outcome.rules if rule.component == component]
        if rules:
            suite = Tree.SubElement(root, "testsuite", name=f"vcompat.{component}")
            for rule in rules:
                case = Tree.SubElement(suite, "testcase", classname=f"vcompat.{component}", name=rule.id, time="0")
                if rule.id in suppressed:
                    Tree.SubElement(case, "skipped", message=_plain(suppressed[rule.id].reason))
                elif rule.id in found:
                    _add_finding(case, found[rule.id], outcome)
    if outcome.judgement.expired:
        suite = Tree.SubElement(root, "testsuite", name="vcompat.suppressions")
        for text in outcome.judgement.expired:
            case = Tree.SubElement(suite, "testcase", classname="vcompat.suppressions", name=_plain(text), time="0")
            Tree.SubElement(case, "failure", message=_plain(text), type="expired")
    for suite in root:
        _count(suite)
    Tree.indent(root)
    return '<?xml version="1.0" encoding="utf-8"?>\n' + Tree.tostring(root, encoding="unicode") + "\n"


def _add_finding(case: Tree.Element, finding: Finding, outcome: Outcome) -> None:
    place = place_of(finding, outcome)
    where = f"{relative(place.path)}{f':{place.line}' if place.line else ''}: " if place else ""
    text = _plain(where + message(finding) + "".join(f"\nFix: {instruction(fix)}" for fix in finding.fixes))
    if place is not None:
        case.set("file", relative(place.path))
        if place.line:
            case.set("line", str(place.line))
    if finding.reaches(outcome.threshold, outcome.strict):
        failure = Tree.SubElement(case, "failure", message=_plain(finding.title), type=finding.rule.severity)
        failure.text = text
    else:
        Tree.SubElement(case, "system-out").text = text


def _count(suite: Tree.Element) -> None:
    suite.set("tests", str(len(suite)))
    suite.set("failures", str(sum(case.find("failure") is not None for case in suite)))
    suite.set("errors", "0")
    suite.set("skipped", str(sum(case.find("skipped") is not None for case in suite)))
    suite.set("time", "0")


def _plain(text: str) -> str:
    return _NOT_ALLOWED.sub("?", text)
