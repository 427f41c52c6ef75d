"""Puts together what a report of a rehearsal has."""

from __future__ import annotations

from collections.abc import Sequence

from vcompat.rehearsal.command import Ended
from vcompat.rehearsal.judge import groups_of, judge
from vcompat.rehearsal.memory import peaks_of, tracks_of
from vcompat.rehearsal.phases import phases_of, tokens_of
from vcompat.rehearsal.protocol import CANARY, TRAINED, Told, values_of
from vcompat.rehearsal.verdict import FAILED, NO_ESTIMATE, Cause, Check, Estimate, Rehearsal


def outcome_of(program: str, told: Sequence[Told], ended: Ended, estimate: Estimate = NO_ESTIMATE) -> Rehearsal:
    """Return the outcome, without what is known only beside the rehearsal. `estimate` is that of `vcompat check`."""
    ranks = [one for one in told if one.is_rank]
    trainers = [one.trainer for one in ranks if one.trainer]
    steps = [int(trained["steps"]) for trained in values_of(ranks, TRAINED)]
    steps = steps or [len({event.values["step"] for event in one.of(CANARY)}) for one in ranks]
    _, groups = groups_of([one for one in ranks if one.trainer])
    return Rehearsal(
        version="",
        program=program,
        code=ended.code,
        seconds=ended.seconds,
        stuck=ended.stuck,
        ranks=tuple(one.rank for one in ranks),
        world=max((int(one["world"]) for one in trainers), default=0),
        steps=min(steps, default=0),
        changed=tuple(trainers[0]["changed"]) if trainers else (),
        checks=judge(told, ended, estimate),
        phases=phases_of(told),
        tokens=tokens_of(tuple(groups.values())),
        memory=peaks_of(told),
        tracks=tracks_of(told),
        estimate=estimate,
    )


def refused(program: str, causes: Sequence[Cause]) -> Rehearsal:
    """Return the outcome for a command that was not started, since its check fails because of `causes`."""
    text = "it fails, so the command was not started; --force starts it anyway"
    return Rehearsal(
        version="",
        program=program,
        code=None,
        seconds=0.0,
        stuck=False,
        ranks=(),
        world=0,
        steps=0,
        changed=(),
        checks=(Check("check", FAILED, text),),
        phases=(),
        tokens=(),
        causes=tuple(causes),
    )
