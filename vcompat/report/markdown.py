"""The outcome of a check as Markdown, for a job's summary or a comment."""

from __future__ import annotations

from collections.abc import Iterator

from vcompat.evaluation.finding import Finding, Need
from vcompat.evaluation.outcome import Outcome
from vcompat.report import compiled
from vcompat.report.formats import at
from vcompat.report.memory import summary
from vcompat.report.wording import EFFECTS, checked, depends, groups, intention, next_command, total, word_for
from vcompat.rules.instruction import instruction, note
from vcompat.rules.rule import Fix

_MARKS = {"error": "🔴", "warning": "🟡", "note": "🔵", "possible": "⚪", "fixed": "🟢"}


def render(outcome: Outcome) -> str:
    """The outcome as a table of certain findings with details below, then a line for each unknown input."""
    judgement = outcome.judgement
    verdict = "fails" if outcome.fails else "passes"
    lines = [f"## vcompat {verdict}: {total(outcome)}", "", _text(checked(outcome)), ""]
    lines += [f"The run: {_text(intention(outcome.facts))}", ""] if intention(outcome.facts) else []
    shown = [*outcome.certain, *outcome.fixed, *(outcome.possible if outcome.everything else ())]
    if shown:
        lines += ["| | failure | effect | where |", "| --- | --- | --- | --- |"]
        lines += [*(_row(finding) for finding in shown), ""]
    for finding in shown:
        if not finding.fixed_by:
            lines += _details(finding)
    open_groups = [] if outcome.everything else groups(outcome)
    lines += [f"- {_MARKS['possible']} {_text(depends(group))}" for group in open_groups]
    lines += [f"- {_text(compiled.summary(outcome.compiled))}"] if outcome.compiled else []
    lines += [f"- memory: {_text(summary(outcome.budget))}"] if outcome.budget else []
    lines += [f"- **{_cell(text)}**" for text in judgement.expired]
    lines += [f"- {_cell(text)}" for text in judgement.unused]
    lines += [f"- suppressed: {_cell(one.finding.failure)}: {_cell(one.reason)}" for one in judgement.suppressed]
    command = next_command(outcome)
    lines += ["", f"Next: `{_code(command)}`"] if command else []
    return "\n".join(lines).rstrip() + "\n"


def _row(finding: Finding) -> str:
    place = finding.place
    where = f"`{_code(at(place))}`" if place else ""
    title = f"{_cell(finding.title)} (`{finding.rule.id}`)"
    word = word_for(finding)
    return f"| {_MARKS[word]} {word} | {title} | {EFFECTS[finding.rule.effect]} | {where} |"


def _need(need: Need) -> str:
    if not need.fact:
        return _text(need.reason)
    return f"`{_code(need.fact)}`" + (f" ({_text(need.reason)})" if need.reason else "")


def _details(finding: Finding) -> Iterator[str]:
    rule = finding.rule
    yield f"<details><summary>{_text(finding.title)}</summary>"
    yield ""
    yield _text(finding.summary)
    yield ""
    for reason in finding.because:
        yield f"- because `{_code(reason.fact)} = {_code(reason.value)}` ({_text(reason.source)})"
    for need in finding.needs:
        yield f"- depends on {_need(need)}"
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
    return f"- fix: {shown}" + (f" ({_text(note(fix))})" if note(fix) else "")


def _text(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace("*", "\\*").replace("`", "\\`")


def _cell(text: str) -> str:
    return _text(" ".join(text.split())).replace("|", "\\|")


def _code(text: str) -> str:
    return " ".join(text.replace("`", "'").replace("|", "\\|").split())
