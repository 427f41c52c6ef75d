"""The outcome of a check as HTML: one file that needs no other, or a fragment for a notebook."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape

from vcompat.evaluation.finding import Finding
from vcompat.evaluation.outcome import Outcome
from vcompat.facts.facts import Facts
from vcompat.facts.memory.budget import Budget
from vcompat.report.parts import compiled_kernels
from vcompat.report.parts.formats import at
from vcompat.report.parts.html_parts import about, element, facts_table, fix_parts, labeled, need, page, reason
from vcompat.report.parts.memory_budget import gib, phases, summary
from vcompat.report.parts.patching import patching_lines
from vcompat.report.parts.wording import EFFECTS, checked, depends, groups, intention, next_command, total, word_for


def render(outcome: Outcome) -> str:
    """The outcome as a page."""
    return page(_verdict(outcome), fragment(outcome))


def fragment(outcome: Outcome) -> str:
    """The outcome as one element with its style, for a page that somebody else begins and ends."""
    judgement = outcome.judgement
    body = [
        f"<h1>vcompat: {_verdict(outcome)}</h1>",
        f"<p>{escape(total(outcome))}</p>",
        f"<p>{escape(checked(outcome))}</p>",
        f"<p>The run: {escape(intention(outcome))}</p>" if intention(outcome) else "",
        *(f"<p>Not followed: {escape(text)}</p>" for text in outcome.given_up),
        *(f"<p>Note: {escape(line)}</p>" for line in outcome.newer),
        *(f"<p>Patches: {escape(line)}</p>" for line in patching_lines(outcome.facts)),
        f"<p>{escape(compiled_kernels.summary(outcome.compiled))}</p>" if outcome.compiled else "",
        *_memory(outcome.budget),
        *(f'<article class="error"><p>{escape(text)}</p></article>' for text in judgement.expired),
        *(
            "\n".join(_finding(finding, outcome.facts))
            for finding in (*outcome.certain, *outcome.likely, *outcome.fixed)
        ),
        *_possible(outcome),
        *(
            '<article class="suppressed"><h2><span class="word">suppressed</span>'
            f"{escape(suppressed.finding.failure)}</h2>"
            f"<p>{escape(suppressed.reason)}</p></article>"
            for suppressed in judgement.suppressed
        ),
        *(f"<p>{escape(text)}</p>" for text in judgement.unused),
        *_next(outcome),
        *facts_table(outcome.facts, "What is known about the run"),
        f"<footer>vcompat {escape(outcome.version)}</footer>",
    ]
    return element(body)


def _verdict(outcome: Outcome) -> str:
    return "the check fails" if outcome.fails else "the check passes"


def _memory(budget: Budget | None) -> Iterator[str]:
    """The memory of one GPU as a bar, with its parts to scale; two bars if trainer and vLLM take turns."""
    if budget is None:
        return
    over = budget.left is not None and budget.left < 0
    yield f'<section><h2>Memory</h2><p class="{"over" if over else ""}">{escape(summary(budget))}</p>'
    for phase, shown in phases(budget):
        whole = max(budget.total or 0, sum(value for _, _, value in shown))
        yield f"<p>while {phase}</p>" if phase else ""
        yield '<div class="bar">'
        for key, name, value in shown:
            label = escape(f"{name} {gib(value)} GiB")
            yield f'<span class="{key}" style="width: {100 * value / whole:.2f}%" title="{label}"></span>'
        rest = whole - sum(value for _, _, value in shown)
        if not shown:
            # An empty bar would look like an empty GPU.
            yield '<span class="unknown" style="width: 100%">not known</span>'
        elif budget.left is None and rest > 0:
            yield f'<span class="unknown" style="width: {100 * rest / whole:.2f}%">not known</span>'
        yield '</div><ul class="legend">'
        for key, name, value in shown:
            yield f'<li><span class="key {key}"></span>{escape(name)} {gib(value)} GiB</li>'
        yield "</ul>"
    yield "</section>"


def _possible(outcome: Outcome) -> Iterator[str]:
    """What depends on something unknown: a group for each input that would decide, folded."""
    for group in groups(outcome):
        yield f'<article class="possible"><details><summary><span class="word">possible</span>{escape(depends(group))}'
        yield "</summary>"
        for finding in group.findings:
            yield from _finding(finding, outcome.facts)
        yield "</details></article>"


def _finding(finding: Finding, facts: Facts) -> Iterator[str]:
    rule, place, word = finding.rule, finding.place, word_for(finding)
    yield f'<article class="{word}" id="{escape(rule.id)}">'
    yield f'<h2><span class="word">{word}</span>{escape(finding.title)}</h2>'
    yield f"<p>{escape(finding.summary)}</p>"
    yield labeled("Effect", [escape(EFFECTS[rule.effect])])
    if place is not None and place.line:
        yield labeled("Where", [f"<code>{escape(at(place))}</code>"])
    if finding.fixed_by:
        yield labeled("Fixed by", [f"patch <code>{escape(finding.fixed_by)}</code>"])
    yield labeled("Because", map(reason, finding.because))
    yield labeled("Presumes", (escape(str(each)) for each in finding.presumes))
    yield labeled("Depends on", map(need, finding.needs))
    yield from fix_parts(() if finding.fixed_by else finding.fixes)
    yield from _grids(finding, facts)
    yield f"{about(rule)}</article>"


def _grids(finding: Finding, facts: Facts) -> Iterator[str]:
    """What the kernels that a rule is about do in each release on each GPU."""
    for claim in finding.rule.evidence.kernels:
        # Imported here: few rules have a grid, and it takes the records of the kernels.
        from vcompat.report.parts.kernels_html import table

        yield from table(claim, facts)


def _next(outcome: Outcome) -> Iterator[str]:
    command = next_command(outcome)
    if command:
        yield f"<p>Next: <code>{escape(command)}</code></p>"
