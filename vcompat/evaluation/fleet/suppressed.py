"""Findings about a fleet that a project suppresses, as it suppresses those of rules."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from typing import NamedTuple

from vcompat.evaluation.config import Suppression
from vcompat.evaluation.fleet.fleet_finding import FleetFinding
from vcompat.evaluation.fleet_kinds import KINDS


class Suppressed(NamedTuple):
    """What counts, and what does not."""

    findings: tuple[FleetFinding, ...]
    suppressed: tuple[tuple[FleetFinding, str], ...]
    """Each with the reason."""
    unused: tuple[str, ...]
    """One sentence for each suppression of a kind that has no finding."""


def without_suppressed(
    findings: Sequence[FleetFinding], suppressions: Sequence[Suppression], today: date
) -> Suppressed:
    """Separate the findings that count from those that `suppressions` name until a day that has not passed."""
    valid = {one.rule: one for one in suppressions if one.rule in KINDS and one.expires >= today}
    found = {one.kind.id for one in findings}
    return Suppressed(
        tuple(one for one in findings if one.kind.id not in valid),
        tuple(
            (one, f"suppressed until {valid[one.kind.id].expires}: {valid[one.kind.id].reason}")
            for one in findings
            if one.kind.id in valid
        ),
        tuple(f"{s.where}: {s.rule} has no finding to suppress" for s in valid.values() if s.rule not in found),
    )
