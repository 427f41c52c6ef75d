"""One HTML file that needs no other."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape

from vcompat.evaluation.finding import CERTAIN, Finding
from vcompat.evaluation.outcome import Outcome
from vcompat.facts.value import show
from vcompat.report.formats import relative
from vcompat.report.text import EFFECTS, checked, intention, total
from vcompat.rules.instruction import instruction

_STYLE = """
:root { color-scheme: light dark; --edge: #8884; --error: #c62828; --warning: #b26a00;
  --note: #1565c0; --settled: #2e7d32 }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem }
h1 { font-size: 1.5rem; margin-bottom: 0 }
article { border: 1px solid var(--edge); border-left: .4rem solid var(--colour); border-radius: .3rem; margin: 1rem 0;
  padding: .2rem 1rem .8rem }
article h2 { font-size: 1.1rem; margin: .6rem 0 }
.word { color: var(--colour); text-transform: uppercase; font-size: .8rem; letter-spacing: .05em; margin-right: .6rem }
.error { --colour: var(--error) } .warning { --colour: var(--warning) } .note { --colour: var(--note) }
.settled { --colour: var(--settled) } .quiet { --colour: var(--edge) }
code, pre { font: .9em ui-monospace, monospace; background: #8882; border-radius: .2rem; padding: .1em .3em }
pre { padding: .5rem .8rem; overflow-x: auto }
dt { font-weight: 600; margin-top: .5rem } dd { margin: 0 }
table { border-collapse: collapse; font-size: .9rem; display: block; overflow-x: auto }
td, th { border-bottom: 1px solid var(--edge); padding: .2rem .8rem .2rem 0; text-align: left; vertical-align: top }
footer { margin: 2rem 0; font-size: .9rem; opacity: .8 }
"""


def render(report: Outcome) -> str:
    """The report as a page."""
    judgement = report.judgement
    verdict = "fails" if report.fails else "passes"
    body = [
        f"<h1>vcompat: the check {verdict}</h1>",
        f"<p>{escape(total(judgement.findings, len(report.rules)))}</p>",
        f"<p>{escape(checked(report.facts))}</p>",
        f"<p>{escape(intention(report.facts))}</p>",
        *(f'<article class="error"><p>{escape(text)}</p></article>' for text in judgement.expired),
        *("\n".join(_finding(finding)) for finding in judgement.findings),
        *(
            f'<article class="quiet"><h2><span class="word">quiet</span>{escape(q.finding.rule.title)}</h2>'
            f"<p>{escape(q.reason)}</p></article>"
            for q in judgement.quiet
        ),
        *(f"<p>{escape(text)}</p>" for text in judgement.idle),
        *_facts(report),
        f"<footer>vcompat {escape(report.version)}</footer>",
    ]
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>vcompat: the check {verdict}</title>\n<style>{_STYLE}</style>\n</head>\n<body>\n"
        + "\n".join(body)
        + "\n</body>\n</html>\n"
    )


def _finding(finding: Finding) -> Iterator[str]:
    rule, place = finding.rule, finding.place
    settled = bool(finding.settled_by)
    word = "settled" if settled else rule.severity if finding.certainty == CERTAIN else "possible"
    yield f'<article class="{"settled" if settled else rule.severity}" id="{escape(rule.id)}">'
    yield f'<h2><span class="word">{word}</span>{escape(rule.title)}</h2>'
    yield f"<p>{escape(rule.summary)}</p>\n<dl>"
    yield f"<dt>Effect</dt><dd>{escape(EFFECTS[rule.effect])}</dd>"
    if place is not None and place.line:
        column = f":{place.column}" if place.column else ""
        yield f"<dt>Where</dt><dd><code>{escape(relative(place.path))}:{place.line}{column}</code></dd>"
    if settled:
        yield f"<dt>Settled by</dt><dd>the patch <code>{escape(finding.settled_by)}</code></dd>"
    for label, items in (
        ("Because", [f"<code>{escape(f'{r.fact} = {r.value}')}</code> {escape(r.source)}" for r in finding.because]),
        ("Depends on", [f"<code>{escape(n.fact)}</code> {escape(n.reason)}" for n in finding.needs]),
    ):
        if items:
            yield f"<dt>{label}</dt>" + "".join(f"<dd>{item}</dd>" for item in items)
    yield "</dl>"
    for fix in () if settled else finding.fixes:
        text = escape(instruction(fix))
        yield f"<p>{text}</p>" if fix.kind in ("advice", "hardware") else f"<pre>{text}</pre>"
        if fix.note:
            yield f"<p>{escape(fix.note)}</p>"
    for address in rule.references:
        yield f'<p><a href="{escape(address)}">{escape(address)}</a></p>'
    yield "</article>"


def _facts(report: Outcome) -> Iterator[str]:
    yield "<details><summary>What was known of the run</summary><table>"
    yield "<tr><th>fact</th><th>value</th><th>from</th></tr>"
    for name, known in sorted(report.facts.known.items()):
        cells = (name, show(known.value), known.source)
        yield "<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in cells) + "</tr>"
    for name, reason in sorted(report.facts.reasons.items()):
        yield f"<tr><td>{escape(name)}</td><td>unknown</td><td>{escape(reason)}</td></tr>"
    yield "</table></details>"
