"""What an evaluation says: a rule that strikes, or may strike, in the run at hand."""

from typing import NamedTuple

from vcompat.facts.facts import Place
from vcompat.rules.rule import EFFECTS, SEVERITIES, Fix, Rule

CERTAIN, POSSIBLE = "certain", "possible"


class Reason(NamedTuple):
    """One fact that decided, as the reader should see it."""

    fact: str
    value: str
    source: str
    place: Place | None = None
    """Where a file says so."""


class Need(NamedTuple):
    """One unknown fact that would decide, and why it is unknown."""

    fact: str
    reason: str
    place: Place | None = None
    """Where a file leaves it open."""


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

    @property
    def place(self) -> Place | None:
        """Where in the user's files the setting is that has most to do with it.

        One that a fix would change, else the last that the rule looks at: rules go from the general to the particular.
        """
        known = [r.place for r in self.because if r.place is not None and r.place.line]
        known += [n.place for n in self.needs if n.place is not None and n.place.line]
        others = [r.place for r in self.because if r.place is not None]
        ours = [r.place for r in self.because if r.fact.startswith("plan.") and r.place is not None and r.place.line]
        return next(iter([*_fixable(self), *ours[::-1], *known[::-1], *others]), None)

    def reaches(self, threshold: str, only_certain: bool = False) -> bool:
        """Whether the finding is unsettled and its severity is `threshold` or above ('never': no finding is).

        With `only_certain`, one that is merely possible does not reach it.
        """
        if threshold == "never" or self.settled_by or (only_certain and self.certainty != CERTAIN):
            return False
        return SEVERITIES.index(self.rule.severity) <= SEVERITIES.index(threshold)


def _fixable(finding: Finding) -> list[Place]:
    """Where the settings are that a fix would change."""
    changed = {f"plan.{fix.details['setting']}" for fix in finding.fixes if fix.kind == "config"}
    # The engine's own settings follow from the trainer's of the same name.
    changed |= {name.replace("plan.vllm_", "plan.") for name in changed}
    changed |= {f"env.{fix.details['variable']}" for fix in finding.fixes if fix.kind == "env"}
    return [r.place for r in finding.because if r.fact in changed and r.place is not None and r.place.line]


def by_urgency(finding: Finding) -> tuple[int, int, int, int, str]:
    """Sort key: unsettled first, certain before possible, then severity, then the effect that costs most."""
    return (
        bool(finding.settled_by),
        finding.certainty != CERTAIN,
        SEVERITIES.index(finding.rule.severity),
        EFFECTS.index(finding.rule.effect),
        finding.rule.id,
    )
