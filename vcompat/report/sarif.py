"""SARIF 2.1.0, for code scanning."""

from __future__ import annotations

import hashlib
import json
from typing import Any

from vcompat.evaluation.finding import Finding
from vcompat.evaluation.outcome import Outcome
from vcompat.report.formats import level, message, place_of, relative
from vcompat.report.text import EFFECTS
from vcompat.rules.instruction import instruction
from vcompat.rules.rule import Rule

_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"


def render(report: Outcome) -> str:
    """The report as a SARIF log with one run. Suppressed findings are in it, as such."""
    judgement = report.judgement
    struck = [*judgement.findings, *(quiet.finding for quiet in judgement.quiet)]
    rules = list({finding.rule.id: finding.rule for finding in struck}.values())
    index = {rule.id: number for number, rule in enumerate(rules)}
    results = [_result(finding, index, report) for finding in judgement.findings]
    for quiet in judgement.quiet:
        suppression = {"kind": "external", "justification": quiet.reason}
        results.append({**_result(quiet.finding, index, report), "suppressions": [suppression]})
    run = {
        "tool": {
            "driver": {
                "name": "vcompat",
                "semanticVersion": report.version,
                "rules": [_rule(rule) for rule in rules],
            }
        },
        "invocations": [
            {
                "executionSuccessful": True,
                "toolConfigurationNotifications": [
                    {"level": "error", "message": {"text": text}} for text in judgement.expired
                ],
            }
        ],
        "columnKind": "unicodeCodePoints",
        "results": results,
    }
    return json.dumps({"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}, indent=2)


def _rule(rule: Rule) -> dict[str, Any]:
    remedies = "\n".join(f"- `{instruction(fix)}`" for fix in rule.fixes)
    described: dict[str, Any] = {
        "id": rule.id,
        "shortDescription": {"text": rule.title},
        "fullDescription": {"text": rule.summary},
        "help": {
            "text": f"{rule.summary}\n\n" + "\n".join(instruction(fix) for fix in rule.fixes),
            "markdown": f"{rule.summary}\n\n{remedies}",
        },
        "defaultConfiguration": {"level": rule.severity},
        "properties": {"tags": [rule.component, rule.effect], "effect": EFFECTS[rule.effect]},
    }
    if rule.references:
        described["helpUri"] = rule.references[0]
    return described


def _result(finding: Finding, index: dict[str, int], report: Outcome) -> dict[str, Any]:
    place = place_of(finding, report)
    file = relative(place.path) if place else ""
    identity = f"{finding.rule.id} {finding.certainty} {file}"
    result: dict[str, Any] = {
        "ruleId": finding.rule.id,
        "ruleIndex": index[finding.rule.id],
        "level": level(finding),
        "message": {"text": message(finding)},
        "partialFingerprints": {"vcompat/v1": hashlib.sha256(identity.encode()).hexdigest()},
        "properties": {"certainty": finding.certainty},
    }
    if place is not None:
        region = {"startLine": max(place.line, 1)}
        if place.column:
            region["startColumn"] = place.column
        location = {"artifactLocation": {"uri": _uri(file)}, "region": region}
        result["locations"] = [{"physicalLocation": location}]
    return result


def _uri(path: str) -> str:
    from urllib.parse import quote

    return quote(path)
