"""The verdict of a rehearsal: what was exercised, and what held."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

PASSED, FAILED, NOT_EXERCISED = "passed", "failed", "not exercised"


class Check(NamedTuple):
    """One transition of the run, and what became of it."""

    name: str
    status: str
    text: str
    """What was seen, or why it was not exercised."""
    details: tuple[str, ...] = ()


class Phase(NamedTuple):
    """Part of the run of one rank."""

    rank: int
    name: str
    began: float
    """Seconds since 1970."""
    seconds: float
    depth: int


class Cause(NamedTuple):
    """A rule that explains a failure."""

    rule: str
    title: str
    certainty: str


class Rehearsal(NamedTuple):
    """All that a report of a rehearsal has."""

    version: str
    program: str
    code: int | None
    """The exit code of the command; None if it was not started."""
    seconds: float
    stuck: bool
    """Whether it was ended because no rank made any progress."""
    ranks: tuple[int, ...]
    """The ranks that reported."""
    world: int
    """How many ranks there are."""
    steps: int
    """The optimizer steps of the rank that made the fewest."""
    changed: tuple[str, ...]
    """Settings of the trainer that the rehearsal changed."""
    checks: tuple[Check, ...]
    phases: tuple[Phase, ...]
    tokens: tuple[tuple[float, int], ...]
    """Seconds and tokens of each call of the engine."""
    patches: tuple[str, ...] = ()
    """The patches that were applied."""
    causes: tuple[Cause, ...] = ()
    """What explains a failure, the likeliest first."""
    failure: str = ""
    """The message of the failure that came first in the log."""
    folder: str = ""
    """What was kept of the rehearsal; empty if nothing was."""
    width: int = 80

    @property
    def status(self) -> str:
        """Failed if a check failed, passed if the weights' check passed, else not exercised."""
        statuses = {check.name: check.status for check in self.checks}
        if FAILED in statuses.values():
            return FAILED
        return PASSED if statuses.get(WEIGHTS) == PASSED else NOT_EXERCISED


#: The check without which a rehearsal has not passed.
WEIGHTS = "weights"


def slowest(phases: Sequence[Phase], name: str) -> float | None:
    """Return the seconds of the last phase of a name, of the slowest rank; None if there is none."""
    last = {phase.rank: phase.seconds for phase in phases if phase.name == name}
    return max(last.values(), default=None)


def values_of(rehearsal: Rehearsal) -> dict[str, Any]:
    """Return the verdict as values for JSON."""
    return {
        "vcompat": rehearsal.version,
        "status": rehearsal.status,
        "program": rehearsal.program,
        "exit_code": rehearsal.code,
        "seconds": round(rehearsal.seconds, 3),
        "ranks": list(rehearsal.ranks),
        "world_size": rehearsal.world,
        "steps": rehearsal.steps,
        "changed": list(rehearsal.changed),
        "patches": list(rehearsal.patches),
        "checks": [{**check._asdict(), "details": list(check.details)} for check in rehearsal.checks],
        "causes": [cause._asdict() for cause in rehearsal.causes],
        "failure": rehearsal.failure,
        "phases": [phase._asdict() for phase in rehearsal.phases],
        "folder": rehearsal.folder,
    }
