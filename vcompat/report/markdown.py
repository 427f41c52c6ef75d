"""Markdown, for a job's summary or a comment."""

from __future__ import annotations

from collections.abc import Iterator

from vcompat.evaluation.finding import CERTAIN, Finding
from vcompat.evaluation.outcome import Outcome
from vcompat.report.formats import relative
from vcompat.report.text import EFFECTS, checked, intention, total
from vcompat.rules.instruction import instruction
from vcompat.rules.rule import Fix

_MARKS = {"error": "🔴", "warning": "🟡", "note": "🔵"}


def render(report: Outcome) -> str:
    """The report as a table, and what to do about each finding below it."""
    judgement = report.judgement
    verdict = "fails" if report.fails else "passes"
    lines = [f"## vcompat {verdict}: {total(judgement.findings, len(report.rules))}", "", checked(report.facts), ""]
    lines += [_text(intention(report.facts)), ""] if intention(report.facts) else []
    if judgement.findings:
        lines += ["| | failure | effect | where |", "| --- | --- | --- | --- |"]
        lines += [_row(finding) for finding in judgement.findings]
        lines.append("")
    for finding in judgement.findings:
        if not finding.settled_by:
            lines += _details(finding)
    lines += [f"- **{_cell(text)}**" for text in judgement.expired]
    lines += [f"- {_cell(text)}" for text in judgement.idle]
    lines += [f"- {q.finding.rule.title}: {_cell(q.reason)}" for q in judgement.quiet]
    return "\n".join(lines).rstrip() + "\n"


def _row(finding: Finding) -> str:
    place = finding.place
    where = f"`{relative(place.path)}:{place.line}`" if place else ""
    mark = "🟢" if finding.settled_by else _MARKS[finding.rule.severity]
    word = "settled" if finding.settled_by else finding.rule.severity if finding.certainty == CERTAIN else "possible"
    title = f"{_cell(finding.rule.title)} (`{finding.rule.id}`)"
    return f"| {mark} {word} | {title} | {EFFECTS[finding.rule.effect]} | {where} |"


def _details(finding: Finding) -> Iterator[str]:
    rule = finding.rule
    yield f"<details><summary>{_text(rule.title)}</summary>"
    yield ""
    yield _text(rule.summary)
    yield ""
    for reason in finding.because:
        yield f"- because `{_code(reason.fact)} = {_code(reason.value)}` ({_text(reason.source)})"
    for need in finding.needs:
        yield f"- depends on `{_code(need.fact)}`" + (f" ({_text(need.reason)})" if need.reason else "")
    yield ""
    for fix in finding.fixes:
        yield _fix(fix)
    for address in rule.references:
        yield f"- see {address}"
    yield ""
    yield "</details>"
    yield ""


def _fix(fix: Fix) -> str:
    text = instruction(fix)
    shown = _text(text) if fix.kind in ("advice", "hardware") else f"`{_code(text)}`"
    return f"- fix: {shown}" + (f" ({_text(fix.note)})" if fix.note else "")


def _text(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace("*", "\\*").replace("`", "\\`")


def _cell(text: str) -> str:
    return _text(" ".join(text.split())).replace("|", "\\|")


def _code(text: str) -> str:
    return " ".join(text.replace("`", "'").split())
