"""The verdict of a rehearsal as text, for a person at a terminal."""

from __future__ import annotations

from collections.abc import Iterator

from click import style

from vcompat.rehearsal.verdict import FAILED, NOT_EXERCISED, PASSED, Check, Rehearsal, slowest
from vcompat.report.parts.layout import field, printable
from vcompat.report.parts.wording import shell

_COLORS = {PASSED: "green", FAILED: "red", NOT_EXERCISED: "yellow"}
#: Causes that are shown.
_CAUSES = 3


def render(outcome: Rehearsal) -> str:
    """Return the report: what failed, what passed, and in short what was not exercised."""
    width = outcome.width
    lines = [style(outcome.status, fg=_COLORS[outcome.status], bold=True) + f": {headline(outcome)}"]
    for status in (FAILED, PASSED):
        for check in (one for one in outcome.checks if one.status == status):
            lines += _check(check, width)
    lines += _missed(outcome, width)
    lines += field("failure", outcome.failure, width)
    for cause in outcome.causes[:_CAUSES]:
        text = f"{cause.title} ({cause.certainty}; `vcompat explain {cause.rule}`)"
        lines += field("cause", text, width)
    lines += field("times", ", ".join(times(outcome)), width)
    lines += field("kept", outcome.folder, 10_000)
    if outcome.folder and outcome.status == FAILED:
        lines += field("upstream", f"{shell('vcompat report', [outcome.folder])} --anonymize", 10_000)
    return "\n".join(lines)


def headline(outcome: Rehearsal) -> str:
    """Return how much was rehearsed."""
    text = f"{printable(outcome.program)}, {outcome.seconds:.0f} s"
    if outcome.ranks:
        ranks = f"{outcome.world} rank{'' if outcome.world == 1 else 's'}"
        steps = f"{outcome.steps} step{'' if outcome.steps == 1 else 's'}"
        text = f"{steps} on {ranks}, {outcome.seconds:.0f} s"
    if outcome.patches:
        text += f", {len(outcome.patches)} patch{'' if len(outcome.patches) == 1 else 'es'}"
    return text


def _check(check: Check, width: int) -> Iterator[str]:
    yield from field(check.status, f"{check.name}: {check.text}", width, color=_COLORS[check.status])
    for detail in check.details:
        yield from field("", detail, width, margin=13)


def _missed(outcome: Rehearsal, width: int) -> list[str]:
    missed = [one for one in outcome.checks if one.status == NOT_EXERCISED]
    if len(missed) == 1 == len(outcome.checks):
        return field("", missed[0].text, width)
    return field("not run", ", ".join(f"{one.name} ({one.text})" for one in missed), width)


def times(outcome: Rehearsal) -> Iterator[str]:
    """Yield how long the phases took: of each, the last one of the slowest rank."""
    for phase in ("engine start", "synchronization", "generation", "training step", "evaluation"):
        seconds = slowest(outcome.phases, phase)
        if seconds is not None:
            yield f"{phase} {shown(seconds)}"
    if outcome.tokens_per_second is not None:
        yield f"{outcome.tokens_per_second:.0f} tokens/s"


def shown(seconds: float) -> str:
    """A time with a unit that suits it."""
    return f"{seconds:.1f} s" if seconds >= 1 else f"{seconds * 1000:.0f} ms"
