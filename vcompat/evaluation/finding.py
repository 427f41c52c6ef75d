"""What an evaluation returns: a rule that applies, or might apply, to the run at hand."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple

from vcompat.facts.facts import Facts, Known, Place
from vcompat.facts.value import show
from vcompat.rules.rule import EFFECTS, SEVERITIES, Fix, Rule

if TYPE_CHECKING:
    from vcompat.facts.presumption import Presumption

CERTAIN, LIKELY, POSSIBLE = "certain", "likely", "possible"
#: The name of a reason that is no fact: what the code of the run uses.
CODE = "code"
#: From the surest on.
CERTAINTIES = (CERTAIN, LIKELY, POSSIBLE)


class Reason(NamedTuple):
    """One fact that decided, as the reader should see it."""

    fact: str
    value: str
    source: str
    place: Place | None = None
    """Where a file states it."""

    @classmethod
    def of(cls, fact: str, known: Known) -> Reason:
        """Return the reason that a known fact is."""
        return cls(fact, show(known.value), known.source, known.place)


def reasons(names: Iterable[str], facts: Facts) -> tuple[Reason, ...]:
    """Return the reasons that those of the facts `names` are that are known."""
    return tuple(Reason.of(name, known) for name in names if (known := facts.get(name)) is not None)


class Need(NamedTuple):
    """One unknown fact that would decide, and why it is unknown; or a circumstance that no fact states."""

    fact: str
    """Empty for a circumstance."""
    reason: str
    """Why the fact is unknown; the circumstance, such as 'whether the script calls sleep() twice'."""
    place: Place | None = None
    """Where a file leaves it open."""

    @property
    def text(self) -> str:
        """The fact with the reason, or the circumstance."""
        return f"{self.fact} ({self.reason})" if self.fact and self.reason else self.fact or self.reason


class Finding(NamedTuple):
    """A rule whose condition holds (certain), holds if what is presumed does (likely), or might hold (possible)."""

    rule: Rule
    certainty: str
    because: tuple[Reason, ...]
    needs: tuple[Need, ...]
    fixed_by: str
    """Id of the patch with which the script fixes this failure; empty if there is none."""
    fixes: tuple[Fix, ...]
    """Those of the rule's fixes that fit the releases at hand."""
    runs: tuple[str, ...] = ()
    """The positions of the training commands that it concerns; empty if it concerns all."""
    subject: str = ""
    """What the finding is about, if the rule can have several findings: the name of a setting."""
    headline: str = ""
    """The failure in one line, if it is more exact than the rule's title."""
    detail: str = ""
    """What the rule's summary cannot state, in a sentence; may be empty."""
    presumes: tuple[Presumption, ...] = ()
    """What a likely finding rests on; empty for others."""
    selected: float = 0
    """How strongly what is known selects the rule (see `selection`); meaningful for a possible finding only."""

    @property
    def failure(self) -> str:
        """The failure in one line."""
        return self.headline or self.rule.title

    @property
    def title(self) -> str:
        """What goes wrong, and in which of several runs."""
        return f"{self.failure} ({', '.join(self.runs)})" if self.runs else self.failure

    @property
    def summary(self) -> str:
        """What happens, why, and since when, in a few sentences."""
        return f"{self.detail} {self.rule.summary}".strip()

    @property
    def name(self) -> str:
        """The rule's id, with the subject if the rule can have several findings."""
        return f"{self.rule.id}: {self.subject}" if self.subject else self.rule.id

    @property
    def is_certain(self) -> bool:
        """Whether the rule applies for certain."""
        return self.certainty == CERTAIN

    @property
    def is_likely(self) -> bool:
        """Whether the rule applies unless a presumption is wrong."""
        return self.certainty == LIKELY

    @property
    def place(self) -> Place | None:
        """Where in the user's files the setting is that has most to do with the failure.

        A setting that a fix would change; otherwise the last one that the rule names, since rules go from the general
        to the particular. None if no file states any of the facts.
        """
        placed = [reason for reason in self.because if reason.place is not None]
        exact, fixable = list(filter(_has_line, placed)), _fixable(self)
        by_importance: Iterator[Reason | Need] = chain(
            (reason for reason in exact if reason.fact in fixable),
            (reason for reason in placed if reason.fact == CODE),
            (reason for reason in reversed(exact) if reason.fact.startswith("plan.")),
            filter(_has_line, reversed(self.needs)),
            reversed(exact),
            placed,
        )
        return next((each.place for each in by_importance), None)

    def reaches(self, threshold: str, strict: bool = False, on_likely: bool = False) -> bool:
        """Whether the finding fails a check: not fixed by a patch, and of severity `threshold` or above.

        With the threshold 'never' no finding fails. A likely finding fails only with `on_likely` or `strict`, a
        possible one only with `strict`.
        """
        counts = strict or self.is_certain or (on_likely and self.is_likely)
        if threshold == "never" or self.fixed_by or not counts:
            return False
        return SEVERITIES.index(self.rule.severity) <= SEVERITIES.index(threshold)


def _has_line(stated: Reason | Need) -> bool:
    return stated.place is not None and bool(stated.place.line)


def _fixable(finding: Finding) -> set[str]:
    """Return the facts that a fix would change."""
    kinds = ("config", "rename", "remove")
    changed = {f"plan.{fix.details['setting']}" for fix in finding.fixes if fix.kind in kinds}
    # The engine's own settings follow from the trainer's settings of the same name.
    changed |= {name.replace("plan.vllm_", "plan.") for name in changed}
    return changed | {f"env.{fix.details['variable']}" for fix in finding.fixes if fix.kind == "env"}


def by_order(finding: Finding) -> tuple[bool, int, float, int, tuple[int, int, str]]:
    """Sort key of a list: as by urgency, but possible findings by how strongly what is known selects them.

    If little is known, a hundred rules might apply. A reader looks for the one that is about what they stated.
    """
    certainty = CERTAINTIES.index(finding.certainty)
    if finding.certainty != POSSIBLE:
        return bool(finding.fixed_by), certainty, 0, 0, by_urgency(finding)[2:]
    return bool(finding.fixed_by), certainty, -round(finding.selected, 1), len(finding.needs), by_urgency(finding)[2:]


def by_urgency(finding: Finding) -> tuple[int, int, int, int, str]:
    """Sort key: unfixed first, then certain before likely before possible, then severity, then the costliest effect."""
    return (
        bool(finding.fixed_by),
        CERTAINTIES.index(finding.certainty),
        SEVERITIES.index(finding.rule.severity),
        EFFECTS.index(finding.rule.effect),
        finding.name,
    )
