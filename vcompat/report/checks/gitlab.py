"""GitLab's code quality report."""

from __future__ import annotations

import hashlib
import json
from typing import Any

from vcompat.evaluation.finding import Finding
from vcompat.evaluation.outcome import Outcome
from vcompat.report.parts.formats import level, message, place_of, relative

#: GitLab's severities.
_SEVERITIES = {"error": "critical", "warning": "major", "note": "info"}


def render(outcome: Outcome) -> str:
    """The outcome as code quality issues. GitLab requires a path: without a file it is the repository itself."""
    issues = [_issue(finding, outcome) for finding in outcome.judgement.findings]
    for text in outcome.judgement.expired:
        issues.append(_entry("expired-suppression", text, "critical", text.partition(":")[0], 1))
    return json.dumps(issues, indent=2)


def _issue(finding: Finding, outcome: Outcome) -> dict[str, Any]:
    place = place_of(finding, outcome)
    path = relative(place.path) if place else "."
    return _entry(finding.rule.id, message(finding), _SEVERITIES[level(finding)], path, place.line if place else 1)


def _entry(name: str, text: str, severity: str, path: str, line: int) -> dict[str, Any]:
    identity = f"{name} {path} {text.partition(chr(10))[0]}"
    return {
        "description": text,
        "check_name": name,
        "fingerprint": hashlib.sha256(identity.encode(errors="backslashreplace")).hexdigest(),
        "severity": severity,
        "location": {"path": path, "lines": {"begin": max(line, 1)}},
    }
