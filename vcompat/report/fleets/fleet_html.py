"""The judgement of a fleet as HTML: a grid with a cell for each node, colored by what is wrong with it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from html import escape

from vcompat.evaluation.fleet.fleet_finding import Entry, FleetFinding
from vcompat.evaluation.fleet.judge_fleet import FleetOutcome, RuleFinding
from vcompat.report.fleets.fleet_wording import checked, nodes, total, verdict, where
from vcompat.report.parts.html_parts import about, element, fix_parts, labeled, page, reason
from vcompat.report.parts.layout import printable
from vcompat.rules.rule import SEVERITIES

#: The colors stay apart for color-blind readers (Okabe and Ito); cells have the number of their combination, too.
#: Groups of one entry that are shown.
_GROUPS = 50
_STYLE = """
.vcompat .fleet { display: grid; grid-template-columns: repeat(auto-fill, minmax(var(--cell), 1fr)); gap: 2px;
  margin: .6rem 0 }
.vcompat .fleet a { aspect-ratio: 1; border-radius: 2px; background: #6a9f7a; color: #fff; text-decoration: none;
  font: 600 .65rem/1 system-ui, sans-serif; display: grid; place-items: center; min-width: 0; overflow: hidden }
.vcompat .fleet a:hover, .vcompat .fleet a:focus { outline: 2px solid currentColor }
.vcompat .g1 { --shade: #d55e00 } .vcompat .g2 { --shade: #0072b2 } .vcompat .g3 { --shade: #e69f00 }
.vcompat .g4 { --shade: #cc79a7 } .vcompat .g5 { --shade: #56b4e9 } .vcompat .g6 { --shade: #f0e442 }
.vcompat .g0 { --shade: #444 } .vcompat .fleet [class], .vcompat .key[class*=" g"] { background: var(--shade) }
.vcompat .fleet .g5, .vcompat .fleet .g6, .vcompat .fleet .g3 { color: #000 }
.vcompat .fleet .gone, .vcompat .key.gone { background: none; border: 1px dashed currentColor }
.vcompat .key.ok { background: #6a9f7a }
"""


def render(outcome: FleetOutcome) -> str:
    """The judgement as a page."""
    return page(verdict(outcome), fragment(outcome))


def fragment(outcome: FleetOutcome) -> str:
    """The judgement as one element with its style."""
    return element(
        [
            f"<style>{_STYLE}</style>",
            f"<h1>vcompat: {verdict(outcome)}</h1>",
            f"<p>{escape(total(outcome))}</p>",
            f"<p>{escape(checked(outcome))}</p>",
            f"<p>{escape(outcome.exercise)}.</p>" if outcome.exercise else "",
            *_grid(outcome),
            *("\n".join(_finding(one)) for one in outcome.findings),
            *("\n".join(_rule(one)) for one in outcome.certain),
            *(f"<p>{escape(text)}</p>" for text in (*_suppressed(outcome), *outcome.expired, *outcome.unused)),
            f"<footer>vcompat {escape(outcome.version)}</footer>",
        ]
    )


def _suppressed(outcome: FleetOutcome) -> Iterator[str]:
    for finding, why in outcome.suppressed:
        yield f"{finding.kind.title} ({finding.kind.id}): {why}"
    yield from outcome.rules_suppressed


def _grid(outcome: FleetOutcome) -> Iterator[str]:
    """A cell for each node, and a legend of the most frequent combinations of findings."""
    wrong = _wrong(outcome)
    counts = Counter(tuple(wrong[node]) for node in outcome.nodes if node in wrong)
    ordered = _ordered(counts, outcome)
    group = {key: number if number <= 6 else 0 for number, key in enumerate(ordered, 1)}
    yield f'<section><h2>Nodes</h2><div class="fleet" style="--cell: {_size(len(outcome.nodes))}px">'
    yield "".join(
        f'<a href="#{outcome.findings[wrong[node][0]].kind.id}" class="g{group[tuple(wrong[node])]}" '
        f'title="{escape(node)}: {escape("; ".join(outcome.findings[n].kind.title for n in wrong[node]))}">'
        f"{group[tuple(wrong[node])] or '+'}</a>"
        if node in wrong
        else f'<a title="{escape(node)}"></a>'
        for node in outcome.nodes
    )
    absent = _absent(outcome)
    yield "".join(
        f'<a href="#nodes-missing" class="gone" title="{escape(node)}: did not report"></a>' for node in absent
    )
    yield '</div><ul class="legend">'
    sound = len(outcome.nodes) - counts.total()
    yield f'<li><span class="key ok"></span>no finding: {sound}</li>'
    for key in ordered[:6]:
        titles = "; ".join(outcome.findings[number].kind.title for number in key)
        yield f'<li><span class="key g{group[key]}"></span>{group[key]} {escape(titles)}: {counts[key]}</li>'
    if len(ordered) > 6:
        yield f'<li><span class="key g0"></span>+ other: {sum(counts[key] for key in ordered[6:])}</li>'
    yield f'<li><span class="key gone"></span>did not report: {len(absent)}</li>' if absent else ""
    yield "</ul></section>"


def _ordered(counts: Counter[tuple[int, ...]], outcome: FleetOutcome) -> list[tuple[int, ...]]:
    """The combinations of findings, the worst and then the most frequent one first."""
    severities = [SEVERITIES.index(finding.kind.severity) for finding in outcome.findings]
    return sorted(counts, key=lambda key: (min(severities[number] for number in key), -counts[key]))


def _absent(outcome: FleetOutcome) -> list[str]:
    """The names of nodes that did not report, as far as a scheduler states them."""
    return [
        node
        for finding in outcome.findings
        if finding.kind.id == "nodes-missing"
        for entry in finding.entries
        for node in entry.deviating
    ]


def _wrong(outcome: FleetOutcome) -> dict[str, list[int]]:
    """The numbers of the findings that name each node, the worst first."""
    known = frozenset(outcome.nodes)
    by_node: dict[str, list[int]] = {}
    for number, finding in enumerate(outcome.findings):
        # A name is that of a node, or such as `node17 rank 3`.
        named = {name.partition(" ")[0] for entry in finding.entries for name in entry.deviating}
        for node in named & known:
            by_node.setdefault(node, []).append(number)
    return by_node


def _size(count: int) -> int:
    """The width of a cell in pixels: 4,096 cells fill a screen, and 16 are large enough for a finger."""
    return 40 if count <= 128 else 24 if count <= 768 else 13


def _finding(finding: FleetFinding) -> Iterator[str]:
    kind = finding.kind
    yield f'<article class="{kind.severity}" id="{kind.id}">'
    yield f'<h2><span class="word">{kind.severity}</span>{escape(kind.title)}</h2><p>{escape(kind.summary)}</p>'
    yield "<table><tr><th>what</th><th>nodes</th><th>value</th></tr>"
    for entry in finding.entries[:200]:
        yield from _rows(entry)
    yield f"</table>{f'<p>and {len(finding.entries) - 200} more</p>' if len(finding.entries) > 200 else ''}"
    yield f"<h3>Fix</h3><p>{escape(kind.fix)}</p></article>"


def _rows(entry: Entry) -> Iterator[str]:
    left = entry.groups[_GROUPS:-1]
    for number, group in enumerate((*entry.groups[:_GROUPS], *entry.groups[_GROUPS:][-1:])):
        rest = entry.has_rest and group is entry.groups[-1]
        if left and number == _GROUPS:
            nodes_left = sum(len(one.nodes) for one in left)
            yield f"<tr><td></td><td>{nodes_left} others</td><td>{len(left)} further values</td></tr>"
        who = f"the other {len(group.nodes)}" if rest else nodes(group.nodes)
        subject = "" if number else escape(printable(entry.subject))
        cells = (subject, escape(printable(who)), escape(printable(group.value)))
        yield "<tr>" + "".join(f'<td class="values">{cell}</td>' for cell in cells) + "</tr>"


def _rule(on_nodes: RuleFinding) -> Iterator[str]:
    finding = on_nodes.finding
    severity = finding.rule.severity
    yield f'<article class="{severity}" id="{escape(finding.rule.id)}">'
    yield f'<h2><span class="word">{severity}</span>{escape(finding.failure)}</h2><p>{escape(finding.summary)}</p>'
    yield labeled("On", [escape(where(on_nodes))])
    yield labeled("Because", map(reason, finding.because))
    yield from fix_parts(finding.fixes)
    yield f"{about(finding.rule)}</article>"
