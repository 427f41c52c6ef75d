"""What pages have in common: the style, the frame, reasons, fixes, links and facts."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterable, Iterator
from html import escape

from vcompat.evaluation.finding import Need, Reason
from vcompat.facts.facts import Facts
from vcompat.facts.value import show
from vcompat.foundation.addresses import rule_page
from vcompat.report.parts.page_style import PAGE_STYLE, SCRIPT, STYLE
from vcompat.rules.instruction import instruction, note
from vcompat.rules.rule import Fix, Rule


def page(verdict: str, fragment: str) -> str:
    """A page that needs no other file. `verdict` is its title as HTML, `fragment` an element with its style."""
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="color-scheme" content="light dark">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{_policy()}">\n'
        f"<title>vcompat: {verdict}</title>\n<style>\n{PAGE_STYLE}</style>\n</head>\n<body>\n"
        f'<main>\n{fragment}</main>\n<script type="module">{SCRIPT}</script>\n</body>\n</html>\n'
    )


def _policy() -> str:
    """Return the policy with which a browser runs no script but ours, and requests nothing."""
    digest = base64.b64encode(hashlib.sha256(SCRIPT.encode()).digest()).decode()
    return f"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{digest}'"


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


def about(rule: Rule) -> str:
    """A link to the page of a rule, and the references of the rule."""
    page = f'<li><a href="{escape(rule_page(rule.component, rule.id))}">{escape(rule.id)} on the web site</a></li>'
    return links(rule.references, page)


def links(addresses: Iterable[str], first: str = "") -> str:
    """A list of links, after the item `first`; nothing without any."""
    items = first + "".join(f'<li><a href="{escape(address)}">{escape(address)}</a></li>' for address in addresses)
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
