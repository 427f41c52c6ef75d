"""What an evaluation says: a rule that strikes, or may strike, in the run at hand."""

from typing import NamedTuple

from vcompat.rule import EFFECTS, SEVERITIES, Fix, Rule

CERTAIN, POSSIBLE = "certain", "possible"


class Reason(NamedTuple):
    """One fact that decided, as the reader should see it."""

    fact: str
    value: str
    source: str


class Need(NamedTuple):
    """One unknown fact that would decide, and why it is unknown."""

    fact: str
    reason: str


class Finding(NamedTuple):
    """A rule whose condition holds (certain), or may hold because a fact is unknown (possible)."""

    rule: Rule
    certainty: str
    because: tuple[Reason, ...]
    needs: tuple[Need, ...]
    settled_by: str
    """Id of the patch that the script applies against this failure; empty if none does."""
    fixes: tuple[Fix, ...]
    """Those of the rule's fixes that serve the releases at hand."""

    def reaches(self, threshold: str) -> bool:
        """Whether the finding is unsettled and its severity is `threshold` or above ('never': no finding is)."""
        if threshold == "never" or self.settled_by:
            return False
        return SEVERITIES.index(self.rule.severity) <= SEVERITIES.index(threshold)


def by_urgency(finding: Finding) -> tuple[int, int, int, int, str]:
    """Sort key: unsettled first, certain before possible, then severity, then the effect that costs most."""
    return (
        bool(finding.settled_by),
        finding.certainty != CERTAIN,
        SEVERITIES.index(finding.rule.severity),
        EFFECTS.index(finding.rule.effect),
        finding.rule.id,
    )
