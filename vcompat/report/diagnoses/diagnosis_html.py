"""A diagnosis as a page that needs no other file: the cause with the log around it, then everything else."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape

from vcompat.diagnosis.diagnosing import Diagnosis
from vcompat.diagnosis.failures import follows
from vcompat.diagnosis.leads.lead import Lead
from vcompat.diagnosis.logs.prefixes import Line
from vcompat.diagnosis.metrics.metric_names import MEAN
from vcompat.diagnosis.metrics.metric_shapes import NOISE
from vcompat.diagnosis.ranking import CERTAIN, LIKELY, Match
from vcompat.evaluation.fitting import fitting
from vcompat.foundation.version import __version__
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
from vcompat.report.diagnoses.metric_plot import plot
from vcompat.report.diagnoses.metrics import explained, name_of, said, size_of
from vcompat.report.parts.formats import relative
from vcompat.report.parts.html_parts import about, element, facts_table, fix_parts, labeled, links, need, page, reason
from vcompat.report.parts.layout import printable
from vcompat.report.parts.wording import EFFECTS

#: The most processes, and files that could not be read, that are listed.
_LISTED = 100


def render(diagnosis: Diagnosis) -> str:
    """The diagnosis as a page."""
    verdict = escape(_verdict(diagnosis))
    parts = [
        f"<h1>vcompat: {verdict}</h1>",
        f"<p>{_text(read(diagnosis))}</p>",
        *(f"<p>Not read: {_text(note)}</p>" for note in diagnosis.notes[:_LISTED]),
        *(f"<p>The log counts: {_text(conflict)}</p>" for conflict in diagnosis.conflicts[:_LISTED]),
        *_hang(diagnosis),
        *_answer(diagnosis),
        *_metrics(diagnosis),
        *_processes(diagnosis),
        *_others(diagnosis),
        *_ruled_out(diagnosis),
        *_near(diagnosis),
        *_applying(diagnosis),
        *facts_table(diagnosis.facts, "What is known about the run"),
        f"<footer>vcompat {escape(__version__)}</footer>",
    ]
    return page(verdict, element(parts))


def _verdict(diagnosis: Diagnosis) -> str:
    if diagnosis.hang is not None and not answers(diagnosis):
        return "a hang" if diagnosis.hang.certainty == CERTAIN else f"a {hangs.word(diagnosis.hang)}"
    if answers(diagnosis):
        first = diagnosis.causes[0].certainty
        return "the cause is known" if first == CERTAIN else f"a {first} cause"
    if diagnosis.is_cause_found:
        return "the metrics show a failure"
    return "a lead" if diagnosis.leads else "no known cause"


def _answer(diagnosis: Diagnosis) -> Iterator[str]:
    """The likeliest cause, and the failure that was first if that is another one."""
    for match in answers(diagnosis):
        yield from _match(match)
    for lead in diagnosis.leads:
        yield from _lead(lead, diagnosis)
    if not diagnosis.is_cause_found and not diagnosis.leads:
        headline, advice = nothing(diagnosis)
        yield f'<article class="note"><h2>{_text(headline)}</h2><p>{_text(advice)}</p></article>'
    first = first_elsewhere(diagnosis)
    if first is not None:
        line = first.cause.line
        # Without a cause, the traceback is what a reader looks for.
        begin = "<details>" if diagnosis.causes else "<details open>"
        yield f"<section>{begin}<summary>The first failure: <code>{_text(cut(first.cause.error))}</code> "
        yield f"({_text(where(line, diagnosis.failure_path))})</summary>"
        yield from _log(diagnosis.trace, {line.number})
        yield "</details></section>"


def _hang(diagnosis: Diagnosis) -> Iterator[str]:
    """Which rank the other ranks wait for, with the lines that show it."""
    hang = diagnosis.hang
    if hang is None:
        return
    kind = "error" if hang.certainty == CERTAIN else "likely error" if hang.certainty == LIKELY else "possible"
    yield f'<article class="{kind}" id="hang"><h2><span class="word">{hangs.word(hang)}</span>'
    yield f"{_text(hangs.title(hang))}</h2>"
    for label, text in hangs.parts(hang):
        yield labeled(label.capitalize(), [_text(text)])
    for line, path in hangs.lines_of(hang):
        yield labeled("In the log", [f"<code>{_text(where(line, path))}</code>"])
        yield from _log([line], {line.number})
    yield "</article>"


def _match(match: Match) -> Iterator[str]:
    """One rule with its evidence in the log, reasons and fixes."""
    rule, shown = match.rule, match.seen.shown
    kind = {CERTAIN: rule.severity, LIKELY: f"likely {rule.severity}"}.get(match.certainty, "possible")
    yield f'<article class="{kind}" id="{escape(rule.id)}">'
    yield f'<h2><span class="word">{word(match)}</span>{_text(rule.title)}</h2>'
    yield f"<p>{_text(rule.summary)}</p>"
    yield labeled("In the log", [f"<code>{_text(where(shown.lines[-1], match.seen.path))}</code>"])
    yield from _log(shown.around or shown.lines, {line.number for line in shown.lines})
    yield labeled("Effect", [escape(EFFECTS[rule.effect])])
    yield labeled("Because", map(reason, match.because))
    yield labeled("Presumes", (_text(str(each)) for each in match.presumes))
    yield labeled(
        "Depends on", [*map(need, match.needs), *([f"whether {_text(rule.only_if)}"] if rule.only_if else [])]
    )
    yield from fix_parts(match.fixes)
    yield labeled("Does not help", [_text(rule.wrong_advice)] if rule.wrong_advice else [])
    yield f"{about(rule)}</article>"


def _lead(lead: Lead, diagnosis: Diagnosis) -> Iterator[str]:
    """What the code of the releases says, and what would help."""
    yield f'<article class="possible"><h2><span class="word">lead</span>{_text(lead.title)}</h2><p>{_text(LEADS)}</p>'
    yield labeled("In the log", [f"<code>{_text(lead_place(lead, diagnosis))}</code>"])
    yield labeled("Used by", map(_text, lead.details))
    changes = (f"<code>{_text(change_text(each))}</code> {_text(change_note(each))}" for each in lead.changes)
    yield labeled("Change one", changes)
    yield f"{links([*([lead.compare] if lead.compare else []), *lead.pulls])}</article>"


def _log(lines: Sequence[Line], hits: set[int]) -> Iterator[str]:
    """Lines of a log with their numbers, those that match marked; each with its process, if there are several."""
    several = len({line.process for line in lines}) > 1
    yield '<div class="log">'
    for line in lines:
        kind = ' class="hit"' if line.number in hits else ""
        process = f"{line.process}: " if several and line.process else ""
        text = _text(process + line.text)
        yield f'<div{kind}><span class="number">{line.number}</span><span class="text">{text}</span></div>'
    yield "</div>"


def _metrics(diagnosis: Diagnosis) -> Iterator[str]:
    """What the metrics of each run show, with a plot of what shows it."""
    known = explained(diagnosis)
    told = [(judged, statement) for judged in diagnosis.metrics for statement in said(judged)]
    if told:
        yield "<section><h2>Metrics</h2>"
    for judged, statement in told[:_LISTED]:
        failing = {each.id: each for each in judged.signatures}
        signature = failing.get(statement.signature)
        kind = {"certain": "error", "possible": "possible"}.get(statement.word, "note")
        yield f'<article class="{kind}"><h2><span class="word">{statement.word}</span>{_text(statement.text)}</h2>'
        yield f"<p><code>{_text(name_of(judged))}</code>, {size_of(judged)}</p>"
        if signature is not None:
            yield plot(judged.run.series(signature.metric), signature.threshold, signature.step)
        else:
            yield plot(judged.run.series(MEAN), NOISE)
        yield f'<p class="values">{_text(statement.values)}</p>' if statement.values else ""
        yield f"<p>{_text(statement.next)}</p>" if statement.next and statement.signature not in known else ""
        yield "</article>"
    if told:
        yield "</section>"


def _processes(diagnosis: Diagnosis) -> Iterator[str]:
    """Which process failed when."""
    if len(diagnosis.ended) < 2:
        return
    timed = any(each.failure.cause.line.time for each in diagnosis.ended)
    yield '<section><h2>Processes that failed</h2><table class="ended">'
    yield f"<tr>{'<th>time</th>' if timed else ''}<th>process</th><th>where</th><th>failure</th></tr>"
    for each in diagnosis.ended[:_LISTED]:
        line = each.failure.cause.line
        cells = [line.time or "-"] if timed else []
        cells += [line.process or "-", f"{relative(each.path)}:{line.number}", cut(each.failure.cause.error)]
        cells[-1] += " (follows from another failure)" if follows(each.failure) else ""
        yield f"<tr>{''.join(f'<td>{_text(cell)}</td>' for cell in cells)}</tr>"
    yield "</table>"
    if len(diagnosis.ended) > _LISTED:
        yield f"<p>And {len(diagnosis.ended) - _LISTED} more.</p>"
    yield "</section>"


def _others(diagnosis: Diagnosis) -> Iterator[str]:
    """The further matches, folded."""
    matches = others(diagnosis)
    if matches:
        further = "Or one of these" if len(matches) > 1 else "Or"
        yield f"<section><h2>{further if answers(diagnosis) else 'What could be the cause'}</h2>"
        yield "" if answers(diagnosis) else f"<p>{_text(SEVERAL)}</p>"
    for match in matches:
        yield f"<details><summary>{_text(match.rule.title)}</summary>"
        yield from _match(match)
        yield "</details>"
    if matches:
        yield "</section>"


def _ruled_out(diagnosis: Diagnosis) -> Iterator[str]:
    """Rules whose text the log shows, and the facts that contradict them."""
    matches = ruled_out(diagnosis)
    if matches:
        yield "<section><h2>Ruled out by facts</h2>"
    for match in matches:
        yield f"<p>{_text(match.rule.title)} (<code>{escape(match.rule.id)}</code>)</p>"
        yield labeled("Because", map(reason, match.because))
    if matches:
        yield "</section>"


def _near(diagnosis: Diagnosis) -> Iterator[str]:
    """The rules that are near by their words."""
    if not diagnosis.near:
        return
    yield f"<section><h2>What has similar words</h2><p>{_text(NEAR)}</p>"
    for rule in diagnosis.near:
        yield f"<details><summary>{_text(rule.title)} (<code>{escape(rule.id)}</code>)</summary>"
        yield f"<p>{_text(rule.summary)}</p>"
        yield from fix_parts(fitting(rule, diagnosis.facts))
        yield f"{about(rule)}</details>"
    yield "</section>"


def _applying(diagnosis: Diagnosis) -> Iterator[str]:
    """The rules that apply although the log does not show them."""
    if not diagnosis.applying:
        return
    yield f"<section><h2>What else applies</h2><p>{_text(APPLYING)}</p>"
    for finding in diagnosis.applying:
        yield f"<details><summary>{_text(finding.title)} (<code>{escape(finding.rule.id)}</code>)</summary>"
        yield f"<p>{_text(finding.rule.summary)}</p>"
        yield labeled("Because", map(reason, finding.because))
        yield from fix_parts(finding.fixes)
        yield "</details>"
    yield "</section>"


def _text(text: str) -> str:
    return escape(printable(text))
