"""The verdict of a rehearsal as HTML, with a timeline of each rank."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape

from vcompat.rehearsal.verdict import FAILED, NOT_EXERCISED, PASSED, Phase, Rehearsal
from vcompat.report.html_parts import element, page
from vcompat.report.rehearsal_text import headline, shown, times

_CLASSES = {PASSED: "fixed", FAILED: "error", NOT_EXERCISED: "possible"}
#: The phases that have a color of their own, which stay apart for color-blind readers (Okabe and Ito).
_COLORS = {
    "engine start": "#0072b2",
    "training step": "#999999",
    "rollout": "#56b4e9",
    "synchronization": "#d55e00",
    "generation": "#009e73",
    "evaluation": "#e69f00",
    "sleep": "#cc79a7",
    "wake up": "#f0e442",
}
_OTHER = "#bbbbbb"
#: Ranks whose timeline is shown, and phases of each.
_RANKS, _PHASES = 16, 500
_STYLE = """
.vcompat .lane { position: relative; border-left: 2px solid currentColor; margin: .2rem 0 .6rem; background: #8881 }
.vcompat .lane span { position: absolute; height: 1rem; min-width: 2px; border-radius: 1px; background: var(--shade) }
.vcompat .checks td:first-child { color: var(--color); font-weight: 600; white-space: nowrap }
"""


def render(outcome: Rehearsal) -> str:
    """Return the verdict as a page."""
    return page(f"rehearsal {outcome.status}", fragment(outcome))


def fragment(outcome: Rehearsal) -> str:
    """Return the verdict as one element with its style."""
    return element(
        [
            f"<style>{_STYLE}</style>",
            f"<h1>Rehearsal {escape(outcome.status)}</h1>",
            f"<p>{escape(headline(outcome))}</p>",
            *_checks(outcome),
            *_causes(outcome),
            *_timelines(outcome),
            f"<footer>vcompat {escape(outcome.version)}</footer>",
        ]
    )


def _checks(outcome: Rehearsal) -> Iterator[str]:
    yield '<section><table class="checks"><tbody>'
    for status in (FAILED, PASSED, NOT_EXERCISED):
        for check in (one for one in outcome.checks if one.status == status):
            details = "".join(f"<br><code>{escape(one)}</code>" for one in check.details)
            yield (
                f'<tr class="{_CLASSES[status]}"><td>{status}</td><td>{escape(check.name)}</td>'
                f"<td>{escape(check.text)}{details}</td></tr>"
            )
    yield "</tbody></table></section>"


def _causes(outcome: Rehearsal) -> Iterator[str]:
    if outcome.failure:
        yield f"<h2>Failure</h2><pre>{escape(outcome.failure)}</pre>"
    if outcome.causes:
        yield "<h2>Causes</h2><ul>"
        for cause in outcome.causes:
            command = f"<code>vcompat explain {escape(cause.rule)}</code>"
            yield f"<li>{escape(cause.title)} ({escape(cause.certainty)}): {command}</li>"
        yield "</ul>"


def _timelines(outcome: Rehearsal) -> Iterator[str]:
    if not outcome.phases:
        return
    yield f"<section><h2>Times</h2><p>{escape(', '.join(times(outcome)))}</p>"
    yield from _timeline("Whole run", outcome.phases, outcome.ranks)
    training = min((phase.began for phase in outcome.phases if phase.name == "training"), default=None)
    if training is not None:
        later = [phase for phase in outcome.phases if phase.began >= training]
        yield from _timeline("Training", later, outcome.ranks)
    used = [name for name in _COLORS if any(phase.name == name for phase in outcome.phases)]
    keys = "".join(
        f'<li><span class="key" style="background: {_COLORS[name]}"></span>{escape(name)}</li>' for name in used
    )
    yield f'<ul class="legend">{keys}</ul></section>'


def _timeline(title: str, phases: Sequence[Phase], ranks: Sequence[int]) -> Iterator[str]:
    start = min(phase.began for phase in phases)
    whole = max(max(phase.began + phase.seconds for phase in phases) - start, 1e-6)
    yield f"<h3>{title}, {shown(whole)}</h3>"
    for rank in ranks[:_RANKS]:
        mine = [phase for phase in phases if phase.rank == rank][:_PHASES]
        depth = max((phase.depth for phase in mine), default=0)
        yield f'<div>rank {rank}</div><div class="lane" style="height: {1.1 * (depth + 1):.1f}rem">'
        for phase in mine:
            left, wide = (phase.began - start) / whole * 100, phase.seconds / whole * 100
            style = f"left: {left:.2f}%; width: {wide:.2f}%; top: {1.1 * phase.depth:.1f}rem"
            style += f"; --shade: {_COLORS.get(phase.name, _OTHER)}"
            yield f'<span style="{style}" title="{escape(phase.name)}, {shown(phase.seconds)}"></span>'
        yield "</div>"
