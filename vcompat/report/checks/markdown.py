"""The outcome of a check as Markdown, for a job's summary or a comment."""

from __future__ import annotations

from collections.abc import Iterator

from vcompat.evaluation.finding import Finding
from vcompat.evaluation.outcome import Outcome
from vcompat.report.parts import compiled_kernels
from vcompat.report.parts.formats import at
from vcompat.report.parts.markdown_parts import cell, code, escaped, fix, need, reason
from vcompat.report.parts.memory_budget import summary
from vcompat.report.parts.patching import patching_lines
from vcompat.report.parts.wording import EFFECTS, checked, depends, groups, intention, next_command, total, word_for
from vcompat.rules.rule import SEVERITIES

MARKS = {"error": "🔴", "warning": "🟡", "note": "🔵", "possible": "⚪", "fixed": "🟢"}
MARKS |= {f"likely {severity}": MARKS[severity] for severity in SEVERITIES}


def render(outcome: Outcome) -> str:
    """The outcome as a table of certain findings with details below, then a line for each unknown input."""
    verdict = "fails" if outcome.fails else "passes"
    lines = [f"## vcompat {verdict}: {total(outcome)}", "", escaped(checked(outcome)), ""]
    for label, texts in (
        ("The run", [intention(outcome)]),
        ("Not followed", outcome.given_up),
        ("Note", outcome.newer),
        ("Patches", patching_lines(outcome.facts)),
    ):
        for text in filter(None, texts):
            lines += [f"{label}: {escaped(text)}", ""]
    shown = [*outcome.certain, *outcome.likely, *outcome.fixed, *(outcome.possible if outcome.everything else ())]
    if shown:
        lines += ["| | failure | effect | where |", "| --- | --- | --- | --- |"]
        lines += [*(_row(finding) for finding in shown), ""]
    for finding in shown:
        lines += [] if finding.fixed_by else _details(finding)
    lines += [f"- {note}" for note in _notes(outcome)]
    command = next_command(outcome)
    lines += ["", f"Next: `{code(command)}`"] if command else []
    return "\n".join(lines).rstrip() + "\n"


def _notes(outcome: Outcome) -> Iterator[str]:
    """What is open, what was computed, and what the project's settings leave out."""
    for group in () if outcome.everything else groups(outcome):
        yield f"{MARKS['possible']} {escaped(depends(group))}"
    if outcome.compiled:
        yield escaped(compiled_kernels.summary(outcome.compiled))
    if outcome.budget:
        yield f"memory: {escaped(summary(outcome.budget))}"
    judgement = outcome.judgement
    yield from (f"**{cell(text)}**" for text in judgement.expired)
    yield from map(cell, judgement.unused)
    yield from (f"suppressed: {cell(one.finding.failure)}: {cell(one.reason)}" for one in judgement.suppressed)


def _row(finding: Finding) -> str:
    place = finding.place
    where = f"`{code(at(place))}`" if place else ""
    title = f"{cell(finding.title)} (`{finding.rule.id}`)"
    word = word_for(finding)
    return f"| {MARKS[word]} {word} | {title} | {EFFECTS[finding.rule.effect]} | {where} |"


def _details(finding: Finding) -> Iterator[str]:
    rule = finding.rule
    yield f"<details><summary>{escaped(finding.title)}</summary>"
    yield ""
    yield escaped(finding.summary)
    yield ""
    yield from (reason(each) for each in finding.because)
    yield from (f"- presumes that {escaped(str(each))}" for each in finding.presumes)
    yield from (need(each) for each in finding.needs)
    yield ""
    yield from (fix(each) for each in finding.fixes)
    yield from (f"- see {address}" for address in rule.references)
    yield ""
    yield "</details>"
    yield ""
