"""Annotations for GitHub Actions: one line per finding, which the runner shows beside the line of the setting."""

from __future__ import annotations

from vcompat.evaluation.outcome import Outcome
from vcompat.report.parts.formats import level, message, place_of, relative
from vcompat.rules.instruction import instruction

_COMMANDS = {"error": "error", "warning": "warning", "note": "notice"}


def render(outcome: Outcome) -> str:
    """The outcome as workflow commands."""
    lines = []
    for finding in outcome.judgement.findings:
        place = place_of(finding, outcome)
        properties = {"title": f"{finding.title} ({finding.rule.id})"}
        if place is not None:
            properties["file"] = relative(place.path)
            if place.line:
                properties["line"] = str(place.line)
            if place.column:
                properties["col"] = str(place.column)
        text = message(finding) + "".join(f"\nFix: {instruction(fix)}" for fix in finding.fixes)
        values = {name: _data(value).replace(":", "%3A").replace(",", "%2C") for name, value in properties.items()}
        shown = ",".join(f"{name}={value}" for name, value in values.items())
        lines.append(f"::{_COMMANDS[level(finding)]} {shown}::{_data(text)}")
    lines += [f"::error title=expired suppression::{_data(text)}" for text in outcome.judgement.expired]
    lines += [f"::notice title=unused suppression::{_data(text)}" for text in outcome.judgement.unused]
    return "\n".join(lines)


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")
