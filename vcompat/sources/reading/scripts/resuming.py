"""States whether the script continues from a checkpoint: what ``train()`` of its trainer gets, which the Trainer heeds.

The Trainer itself ignores the setting ``resume_from_checkpoint``; a script may hand it on.
"""

from __future__ import annotations

from collections.abc import Sequence

from vcompat.sources.reading.python.values.core import Event
from vcompat.sources.reading.python.values.values import Const, Held, Unknown, Value, candidates
from vcompat.sources.reading.scripts.script_facts import ScriptFacts

FACT = "plan.resumes_checkpoint"


def state_resuming(facts: ScriptFacts, events: Sequence[Event], trainers: Sequence[Event]) -> None:
    """State ``plan.resumes_checkpoint`` by the calls of ``train()`` of these trainers."""
    subjects = [trainer.subject for trainer in trainers]
    for event in events:
        if event.kind == "resume" and any(event.subject is subject for subject in subjects):
            given = event.settings["from"]
            place = given.place or event.place
            facts.record(FACT, Held(_resumes(given.value), place, given.optional), event.uncertain)


def _resumes(value: Value) -> Value:
    """Whether ``train()`` continues if it gets `value`: None and False mean that it does not."""
    if isinstance(value, Const):
        return Const(value.value not in (None, False))
    if isinstance(value, Unknown):
        possible = {one not in (None, False) for one in candidates(value)}
        if value.is_complete and len(possible) == 1:
            return Const(possible.pop())
        return Unknown(value.why)
    return Unknown()
