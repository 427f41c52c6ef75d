"""The verdict of a rehearsal as HTML, with a timeline of each rank."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape

from vcompat.rehearsal.verdict import FAILED, NOT_EXERCISED, PASSED, Phase, Rehearsal
from vcompat.report.parts.html_parts import element, page
from vcompat.report.rehearsals import rehearsal_memory as memory
from vcompat.report.rehearsals.rehearsal_text import headline, shown, times

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
_OTHER = "#8886"
#: Ranks whose timeline is shown at once, and if asked, and phases of each.
_RANKS, _MORE, _PHASES = 4, 64, 500
_STYLE = """
.vcompat .lane { position: relative; border-left: 2px solid currentColor; margin: .2rem 0 .6rem; background: #8881 }
.vcompat .lane span { position: absolute; height: 1rem; min-width: 1px; border-radius: 1px; background: var(--shade) }
.vcompat .checks td:nth-child(2) { white-space: nowrap }
.vcompat .checks td:first-child { color: var(--color); font-weight: 600; white-space: nowrap }
@media (max-width: 40rem) { .vcompat .checks :is(tbody, tr, td) { display: block; overflow-wrap: anywhere }
  .vcompat .checks tr { border-bottom: 1px solid var(--edge); padding: .4rem 0 }
  .vcompat .checks tr td { border: 0; padding: 0 } }
"""


def render(outcome: Rehearsal) -> str:
    """Return the verdict as a page."""
    return page(f"rehearsal {outcome.status}", fragment(outcome))


def fragment(outcome: Rehearsal) -> str:
    """Return the verdict as one element with its style."""
    return element(
        [
            f"<style>{_STYLE}{memory.STYLE}</style>",
            f"<h1>Rehearsal {escape(outcome.status)}</h1>",
            f"<p>{escape(headline(outcome))}</p>",
            *_checks(outcome),
            *_causes(outcome),
            *_timelines(outcome),
            *memory.table(outcome),
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
    yield from _timeline("Whole run", outcome.phases, outcome)
    training = min((phase.began for phase in outcome.phases if phase.name == "training"), default=None)
    if training is not None:
        # What contains all of it shows nothing.
        later = [phase for phase in outcome.phases if phase.began >= training and phase.name != "training"]
        yield from _timeline("Training", later, outcome) if later else ()
    used = [name for name in _COLORS if any(phase.name == name for phase in outcome.phases)]
    shades = [*((_COLORS[name], name) for name in used), (_OTHER, "other")]
    keys = "".join(f'<li><span class="key" style="background: {color}"></span>{name}</li>' for color, name in shades)
    yield f'<ul class="legend">{keys}</ul></section>'


def _timeline(title: str, phases: Sequence[Phase], outcome: Rehearsal) -> Iterator[str]:
    start = min(phase.began for phase in phases)
    whole = max(max(phase.began + phase.seconds for phase in phases) - start, 1e-6)
    yield f"<h3>{title}, {shown(whole)}</h3>"
    first, more = outcome.ranks[:_RANKS], outcome.ranks[_RANKS:_MORE]
    yield from (_lane(rank, phases, outcome, start, whole) for rank in first)
    if more:
        yield f"<details><summary>{len(more)} more ranks</summary>"
        yield from (_lane(rank, phases, outcome, start, whole) for rank in more)
        yield "</details>"


def _lane(rank: int, phases: Sequence[Phase], outcome: Rehearsal, start: float, whole: float) -> str:
    """The phases of a rank, from `start` on for `whole` seconds, and its memory."""
    mine = [phase for phase in phases if phase.rank == rank][:_PHASES]
    lowest = min((phase.depth for phase in mine), default=0)
    rows = max((phase.depth for phase in mine), default=0) - lowest + 1
    parts = [f'<div>rank {rank}</div><div class="lane" style="height: {1.1 * rows:.1f}rem">']
    for phase in mine:
        left, wide = (phase.began - start) / whole * 100, phase.seconds / whole * 100
        style = f"left: {left:.2f}%; width: {wide:.2f}%; top: {1.1 * (phase.depth - lowest):.1f}rem"
        style += f"; --shade: {_COLORS.get(phase.name, _OTHER)}"
        seconds = f"{shown(phase.seconds)}{'' if phase.has_ended else ', never ended'}"
        parts.append(f'<span style="{style}" title="{escape(phase.name)}, {seconds}"></span>')
    parts.append("</div>")
    curves = (track for track in outcome.tracks if track.rank == rank)
    return "".join([*parts, *(memory.curve(track, outcome.tracks, start, whole) for track in curves)])
