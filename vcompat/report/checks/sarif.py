"""SARIF 2.1.0, for code scanning."""

from __future__ import annotations

import hashlib
import json
import os
from itertools import filterfalse
from typing import Any

from vcompat.evaluation.finding import Finding
from vcompat.evaluation.outcome import Outcome
from vcompat.foundation.addresses import rule_page
from vcompat.report.parts.formats import level, message, place_of, relative
from vcompat.report.parts.wording import EFFECTS
from vcompat.rules.instruction import instruction
from vcompat.rules.rule import Rule

_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"


def render(outcome: Outcome) -> str:
    """The outcome as a SARIF log with one run. Suppressed findings are in it, marked as such.

    Code scanning refuses a log in which a result has no place, so a possible finding that no file mentions is a
    notification of the run instead of a result.
    """
    judgement = outcome.judgement
    placed = list(filter(_has_place, judgement.findings))
    unplaced = list(filterfalse(_has_place, judgement.findings))
    suppressed = [one for one in judgement.suppressed if _has_place(one.finding)]
    rules = list({f.rule.id: f.rule for f in (*placed, *unplaced, *(one.finding for one in suppressed))}.values())
    index = {rule.id: number for number, rule in enumerate(rules)}
    results = [_result(finding, index, outcome) for finding in placed]
    for one in suppressed:
        suppression = {"kind": "external", "justification": one.reason}
        results.append({**_result(one.finding, index, outcome), "suppressions": [suppression]})
    notifications = [{"level": "error", "message": {"text": text}} for text in judgement.expired]
    invocation = {
        "executionSuccessful": True,
        "toolConfigurationNotifications": notifications,
        "toolExecutionNotifications": [_notification(finding, index) for finding in unplaced],
    }
    driver = {"name": "vcompat", "semanticVersion": outcome.version, "rules": [_rule(rule) for rule in rules]}
    run = {
        "tool": {"driver": driver},
        "invocations": [invocation],
        "columnKind": "unicodeCodePoints",
        "results": results,
    }
    return json.dumps({"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}, indent=2)


def _has_place(finding: Finding) -> bool:
    """Whether a finding can be a result: a certain one that no file mentions gets the place of the run."""
    return finding.is_certain or finding.place is not None


def _notification(finding: Finding, index: dict[str, int]) -> dict[str, Any]:
    return {
        "level": level(finding),
        "message": {"text": message(finding)},
        "associatedRule": {"id": finding.rule.id, "index": index[finding.rule.id]},
    }


def _rule(rule: Rule) -> dict[str, Any]:
    fixes = "\n".join(f"- `{instruction(fix)}`" for fix in rule.fixes)
    described: dict[str, Any] = {
        "id": rule.id,
        "shortDescription": {"text": rule.title},
        "fullDescription": {"text": rule.summary},
        "help": {
            "text": f"{rule.summary}\n\n" + "\n".join(instruction(fix) for fix in rule.fixes),
            "markdown": f"{rule.summary}\n\n{fixes}",
        },
        "helpUri": rule_page(rule.component, rule.id),
        "defaultConfiguration": {"level": rule.severity},
        "properties": {"tags": [rule.component, rule.effect], "effect": EFFECTS[rule.effect]},
    }
    return described


def _result(finding: Finding, index: dict[str, int], outcome: Outcome) -> dict[str, Any]:
    place = place_of(finding, outcome)
    file = relative(place.path) if place else ""
    identity = f"{finding.name} {finding.certainty} {file}"
    result: dict[str, Any] = {
        "ruleId": finding.rule.id,
        "ruleIndex": index[finding.rule.id],
        "level": level(finding),
        "message": {"text": message(finding)},
        "partialFingerprints": {"vcompat/v1": hashlib.sha256(identity.encode(errors="backslashreplace")).hexdigest()},
        "properties": {
            "certainty": finding.certainty,
            **({"presumes": list(map(str, finding.presumes))} if finding.presumes else {}),
        },
    }
    if place is not None:
        location: dict[str, Any] = {"artifactLocation": {"uri": _uri(file)}}
        if place.line:
            location["region"] = {"startLine": place.line, **({"startColumn": place.column} if place.column else {})}
        result["locations"] = [{"physicalLocation": location}]
    return result


def _uri(path: str) -> str:
    from urllib.parse import quote

    return quote(os.fsencode(path))
