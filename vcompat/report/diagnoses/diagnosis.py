"""A diagnosis as text, for a person at a terminal: the likeliest cause first."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence

from click import style

from vcompat.diagnosis.diagnosing import Diagnosis
from vcompat.diagnosis.leads.lead import Lead
from vcompat.diagnosis.ranking import CERTAIN, Match
from vcompat.diagnosis.waiting.why_waiting import Hang
from vcompat.evaluation.finding import Finding
from vcompat.report.checks.text import COLORS, fix_lines
from vcompat.report.diagnoses import hang as hangs
from vcompat.report.diagnoses.diagnosis_wording import (
    APPLYING,
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
from vcompat.report.diagnoses.metrics import explained, name_of, said, size_of
from vcompat.report.parts.formats import at
from vcompat.report.parts.layout import MARGIN, field, printable
from vcompat.report.parts.wording import EFFECTS
from vcompat.rules.rule import Rule

#: How many matches after the first one, and how many files that could not be read, are shown in short.
_SHORT = 4


def render(diagnosis: Diagnosis, width: int, everything: bool = False) -> str:
    """The diagnosis in lines of `width` columns; with `everything`, each match in full."""
    blocks = ("\n".join(lines) for lines in _blocks(diagnosis, width, everything))
    return "\n\n".join(filter(None, blocks))


def _blocks(diagnosis: Diagnosis, width: int, everything: bool) -> Iterator[Iterator[str]]:
    """The lines of each part; a part may have none."""
    yield _head(diagnosis, width)
    if diagnosis.hang:
        yield _hang(diagnosis.hang, width)
    causes = answers(diagnosis)
    matches = [_full(match, width) for match in (diagnosis.causes if everything else causes)]
    if not everything and others(diagnosis):
        matches.append(_others(others(diagnosis), bool(causes), width))
    metrics = [_metrics(diagnosis, width)]
    yield from (*matches, *metrics) if causes else (*metrics, *matches)
    yield _ruled_out(ruled_out(diagnosis), width, everything)
    yield from (_lead(lead, diagnosis, width) for lead in diagnosis.leads)
    if not diagnosis.is_cause_found and not diagnosis.leads:
        yield _nothing(diagnosis, width)
    if diagnosis.near:
        yield _near(diagnosis.near, width)
    if diagnosis.applying:
        yield _applying(diagnosis.applying, width, everything)


def _head(diagnosis: Diagnosis, width: int) -> Iterator[str]:
    """What was read, with which facts, and which failure was first."""
    yield from textwrap.wrap(printable(read(diagnosis)), width, break_long_words=False, break_on_hyphens=False)
    for label, notes in (("not read", diagnosis.notes), ("log counts", diagnosis.conflicts)):
        for note in notes[:_SHORT]:
            yield from field(label, note, width, color="yellow")
        if len(notes) > _SHORT:
            yield f"{'':{MARGIN}}and {len(notes) - _SHORT} more (--format json lists them)"
    first = first_elsewhere(diagnosis)
    if first is not None:
        line = first.cause.line
        yield from field("first", f"{cut(first.cause.error)} ({where(line, diagnosis.failure_path)})", width)


def _headline(label: str, title: str, width: int, is_certain: bool) -> Iterator[str]:
    label += ": "
    first, *more = textwrap.wrap(label + title, width, subsequent_indent="  ", break_on_hyphens=False)
    color = "red" if is_certain else COLORS["possible"]
    yield style(label, fg=color, bold=is_certain) + style(first[len(label) :], bold=True)
    yield from (style(line, bold=True) for line in more)


def _hang(hang: Hang, width: int) -> Iterator[str]:
    """Which rank the other ranks wait for, and why."""
    yield from _headline(hangs.word(hang), printable(hangs.title(hang)), width, hang.certainty == CERTAIN)
    for name, value in hangs.parts(hang):
        yield from field(f"  {name}", value, width)


def _full(match: Match, width: int) -> Iterator[str]:
    rule = match.rule
    yield from _headline(word(match), rule.title, width, match.certainty == CERTAIN)
    for line in match.seen.shown.lines:
        text = f"{cut(line.text)} ({where(line, match.seen.path)})"
        yield from field("  in the log", text, width, margin=MARGIN + 2)
    yield from field("", rule.summary, width, margin=2)
    yield from field("  effect", EFFECTS[rule.effect], width)
    yield from field("  because", ", ".join(f"{r.fact} = {r.value} ({r.source})" for r in match.because), width)
    yield from field("  presumes", "; ".join(map(str, match.presumes)), width)
    needs = [need.text for need in match.needs] + ([f"whether {rule.only_if}"] if rule.only_if else [])
    yield from field("  depends on", ", ".join(needs), width, margin=MARGIN + 2)
    yield from fix_lines(match.fixes, width)
    yield from field("  not" if rule.wrong_advice else "", rule.wrong_advice, width, color="red")
    yield from field("  more", f"vcompat explain {rule.id}", width)


def _others(matches: list[Match], are_further: bool, width: int) -> Iterator[str]:
    """The further matches, a line or two each; all of them if none is the answer."""
    if are_further:
        yield f"or one of {len(matches)} others:" if len(matches) > 1 else "or:"
    else:
        yield from textwrap.wrap(SEVERAL, width, break_on_hyphens=False)
    for match in matches[:_SHORT]:
        label = match.label
        yield from field("", f"{label}{match.rule.title} ({match.rule.id}; {at(match.seen.place)})", width, margin=2)
    if len(matches) > _SHORT:
        yield f"  and {len(matches) - _SHORT} more (--all)"


def _metrics(diagnosis: Diagnosis, width: int) -> Iterator[str]:
    """What the metrics show; what to do about it only if no rule explains it."""
    known = explained(diagnosis)
    told = [(judged, statements) for judged in diagnosis.metrics if (statements := [*said(judged)])]
    for judged, statements in told[:_SHORT]:
        yield from field("metrics", f"{name_of(judged)}, {size_of(judged)}:", width)
        for statement in statements:
            color = {"certain": "red", "possible": COLORS["possible"]}.get(statement.word, "")
            yield from field(f"  {statement.word}", statement.text, width, color=color)
            yield from field("", statement.values, width)
            yield from field("  next", "" if statement.signature in known else statement.next, width)
    if len(told) > _SHORT:
        yield f"{'':{MARGIN}}and {len(told) - _SHORT} more runs (--format json lists them)"


def _ruled_out(matches: list[Match], width: int, everything: bool) -> Iterator[str]:
    """Rules whose text the log shows, and the facts that contradict them."""
    for match in matches if everything else matches[:_SHORT]:
        because = ", ".join(f"{r.fact} = {r.value} ({r.source})" for r in match.because)
        yield from field("ruled out", f"{match.rule.title} ({match.rule.id}): {because}", width)
    if len(matches) > _SHORT and not everything:
        yield f"{'':{MARGIN}}and {len(matches) - _SHORT} more (--all)"


def _lead(lead: Lead, diagnosis: Diagnosis, width: int) -> Iterator[str]:
    """What the code of the releases says, and what would help."""
    yield from _headline("lead", lead.title, width, is_certain=False)
    yield from field("  in the log", lead_place(lead, diagnosis), width, margin=MARGIN + 2)
    for detail in lead.details:
        yield from field("", detail, width, margin=2)
    for number, change in enumerate(lead.changes):
        yield from field("  or" if number else "  change", change_text(change), width)
        yield from field("", change_note(change), width)
    yield from field("  compare", lead.compare, width)
    for number, address in enumerate(lead.pulls):
        yield from field("" if number else "  merged", address, width)


def _nothing(diagnosis: Diagnosis, width: int) -> Iterator[str]:
    headline, advice = nothing(diagnosis)
    yield style(headline, bold=True)
    yield from field("", advice, width, margin=2)


def _near(rules: Sequence[Rule], width: int) -> Iterator[str]:
    """The rules that are near by their words, and how to read on."""
    yield from textwrap.wrap(NEAR, width)
    for rule in rules:
        yield from field("  -", rule.title, width, margin=4)
        yield f"    vcompat explain {rule.id}"


def _applying(findings: Sequence[Finding], width: int, everything: bool) -> Iterator[str]:
    """The rules that apply although the log does not show them, a line or two each."""
    yield from textwrap.wrap(APPLYING, width)
    for finding in findings if everything else findings[:_SHORT]:
        because = ", ".join(f"{reason.fact} = {reason.value}" for reason in finding.because)
        yield from field("", f"{finding.title} ({finding.rule.id}): {because}", width, margin=2)
    if len(findings) > _SHORT and not everything:
        yield f"  and {len(findings) - _SHORT} more (--all)"
