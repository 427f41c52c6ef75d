"""The judgement of a fleet as text, for a person at a terminal."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator

from click import style

from vcompat.evaluation.fleet.fleet_finding import FleetFinding
from vcompat.evaluation.fleet.judge_fleet import FleetOutcome
from vcompat.report.checks.text import COLORS, full
from vcompat.report.fleets.fleet_wording import checked, counted, shown_groups, total, where
from vcompat.report.parts.layout import field, printable

#: Entries of one finding that are shown.
_ENTRIES = 12


def render(outcome: FleetOutcome) -> str:
    """The report: what differs between nodes first, then the findings of rules."""
    width = outcome.width
    sentences = [checked(outcome), *([f"{outcome.exercise}."] if outcome.exercise else [])]
    blocks = ["\n".join(textwrap.wrap(printable(" ".join(sentences)), width, break_on_hyphens=False))]
    blocks += ["\n".join(_finding(finding, width)) for finding in outcome.findings]
    for one in outcome.certain:
        lines = list(full(one.finding, width))
        blocks.append("\n".join([lines[0], *field("  on", where(one), width), *lines[1:]]))
    blocks.append("\n".join(_not_counted(outcome)))
    again = outcome.repeated
    blocks.append(f"{counted(again, 'report')} occurred again and did not count twice." if again else "")
    blocks.append(f"{total(outcome)}.")
    return "\n\n".join(block for block in blocks if block)


def _not_counted(outcome: FleetOutcome) -> Iterator[str]:
    """What is suppressed, and suppressions that need attention."""
    for finding, reason in outcome.suppressed:
        yield from field("suppressed", f"{finding.kind.title} ({finding.kind.id}): {reason}", outcome.width)
    for word, texts in (
        ("suppressed", outcome.rules_suppressed),
        ("expired", outcome.expired),
        ("unused", outcome.unused),
    ):
        for text in texts:
            yield from field(word, text, outcome.width, color="red" if word == "expired" else "")


def _finding(finding: FleetFinding, width: int) -> Iterator[str]:
    kind = finding.kind
    yield style(f"{kind.severity}: ", fg=COLORS[kind.severity], bold=True) + style(kind.title, bold=True)
    for entry in finding.entries[:_ENTRIES]:
        yield from field("", f"{entry.subject}: {'; '.join(shown_groups(entry))}", width, margin=2)
    if len(finding.entries) > _ENTRIES:
        yield f"  and {len(finding.entries) - _ENTRIES} more"
    yield from field("  effect", kind.summary, width)
    yield from field("  fix", kind.fix, width)
