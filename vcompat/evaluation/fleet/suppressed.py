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
    valid = {s.rule: s for s in suppressions if s.rule in KINDS and s.expires >= today}
    kinds = {finding.kind.id for finding in findings}
    return Suppressed(
        tuple(finding for finding in findings if finding.kind.id not in valid),
        tuple((finding, valid[finding.kind.id].reason_text) for finding in findings if finding.kind.id in valid),
        tuple(s.unused_text for s in valid.values() if s.rule not in kinds),
    )
