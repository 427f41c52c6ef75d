"""The outcome of a check as HTML: one file that needs no other, or a fragment for a notebook."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape

from vcompat.evaluation.finding import Finding, Need
from vcompat.evaluation.outcome import Outcome
from vcompat.facts.budget import Budget
from vcompat.facts.facts import Facts
from vcompat.facts.value import show
from vcompat.report import compiled
from vcompat.report.formats import at
from vcompat.report.memory import gib, phases, summary
from vcompat.report.wording import EFFECTS, checked, depends, groups, intention, next_command, total, word_for
from vcompat.rules.instruction import instruction, note

#: Everything is below the class, so that a notebook keeps its own look.
_STYLE = """
.vcompat { color-scheme: light dark; --edge: #8884; --error: #c62828; --warning: #b26a00; --note: #1565c0;
  --possible: #5e6b7a; --fixed: #2e7d32; font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 0 auto;
  padding: 0 1rem }
@media (prefers-color-scheme: dark) { .vcompat { --error: #ff8a80; --warning: #ffb74d; --note: #90caf9;
  --possible: #b0bec5; --fixed: #a5d6a7 } }
.vcompat h1, .vcompat h2, .vcompat h3 { font-weight: 600 }
.vcompat h1 { font-size: 1.5rem; margin: 1.5rem 0 .3rem }
.vcompat h2 { font-size: 1.1rem; margin: .6rem 0 }
.vcompat section > h2 { margin-top: 2rem }
.vcompat h3 { font-size: 1rem; margin: .8rem 0 .3rem }
.vcompat pre + p, .vcompat h3 + p { margin: .2rem 0 }
.vcompat pre { margin: .2rem 0 }
.vcompat article { border: 1px solid var(--edge); border-left: .4rem solid var(--color); border-radius: .3rem;
  margin: 1rem 0; padding: .2rem 1rem .8rem }
.vcompat .word { color: var(--color); text-transform: uppercase; font-size: .8rem; letter-spacing: .05em;
  margin-right: .6rem }
.vcompat .error { --color: var(--error) } .vcompat .warning { --color: var(--warning) }
.vcompat .note { --color: var(--note) } .vcompat .possible { --color: var(--possible) }
.vcompat .fixed { --color: var(--fixed) } .vcompat .suppressed { --color: var(--edge) }
.vcompat code, .vcompat pre { font: .9em ui-monospace, monospace; background: #8882; border-radius: .2rem;
  padding: .1em .3em; overflow-wrap: anywhere }
.vcompat pre { padding: .5rem .8rem; white-space: pre-wrap }
.vcompat div.label { font-weight: 600; margin-top: .5rem }
.vcompat table { border-collapse: collapse; font-size: .9rem; display: block; overflow-x: auto }
.vcompat td, .vcompat th { border-bottom: 1px solid var(--edge); padding: .2rem .8rem .2rem 0; text-align: left;
  vertical-align: top }
.vcompat .wide { overflow-x: auto } .vcompat table.kernels { display: table }
.vcompat .kernels caption { text-align: left; font-weight: 600; padding: .5rem 0 .2rem }
.vcompat .kernels td, .vcompat .kernels th { border: 1px solid var(--edge); padding: .2rem .6rem }
.vcompat .kernels thead th, .vcompat .kernels td { text-align: center }
.vcompat .kernels .fails { color: var(--error); background: #c6282822; font-weight: 600 }
.vcompat .kernels .partly { color: var(--warning); background: #b26a0018 }
.vcompat .kernels .runs { color: var(--fixed) } .vcompat .kernels .open { opacity: .8 }
.vcompat .kernels .here { outline: 2px solid currentColor; outline-offset: -2px }
.vcompat .kernels .own { display: block; font-size: .75rem; font-weight: 600 }
.vcompat .bar { display: flex; height: 1.6rem; border: 1px solid var(--edge); border-radius: .3rem; overflow: hidden }
.vcompat .bar span { min-width: 2px }
.vcompat ul.legend { display: flex; flex-wrap: wrap; gap: .2rem 1.2rem; list-style: none; padding-left: 0;
  margin: .4rem 0 1rem }
.vcompat .key { display: inline-block; width: .8em; height: .8em; border-radius: .2em; margin-right: .4em }
.vcompat .links { padding-left: 1.2rem; margin: .8rem 0 0 }
.vcompat .weights { background: #4878d0 } .vcompat .gradients { background: #ee854a }
.vcompat .optimizer { background: #6acc64 } .vcompat .buffers { background: #d5bb67 }
.vcompat .vllm_weights { background: #956cb4 }
.vcompat .vllm_cache { background: #c9a3dd } .vcompat .vllm_share { background: #956cb4 }
.vcompat .over { color: var(--error); font-weight: 600 }
.vcompat footer { margin: 2rem 0; font-size: .9rem; opacity: .8 }
"""


def render(outcome: Outcome) -> str:
    """The outcome as a page."""
    verdict = _verdict(outcome)
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="color-scheme" content="light dark">\n'
        f"<title>vcompat: {verdict}</title>\n</head>\n<body>\n{fragment(outcome)}</body>\n</html>\n"
    )


def fragment(outcome: Outcome) -> str:
    """The outcome as one element with its style, for a page that somebody else begins and ends."""
    judgement = outcome.judgement
    body = [
        f"<h1>vcompat: {_verdict(outcome)}</h1>",
        f"<p>{escape(total(outcome))}</p>",
        f"<p>{escape(checked(outcome))}</p>",
        f"<p>The run: {escape(intention(outcome.facts))}</p>" if intention(outcome.facts) else "",
        f"<p>{escape(compiled.summary(outcome.compiled))}</p>" if outcome.compiled else "",
        *_memory(outcome.budget),
        *(f'<article class="error"><p>{escape(text)}</p></article>' for text in judgement.expired),
        *("\n".join(_finding(finding, outcome.facts)) for finding in (*outcome.certain, *outcome.fixed)),
        *_possible(outcome),
        *(
            f'<article class="suppressed"><h2><span class="word">suppressed</span>{escape(one.finding.failure)}</h2>'
            f"<p>{escape(one.reason)}</p></article>"
            for one in judgement.suppressed
        ),
        *(f"<p>{escape(text)}</p>" for text in judgement.unused),
        *_next(outcome),
        *_facts(outcome),
        f"<footer>vcompat {escape(outcome.version)}</footer>",
    ]
    content = "\n".join(part for part in body if part)
    return f'<div class="vcompat">\n<style>{_STYLE}</style>\n{content}\n</div>\n'


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
    yield _labeled("Effect", [escape(EFFECTS[rule.effect])])
    if place is not None and place.line:
        yield _labeled("Where", [f"<code>{escape(at(place))}</code>"])
    if finding.fixed_by:
        yield _labeled("Fixed by", [f"patch <code>{escape(finding.fixed_by)}</code>"])
    because = [f"<code>{escape(f'{r.fact} = {r.value}')}</code> {escape(r.source)}" for r in finding.because]
    yield _labeled("Because", because)
    yield _labeled("Depends on", [_need(need) for need in finding.needs])
    for number, fix in enumerate(() if finding.fixed_by else finding.fixes):
        text = escape(instruction(fix))
        yield "<h3>or</h3>" if number else "<h3>Fix</h3>"
        yield f"<p>{text}</p>" if fix.kind in ("advice", "hardware") else f"<pre>{text}</pre>"
        if note(fix):
            yield f"<p>{escape(note(fix))}</p>"
    yield from _grids(finding, facts)
    links = "".join(f'<li><a href="{escape(address)}">{escape(address)}</a></li>' for address in rule.references)
    yield f'<ul class="links">{links}</ul></article>' if links else "</article>"


def _grids(finding: Finding, facts: Facts) -> Iterator[str]:
    """What the kernels that a rule is about do in each release on each GPU."""
    for claim in finding.rule.evidence.kernels:
        # Imported here: few rules have a grid, and it takes the records of the kernels.
        from vcompat.report.kernels_html import table

        yield from table(claim, facts)


def _need(need: Need) -> str:
    return f"<code>{escape(need.fact)}</code> {escape(need.reason)}" if need.fact else escape(need.reason)


def _labeled(label: str, items: list[str]) -> str:
    """Items of HTML under a label; nothing without items."""
    # Not a list of definitions, which notebooks lay out in a way of their own.
    lines = "".join(f"<div>{item}</div>" for item in items)
    return f'<div class="label">{label}</div>{lines}' if items else ""


def _next(outcome: Outcome) -> Iterator[str]:
    command = next_command(outcome)
    if command:
        yield f"<p>Next: <code>{escape(command)}</code></p>"


def _facts(outcome: Outcome) -> Iterator[str]:
    yield "<details><summary>What is known about the run</summary><table>"
    yield "<tr><th>fact</th><th>value</th><th>from</th></tr>"
    for name, known in sorted(outcome.facts.known.items()):
        cells = (name, show(known.value), known.source)
        yield "<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in cells) + "</tr>"
    for name, reason in sorted(outcome.facts.reasons.items()):
        yield f"<tr><td>{escape(name)}</td><td>unknown</td><td>{escape(reason)}</td></tr>"
    yield "</table></details>"
