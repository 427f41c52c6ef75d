"""GitLab's code quality report."""

from __future__ import annotations

import hashlib
import json
from typing import Any

from vcompat.evaluation.finding import CERTAIN, Finding
from vcompat.evaluation.outcome import Outcome
from vcompat.report.formats import level, message, place_of, relative

#: GitLab's severities; what is only possible is one lower.
_SEVERITIES = {"error": ("critical", "major"), "warning": ("major", "minor"), "note": ("minor", "info")}


def render(report: Outcome) -> str:
    """The report as code quality issues. GitLab wants a file for each: of one without, that of the settings."""
    issues = [_issue(finding, report) for finding in report.judgement.findings]
    for text in report.judgement.expired:
        issues.append(_entry("expired-suppression", text, "critical", text.partition(":")[0], 1))
    return json.dumps(issues, indent=2)


def _issue(finding: Finding, report: Outcome) -> dict[str, Any]:
    place = place_of(finding, report)
    severity = _SEVERITIES[level(finding)][finding.certainty != CERTAIN]
    text = message(finding)
    return _entry(finding.rule.id, text, severity, relative(place.path) if place else ".", place.line if place else 1)


def _entry(name: str, text: str, severity: str, path: str, line: int) -> dict[str, Any]:
    fingerprint = hashlib.sha256(f"{name} {path} {text.partition(chr(10))[0]}".encode()).hexdigest()
    return {
        "description": text,
        "check_name": name,
        "fingerprint": fingerprint,
        "severity": severity,
        "location": {"path": path, "lines": {"begin": max(line, 1)}},
    }
