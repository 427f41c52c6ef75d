"""The outcome of a check as JSON, for programs."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from vcompat.evaluation.finding import Finding
from vcompat.evaluation.outcome import Outcome
from vcompat.facts.facts import Facts, Place
from vcompat.facts.memory.budget import Budget
from vcompat.facts.value import to_json
from vcompat.report.parts import compiled_kernels
from vcompat.report.parts.formats import relative
from vcompat.rules.instruction import instruction
from vcompat.rules.rule import Fix


def render(outcome: Outcome) -> str:
    """The outcome, as ``report.schema.json`` beside this file describes it."""
    judgement, facts = outcome.judgement, outcome.facts
    table = {
        "vcompat": outcome.version,
        "rules": len(outcome.rules),
        "fails": outcome.fails,
        "findings": [finding_table(finding) for finding in judgement.findings],
        "suppressed": [{**finding_table(one.finding), "reason": one.reason} for one in judgement.suppressed],
        "expired_suppressions": list(judgement.expired),
        "unused_suppressions": list(judgement.unused),
        "not_judged": dict(outcome.not_judged),
        "memory": _memory(outcome.budget),
        "compiled": compiled_kernels.table(outcome.compiled),
        "runs": [{"place": name, "command": command} for name, command in outcome.runs],
        "missing": [{"path": path, "named_in": place} for path, place in outcome.missing],
        "not_followed": list(outcome.given_up),
        "newer_than_records": list(outcome.newer),
        "stated_by": [relative(path) for path in outcome.stated_by],
        "files": [relative(path) for path in outcome.files],
        "facts": {name: to_json(known.value) for name, known in sorted(facts.known.items())},
        "sources": {name: known.source for name, known in sorted(facts.known.items())},
        "likely": likely_facts(facts),
        "unknown": dict(sorted(facts.all_unknown())),
    }
    return json.dumps(table, indent=2)


def finding_table(finding: Finding) -> dict[str, Any]:
    """A finding as ``$defs.finding`` of the schema describes it."""
    rule = finding.rule
    return {
        "rule": rule.id,
        "certainty": finding.certainty,
        "severity": rule.severity,
        "effect": rule.effect,
        "component": rule.component,
        "title": finding.failure,
        "runs": list(finding.runs),
        "place": _place(finding.place),
        "because": [{**reason._asdict(), "place": _place(reason.place)} for reason in finding.because],
        "presumes": list(map(str, finding.presumes)),
        "needs": [{**need._asdict(), "place": _place(need.place)} for need in finding.needs],
        "fixed_by": finding.fixed_by or None,
        "fixes": fixes(finding.fixes),
        "references": list(rule.references),
    }


def likely_facts(facts: Facts) -> dict[str, Any]:
    """The likely facts, each with its value, its source and what it presumes."""
    return {
        name: {"value": to_json(likely.value), "source": likely.source, "presumes": list(map(str, likely.presumes))}
        for name, likely in sorted(facts.all_likely())
    }


def _place(place: Place | None) -> dict[str, Any] | None:
    return place and {"path": relative(place.path), "line": place.line, "column": place.column}


def _memory(budget: Budget | None) -> dict[str, Any] | None:
    """MiB of one GPU; null for what cannot be estimated."""
    return budget and {**budget._asdict(), "left": budget.left, "missing": list(budget.missing)}


def fixes(served: Iterable[Fix]) -> list[dict[str, Any]]:
    """Fixes, each with its own keys and the line that a person would copy."""
    return [{"kind": f.kind, **f.details, "note": f.note, "do": instruction(f)} for f in served]
