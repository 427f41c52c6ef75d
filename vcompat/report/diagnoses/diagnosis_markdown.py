"""A diagnosis as Markdown, to paste into a thread: the likeliest cause first."""

from __future__ import annotations

from collections.abc import Iterator

from vcompat.diagnosis.diagnosing import Diagnosis
from vcompat.diagnosis.leads.lead import Lead
from vcompat.diagnosis.ranking import Match
from vcompat.report.diagnoses import hang as hangs
from vcompat.report.diagnoses.diagnosis_wording import (
    APPLYING,
    LEADS,
    NEAR,
    SEVERAL,
    answers,
    change_note,
    change_text,
    cut,
    first_elsewhere,
    lead_place,
    nothing,
    others,
    read,
    ruled_out,
    where,
    word,
)
from vcompat.report.diagnoses.metrics import explained, name_of, said
from vcompat.report.parts.formats import at
from vcompat.report.parts.markdown_parts import code, escaped, fenced, fix, need, reason
from vcompat.report.parts.wording import EFFECTS

#: Lines of the traceback if nothing known matches.
_LAST = 30


def render(diagnosis: Diagnosis) -> str:
    """The cause with its evidence and fixes, then the other matches in a line each."""
    lines = [*_first(diagnosis), "", escaped(read(diagnosis))]
    lines += [f"- not read: {escaped(note)}" for note in diagnosis.notes]
    lines += [f"- the log counts: {escaped(conflict)}" for conflict in diagnosis.conflicts]
    lines += ["", *_hang(diagnosis), "", *_failure(diagnosis)]
    for match in answers(diagnosis):
        lines += ["", *_cause(match)]
    for lead in diagnosis.leads:
        lines += ["", *_lead(lead, diagnosis)]
    lines += ["", *_metrics(diagnosis), "", *_others(diagnosis), "", *_ruled_out(diagnosis), "", *_near(diagnosis)]
    lines += ["", *_applying(diagnosis)]
    return _without_gaps(lines)


def _first(diagnosis: Diagnosis) -> Iterator[str]:
    """The answer in a line."""
    if diagnosis.hang is not None:
        yield f"## {hangs.word(diagnosis.hang).capitalize()}: {escaped(hangs.title(diagnosis.hang))}"
        return
    for match in answers(diagnosis):
        yield f"## {word(match).capitalize()}: {escaped(match.rule.title)} (`{match.rule.id}`)"
        return
    failing = [(judged, one) for judged in diagnosis.metrics for one in said(judged) if one.signature]
    for judged, one in failing[:1]:
        yield f"## {one.word.capitalize()}: {escaped(one.text)} (`{code(name_of(judged))}`)"
        return
    for lead in diagnosis.leads[:1]:
        yield f"## Lead: {escaped(lead.title)}"
        return
    headline, advice = nothing(diagnosis)
    yield f"## {headline}"
    yield ""
    yield escaped(advice)


def _hang(diagnosis: Diagnosis) -> Iterator[str]:
    """What each rank does in a run that hangs; then the rule that is the answer, in a line."""
    if diagnosis.hang is None:
        return
    yield from (f"- {label}: {escaped(text)}" for label, text in hangs.parts(diagnosis.hang))
    for match in answers(diagnosis):
        yield ""
        yield f"{word(match).capitalize()}: {escaped(match.rule.title)} (`{match.rule.id}`)"


def _failure(diagnosis: Diagnosis) -> Iterator[str]:
    """The failure that was first, if the evidence of the cause does not show it."""
    first = first_elsewhere(diagnosis)
    if first is None:
        return
    line = first.cause.line
    yield f"First failure (`{code(where(line, diagnosis.failure_path))}`):"
    yield ""
    trace = [each.text for each in diagnosis.trace[-_LAST:]]
    yield from fenced(trace if trace and not diagnosis.causes else [cut(first.cause.error)])


def _cause(match: Match) -> Iterator[str]:
    rule = match.rule
    yield f"In the log (`{code(where(match.seen.shown.lines[-1], match.seen.path))}`):"
    yield ""
    yield from fenced(cut(line.text) for line in match.seen.shown.lines)
    yield ""
    yield escaped(rule.summary)
    yield ""
    yield f"- effect: {EFFECTS[rule.effect]}"
    yield from map(reason, match.because)
    yield from map(need, match.needs)
    if rule.only_if:
        yield f"- depends on whether {escaped(rule.only_if)}"
    yield from map(fix, match.fixes)
    if rule.wrong_advice:
        yield f"- not: {escaped(rule.wrong_advice)}"
    yield from (f"- see {address}" for address in rule.references)


def _lead(lead: Lead, diagnosis: Diagnosis) -> Iterator[str]:
    yield LEADS
    yield ""
    yield f"- {escaped(lead.title)}: `{code(lead_place(lead, diagnosis))}`"
    yield from (f"- {escaped(detail)}" for detail in lead.details)
    for number, change in enumerate(lead.changes):
        yield f"- {'or' if number else 'change'}: `{code(change_text(change))}` ({escaped(change_note(change))})"
    if lead.compare:
        yield f"- compare: {lead.compare}"
    yield from (f"- changed in: {address}" for address in lead.pulls)


def _metrics(diagnosis: Diagnosis) -> Iterator[str]:
    """What the metrics show."""
    known = explained(diagnosis)
    for judged in diagnosis.metrics:
        for statement in said(judged):
            advice = "" if statement.signature in known else statement.next
            text = " ".join(filter(None, (statement.text, f"{statement.values}." if statement.values else "", advice)))
            yield f"- metrics of `{code(name_of(judged))}`, {statement.word}: {escaped(text)}"


def _others(diagnosis: Diagnosis) -> Iterator[str]:
    matches = others(diagnosis)
    if matches:
        yield "Or one of these:" if answers(diagnosis) else SEVERAL
        yield ""
    for match in matches:
        label = match.label
        yield f"- {label}{escaped(match.rule.title)} (`{match.rule.id}`, `{code(at(match.seen.place))}`)"


def _ruled_out(diagnosis: Diagnosis) -> Iterator[str]:
    matches = ruled_out(diagnosis)
    if matches:
        yield "Ruled out by facts:"
        yield ""
    for match in matches:
        facts = ", ".join(f"`{code(r.fact)} = {code(r.value)}` ({escaped(r.source)})" for r in match.because)
        yield f"- {escaped(match.rule.title)} (`{match.rule.id}`): {facts}"


def _near(diagnosis: Diagnosis) -> Iterator[str]:
    if diagnosis.near:
        yield NEAR
        yield ""
    yield from (f"- {escaped(rule.title)} (`{rule.id}`)" for rule in diagnosis.near)


def _applying(diagnosis: Diagnosis) -> Iterator[str]:
    if diagnosis.applying:
        yield APPLYING
        yield ""
    for finding in diagnosis.applying:
        facts = ", ".join(f"`{code(r.fact)} = {code(r.value)}` ({escaped(r.source)})" for r in finding.because)
        yield f"- {escaped(finding.title)} (`{finding.rule.id}`): {facts}"


def _without_gaps(lines: list[str]) -> str:
    """The lines with at most one empty one in a row."""
    kept = [line for number, line in enumerate(lines) if line or (number and lines[number - 1])]
    return "\n".join(kept).strip() + "\n"
