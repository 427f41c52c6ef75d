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
    judgement = outcome.judgement
    verdict = "fails" if outcome.fails else "passes"
    lines = [f"## vcompat {verdict}: {total(outcome)}", "", escaped(checked(outcome)), ""]
    lines += [f"The run: {escaped(intention(outcome))}", ""] if intention(outcome) else []
    for text in outcome.given_up:
        lines += [f"Not followed: {escaped(text)}", ""]
    for line in outcome.newer:
        lines += [f"Note: {escaped(line)}", ""]
    for line in patching_lines(outcome.facts):
        lines += [f"Patches: {escaped(line)}", ""]
    shown = [*outcome.certain, *outcome.likely, *outcome.fixed, *(outcome.possible if outcome.everything else ())]
    if shown:
        lines += ["| | failure | effect | where |", "| --- | --- | --- | --- |"]
        lines += [*(_row(finding) for finding in shown), ""]
    for finding in shown:
        if not finding.fixed_by:
            lines += _details(finding)
    open_groups = [] if outcome.everything else groups(outcome)
    lines += [f"- {MARKS['possible']} {escaped(depends(group))}" for group in open_groups]
    lines += [f"- {escaped(compiled_kernels.summary(outcome.compiled))}"] if outcome.compiled else []
    lines += [f"- memory: {escaped(summary(outcome.budget))}"] if outcome.budget else []
    lines += [f"- **{cell(text)}**" for text in judgement.expired]
    lines += [f"- {cell(text)}" for text in judgement.unused]
    lines += [f"- suppressed: {cell(one.finding.failure)}: {cell(one.reason)}" for one in judgement.suppressed]
    command = next_command(outcome)
    lines += ["", f"Next: `{code(command)}`"] if command else []
    return "\n".join(lines).rstrip() + "\n"


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
