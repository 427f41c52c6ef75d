"""What pages have in common: the style, the frame, reasons, fixes, links and facts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from html import escape

from vcompat.evaluation.finding import Need, Reason
from vcompat.facts.facts import Facts
from vcompat.facts.value import show
from vcompat.rules.instruction import instruction, note
from vcompat.rules.rule import Fix

#: Everything is below the class, so that a notebook keeps its own look.
STYLE = """
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
.vcompat .likely { border-left-style: dashed }
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
.vcompat .bar .unknown { background: repeating-linear-gradient(45deg, #8883 0 6px, #8886 6px 12px); font-size: .8rem;
  line-height: 1.6rem; text-align: center; overflow: hidden; white-space: nowrap }
.vcompat ul.legend { display: flex; flex-wrap: wrap; gap: .2rem 1.2rem; list-style: none; padding-left: 0;
  margin: .4rem 0 1rem }
.vcompat .key { display: inline-block; width: .8em; height: .8em; border-radius: .2em; margin-right: .4em }
.vcompat .log { font: .85rem/1.45 ui-monospace, monospace; background: #8882; border-radius: .2rem; margin: .2rem 0;
  padding: .5rem 0 }
.vcompat .log div { display: grid; grid-template-columns: 4.5rem minmax(0, 1fr); padding: 0 .8rem 0 0 }
.vcompat .log .number { text-align: right; padding-right: .8rem; opacity: .6; user-select: none }
.vcompat .log .text { white-space: pre-wrap; overflow-wrap: anywhere; padding-left: 2ch; text-indent: -2ch }
.vcompat .log .hit { background: #ffca2844; font-weight: 600 }
.vcompat details .log { max-height: 40rem; overflow-y: auto }
.vcompat table.ended td:last-child { overflow-wrap: anywhere; min-width: 12rem }
.vcompat section > details { margin: .4rem 0 }
.vcompat section + details { margin-top: 1.5rem }
@media (max-width: 40rem) { .vcompat table:not(.kernels) td, .vcompat table:not(.kernels) th {
    overflow-wrap: anywhere; padding-right: .4rem }
  .vcompat td:first-child { min-width: 10rem } }
@media (max-width: 40rem) { .vcompat .log { font-size: .75rem }
  .vcompat .log div { grid-template-columns: 3rem minmax(0, 1fr); padding-right: .4rem }
  .vcompat .log .number { padding-right: .5rem } }
.vcompat .metric { width: 100%; max-width: 40rem; display: block; margin: .4rem 0 }
.vcompat .metric text { font: 12px system-ui, sans-serif; fill: currentColor }
.vcompat .values { overflow-wrap: anywhere }
@media (max-width: 40rem) { .vcompat .metric text { font-size: 20px } }
.vcompat .metric path, .vcompat .metric polyline { fill: none; stroke: currentColor; vector-effect: non-scaling-stroke }
.vcompat .metric .line { stroke: var(--color); stroke-width: 2 } .vcompat .metric .grid { stroke: var(--edge) }
.vcompat .metric .limit { stroke-dasharray: 5 4 } .vcompat .metric .mark { stroke: var(--warning); stroke-width: 1.5 }
.vcompat .links { padding-left: 1.2rem; margin: .8rem 0 0 }
.vcompat .weights { background: #4878d0 } .vcompat .gradients { background: #ee854a }
.vcompat .optimizer { background: #6acc64 } .vcompat .buffers { background: #d5bb67 }
.vcompat .vllm_weights { background: #956cb4 }
.vcompat .vllm_cache { background: #c9a3dd } .vcompat .vllm_share { background: #956cb4 }
.vcompat .over { color: var(--error); font-weight: 600 }
.vcompat footer { margin: 2rem 0; font-size: .9rem; opacity: .8 }
"""


def page(verdict: str, fragment: str) -> str:
    """A page that needs no other file. `verdict` is its title as HTML, `fragment` an element with its style."""
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="color-scheme" content="light dark">\n'
        f"<title>vcompat: {verdict}</title>\n</head>\n<body>\n{fragment}</body>\n</html>\n"
    )


def element(parts: Iterable[str]) -> str:
    """Parts of HTML as one element with its style."""
    content = "\n".join(part for part in parts if part)
    return f'<div class="vcompat">\n<style>{STYLE}</style>\n{content}\n</div>\n'


def labeled(label: str, items: Iterable[str]) -> str:
    """Items of HTML under a label; nothing without items."""
    # Not a list of definitions, which notebooks lay out in a way of their own.
    lines = "".join(f"<div>{item}</div>" for item in items)
    return f'<div class="label">{label}</div>{lines}' if lines else ""


def reason(reason: Reason) -> str:
    """A fact that decided."""
    return f"<code>{escape(f'{reason.fact} = {reason.value}')}</code> {escape(reason.source)}"


def need(need: Need) -> str:
    """A fact that would decide, or a circumstance."""
    return f"<code>{escape(need.fact)}</code> {escape(need.reason)}" if need.fact else escape(need.reason)


def fix_parts(fixes: Iterable[Fix]) -> Iterator[str]:
    """What to do, the best advice first."""
    for number, fix in enumerate(fixes):
        text = escape(instruction(fix))
        yield "<h3>or</h3>" if number else "<h3>Fix</h3>"
        yield f"<p>{text}</p>" if fix.kind in ("advice", "hardware") else f"<pre>{text}</pre>"
        if note(fix):
            yield f"<p>{escape(note(fix))}</p>"


def links(addresses: Iterable[str]) -> str:
    """A list of links; nothing without addresses."""
    items = "".join(f'<li><a href="{escape(address)}">{escape(address)}</a></li>' for address in addresses)
    return f'<ul class="links">{items}</ul>' if items else ""


def facts_table(facts: Facts, title: str) -> Iterator[str]:
    """All facts with their sources, and why others are unknown, folded."""
    yield f"<details><summary>{title}</summary><table>"
    yield "<tr><th>fact</th><th>value</th><th>from</th></tr>"
    for name, known in sorted(facts.known.items()):
        cells = (name, show(known.value), known.source)
        yield "<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in cells) + "</tr>"
    for name, likely in sorted(facts.all_likely()):
        presumes = f"{likely.source}; presumes that {'; '.join(map(str, likely.presumes))}"
        cells = (name, f"{show(likely.value)} (likely)", presumes)
        yield "<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in cells) + "</tr>"
    for name, why in sorted(facts.all_unknown()):
        yield f"<tr><td>{escape(name)}</td><td>unknown</td><td>{escape(why)}</td></tr>"
    yield "</table></details>"
