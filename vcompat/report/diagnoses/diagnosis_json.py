"""A diagnosis as JSON, for programs; ``diagnosis.schema.json`` beside this file describes it."""

from __future__ import annotations

import json
import math
from typing import Any

from vcompat.diagnosis.diagnosing import Diagnosis
from vcompat.diagnosis.failures import Failure, follows
from vcompat.diagnosis.leads.lead import Lead
from vcompat.diagnosis.logs.prefixes import Line
from vcompat.diagnosis.metrics.metric_shapes import Judged, Signature
from vcompat.diagnosis.metrics.series import Series
from vcompat.diagnosis.ranking import LogFailure, Match
from vcompat.diagnosis.waiting.own import own_frame
from vcompat.diagnosis.waiting.signs import Seen
from vcompat.diagnosis.waiting.why_waiting import Hang, Member
from vcompat.evaluation.finding import Finding, Reason
from vcompat.evaluation.fitting import fitting
from vcompat.facts.facts import Facts
from vcompat.facts.value import to_json
from vcompat.foundation.version import __version__
from vcompat.report.checks.json import fixes
from vcompat.report.diagnoses import hang as hangs
from vcompat.report.diagnoses.metrics import NEXT
from vcompat.report.parts.formats import relative
from vcompat.rules.rule import Rule

#: The most characters of a line of the log that are copied.
_LONGEST = 2000


def render(diagnosis: Diagnosis) -> str:
    """The diagnosis; of its matches, the likeliest cause is the first."""
    facts = diagnosis.facts
    table = {
        "vcompat": __version__,
        "rules": diagnosis.rules,
        "logs": [relative(path) for path in diagnosis.paths],
        "lines": diagnosis.lines,
        "notes": list(diagnosis.notes),
        "conflicts": list(diagnosis.conflicts),
        "failure": _failure(diagnosis.failure, diagnosis.failure_path),
        "processes": [_process(ended) for ended in diagnosis.ended],
        "hang": _hang(diagnosis.hang),
        "matches": [_match(match) for match in diagnosis.matches],
        "leads": [_lead(lead, diagnosis.failure_path or next(iter(diagnosis.paths), "")) for lead in diagnosis.leads],
        "applying": [_applying(finding) for finding in diagnosis.applying],
        "near": [_near(rule, facts) for rule in diagnosis.near],
        "metrics": [_metrics(judged) for judged in diagnosis.metrics],
        "facts": {name: to_json(known.value) for name, known in sorted(facts.known.items())},
        "sources": {name: known.source for name, known in sorted(facts.known.items())},
        "unknown": dict(sorted(facts.reasons.items())),
    }
    return json.dumps(table, indent=2)


def _failure(failure: Failure | None, path: str) -> dict[str, Any] | None:
    if failure is None:
        return None
    chain = [{"error": one.error[:_LONGEST], **_line(one.line, path)} for one in failure.chain]
    return {"fatal": failure.is_fatal, "chain": chain}


def _process(ended: LogFailure) -> dict[str, Any]:
    line = ended.failure.cause.line
    return {
        "process": line.process or None,
        "path": relative(ended.path),
        "time": line.time or None,
        "follows": follows(ended.failure),
        "failure": _failure(ended.failure, ended.path),
    }


def _hang(hang: Hang | None) -> dict[str, Any] | None:
    if hang is None:
        return None
    return {
        "kind": hang.kind,
        "certainty": hang.certainty,
        "title": hangs.title(hang),
        "because": hangs.because(hang),
        "next": hangs.advice(hang),
        "odd": [_member(member) for member in hang.odd],
        "waiting": [_member(member) for member in hang.waiting],
    }


def _member(member: Member) -> dict[str, Any]:
    own = own_frame(member.frames)
    return {
        "name": member.name,
        "rank": member.rank,
        "does": member.does,
        "collective": member.collective or None,
        "number": member.number,
        "size": member.size or None,
        "error": member.error[:_LONGEST] or None,
        "since": member.since or None,
        "seconds": member.seconds,
        "calls": [frame._asdict() for frame in member.frames],
        "own": own and own._asdict(),
        "evidence": _seen(member.seen),
        "last": _seen(member.last),
    }


def _seen(seen: Seen | None) -> dict[str, Any] | None:
    return _line(seen.line, seen.path) if seen is not None else None


def _match(match: Match) -> dict[str, Any]:
    rule = match.rule
    return {
        "rule": rule.id,
        "certainty": match.certainty,
        "title": rule.title,
        "component": rule.component,
        "effect": rule.effect,
        "severity": rule.severity,
        "evidence": [_line(line, match.seen.path) for line in match.seen.shown.lines],
        "because": [_reason(reason) for reason in match.because],
        "presumes": list(map(str, match.presumes)),
        "needs": [{"fact": need.fact, "reason": need.reason} for need in match.needs],
        "only_if": rule.only_if or None,
        "fixes": fixes(match.fixes),
        "references": list(rule.references),
    }


def _lead(lead: Lead, path: str) -> dict[str, Any]:
    return {
        "kind": lead.kind,
        "title": lead.title,
        "evidence": _line(lead.line, path),
        "details": list(lead.details),
        "changes": [
            {
                **change._asdict(),
                "install": None if change.install is None else list(change.install),
                "others": list(change.others),
            }
            for change in lead.changes
        ],
        "later": lead.later and dict(zip(("package", "release"), lead.later, strict=True)),
        "compare": lead.compare or None,
        "pulls": list(lead.pulls),
    }


def _applying(finding: Finding) -> dict[str, Any]:
    return {
        "rule": finding.rule.id,
        "title": finding.title,
        "effect": finding.rule.effect,
        "severity": finding.rule.severity,
        "because": [_reason(reason) for reason in finding.because],
        "fixes": fixes(finding.fixes),
    }


def _near(rule: Rule, facts: Facts) -> dict[str, Any]:
    return {
        "rule": rule.id,
        "title": rule.title,
        "effect": rule.effect,
        "severity": rule.severity,
        "fixes": fixes(fitting(rule, facts)),
        "references": list(rule.references),
    }


def _metrics(judged: Judged) -> dict[str, Any]:
    return {
        "path": relative(judged.run.path),
        "run": judged.run.name or None,
        "state": judged.state,
        "signatures": [_signature(signature) for signature in judged.signatures],
        "series": [_series(series) for series in judged.run.all_series],
    }


def _signature(signature: Signature) -> dict[str, Any]:
    table = signature._asdict()
    certain = table.pop("is_certain")
    table.update(line=signature.line or None, certainty="certain" if certain else "possible", next=NEXT[signature.id])
    return table


def _series(series: Series) -> dict[str, Any]:
    """A series; what is not finite becomes a text, since JSON has no such numbers."""
    values = [value if math.isfinite(value) else str(value) for value in series.values]
    return {"name": series.name, "unit": series.unit, "steps": list(series.steps), "values": values}


def _line(line: Line, path: str) -> dict[str, Any]:
    text = line.text[:_LONGEST]
    return {"path": relative(path), "line": line.number or None, "process": line.process or None, "text": text}


def _reason(reason: Reason) -> dict[str, Any]:
    place = reason.place
    return {**reason._asdict(), "place": place and {"path": relative(place.path), "line": place.line}}
