"""The verdict of a rehearsal: what was exercised, and what held."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
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
    """Until the last that any rank reported, if it never ended."""
    depth: int
    has_ended: bool = True


class Peak(NamedTuple):
    """The most memory that was used in a phase of a rank, in MiB."""

    rank: int
    gpu: int | None
    """NVML's number of the GPU; None for host memory of the process."""
    phase: str
    peak_mib: int
    """Of a GPU, what all processes used."""
    total_mib: int | None = None
    process_mib: int | None = None
    """What the process of the rank used; None if NVML does not state it."""
    torch_reserved_mib: int | None = None
    """What torch's allocator kept at the end of a phase; None if it was not asked."""


class Track(NamedTuple):
    """Memory over time, in MiB."""

    rank: int
    gpu: int | None
    """None for host memory of the process."""
    total: int | None
    points: tuple[tuple[float, int], ...]
    """Seconds since 1970, and what was used."""


class Estimate(NamedTuple):
    """What `vcompat check` estimates for one GPU, in MiB: lower bounds."""

    peak: float | None = None
    phases: Mapping[str, float] = {}
    why: str = ""
    """Why there is no estimate."""


NO_ESTIMATE = Estimate()


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
    """Seconds of each generation, of the slowest rank, and completion tokens of all ranks."""
    patches: tuple[str, ...] = ()
    """The patches that were applied."""
    causes: tuple[Cause, ...] = ()
    """What explains a failure, the likeliest first."""
    failure: str = ""
    """The message of the failure that came first in the log."""
    folder: str = ""
    """What was kept of the rehearsal; empty if nothing was."""
    width: int = 80
    memory: tuple[Peak, ...] = ()
    tracks: tuple[Track, ...] = ()
    estimate: Estimate = NO_ESTIMATE

    @property
    def status(self) -> str:
        """Failed if a check failed, passed if the weights' check passed, else not exercised."""
        statuses = {check.name: check.status for check in self.checks}
        if FAILED in statuses.values():
            return FAILED
        return PASSED if statuses.get(WEIGHTS) == PASSED else NOT_EXERCISED

    @property
    def tokens_per_second(self) -> float | None:
        """Completion tokens per second of generation. The first generation does more than generate, so it counts only
        if there is no other."""
        counted = self.tokens[1:] or self.tokens
        seconds = sum(seconds for seconds, _ in counted)
        return sum(tokens for _, tokens in counted) / seconds if seconds else None


#: The check without which a rehearsal has not passed.
WEIGHTS = "weights"


def slowest(phases: Sequence[Phase], name: str) -> float | None:
    """Return the seconds of the last phase of a name, of the slowest rank; None if there is none.

    A training step is meant without its rollout.
    """
    last = {phase.rank: phase for phase in phases if phase.name == name and phase.has_ended}
    return max((phase.seconds - _of_rollouts(phase, phases) for phase in last.values()), default=None)


def _of_rollouts(step: Phase, phases: Sequence[Phase]) -> float:
    """The seconds of the rollouts in a training step; 0 in another phase."""
    if step.name != "training step":
        return 0.0
    rollouts = (one for one in phases if one.rank == step.rank and one.name == "rollout")
    return sum(one.seconds for one in rollouts if step.began <= one.began < step.began + step.seconds)


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
        "tokens_per_second": rehearsal.tokens_per_second,
        "memory": [peak._asdict() for peak in rehearsal.memory],
        "memory_estimate": {"peak_mib": rehearsal.estimate.peak, "phases_mib": dict(rehearsal.estimate.phases)},
        "folder": rehearsal.folder,
    }
