"""JUnit's XML: every rule a test case, which fails where the rule strikes at or above the threshold."""

from __future__ import annotations

import re
from xml.etree import ElementTree as Tree

from vcompat.evaluation.finding import Finding
from vcompat.evaluation.outcome import Outcome
from vcompat.report.formats import message, place_of, relative
from vcompat.rules.instruction import instruction
from vcompat.rules.rule import COMPONENTS

#: Characters that XML 1.0 cannot hold.
_UNSPEAKABLE = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def render(report: Outcome) -> str:
    """The report as JUnit's XML, a suite for each component."""
    struck = {finding.rule.id: finding for finding in report.judgement.findings}
    quiet = {quiet.finding.rule.id: quiet for quiet in report.judgement.quiet}
    root = Tree.Element("testsuites", name="vcompat")
    for component in COMPONENTS:
        rules = [rule for rule in report.rules if rule.component == component]
        if rules:
            suite = Tree.SubElement(root, "testsuite", name=f"vcompat.{component}")
            for rule in rules:
                case = Tree.SubElement(suite, "testcase", classname=f"vcompat.{component}", name=rule.id, time="0")
                if rule.id in quiet:
                    Tree.SubElement(case, "skipped", message=_plain(quiet[rule.id].reason))
                elif rule.id in struck:
                    _struck(case, struck[rule.id], report)
    if report.judgement.expired:
        suite = Tree.SubElement(root, "testsuite", name="vcompat.suppressions")
        for text in report.judgement.expired:
            case = Tree.SubElement(suite, "testcase", classname="vcompat.suppressions", name=_plain(text), time="0")
            Tree.SubElement(case, "failure", message=_plain(text), type="expired")
    for suite in root:
        _count(suite)
    Tree.indent(root)
    return '<?xml version="1.0" encoding="utf-8"?>\n' + Tree.tostring(root, encoding="unicode") + "\n"


def _struck(case: Tree.Element, finding: Finding, report: Outcome) -> None:
    place = place_of(finding, report)
    where = f"{relative(place.path)}:{place.line}: " if place else ""
    text = _plain(where + message(finding) + "".join(f"\nFix: {instruction(fix)}" for fix in finding.fixes))
    if place is not None:
        case.set("file", relative(place.path))
        case.set("line", str(place.line))
    if finding.reaches(report.threshold, report.only_certain):
        failure = Tree.SubElement(case, "failure", message=_plain(finding.rule.title), type=finding.rule.severity)
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
    return _UNSPEAKABLE.sub("?", text)
