"""Findings as JSON, for programs."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from vcompat.facts import Facts, to_json
from vcompat.finding import Finding
from vcompat.report.fixes import instruction
from vcompat.rule import Fix


def render(findings: Iterable[Finding], facts: Facts, rules: int, version: str) -> str:
    """The report of a check. `rules` is how many were held against the facts, `version` is vcompat's own."""
    report = {
        "vcompat": version,
        "rules": rules,
        "findings": [_finding(finding) for finding in findings],
        "facts": {name: to_json(known.value) for name, known in sorted(facts.known.items())},
    }
    return json.dumps(report, indent=2, ensure_ascii=False)


def _finding(finding: Finding) -> dict[str, Any]:
    rule = finding.rule
    return {
        "rule": rule.id,
        "certainty": finding.certainty,
        "severity": rule.severity,
        "effect": rule.effect,
        "component": rule.component,
        "title": rule.title,
        "because": [reason._asdict() for reason in finding.because],
        "needs": [need._asdict() for need in finding.needs],
        "settled_by": finding.settled_by or None,
        "fixes": fixes(finding.fixes),
        "references": list(rule.references),
    }


def fixes(served: Iterable[Fix]) -> list[dict[str, Any]]:
    """Fixes, each with its own keys and the line that a person would copy."""
    return [{"kind": f.kind, **f.details, "note": f.note, "do": instruction(f)} for f in served]
