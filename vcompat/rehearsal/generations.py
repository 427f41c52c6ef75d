"""Generations whose probabilities were compared with the trainer's, and which of them share a failure."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from vcompat.rehearsal.protocol import CANARY, Told

#: What the comparison shows: the trainer's weights, others, neither for sure, or nothing.
NEAR, FAR, UNCLEAR, UNUSABLE = "near", "far", "unclear", "unusable"
#: The modes of a trainer, as words.
_MODES = {"train": "training", "eval": "evaluation"}


class Generation(NamedTuple):
    """One generation of one rank."""

    rank: int
    number: int
    """Its number on this rank, from 0."""
    is_again: bool
    """Whether another generation of this rank preceded it in the same step."""
    values: Mapping[str, Any]
    """What the canary saw."""
    result: str = UNUSABLE

    @property
    def is_evaluation(self) -> bool:
        """Whether an evaluation generated."""
        return bool(self.values.get("mode") == "eval")


def generations(ranks: Iterable[Told]) -> list[Generation]:
    """Return the generations of all ranks, not judged yet."""
    made = []
    for rank in ranks:
        steps: set[object] = set()
        for number, event in enumerate(rank.of(CANARY)):
            step = event.values.get("step")
            made.append(Generation(rank.rank, number, step in steps, event.values))
            steps.add(step)
    return made


def which(far: Sequence[Generation], all_of_them: Sequence[Generation]) -> tuple[str, ...]:
    """Describe, in lines, what the generations `far` have in common that the others have not. Empty if `far` is all."""
    if len(far) == len(all_of_them):
        return ()
    counts = []
    for mode, word in _MODES.items():
        of_mode = [one for one in all_of_them if one.values.get("mode") == mode]
        if of_mode:
            counts.append(f"{sum(one in far for one in of_mode)} of {len(of_mode)} in {word}")
    shared = _shared(far, all_of_them)
    return *([shared] if shared else []), ", ".join(counts)


def _shared(far: Sequence[Generation], all_of_them: Sequence[Generation]) -> str:
    ranks = sorted({generation.rank for generation in far})
    tests: dict[str, Callable[[Generation], bool]] = {
        "each that is not the first of its step, and no other": lambda generation: generation.is_again,
        "the first of each step, and no other": lambda generation: not generation.is_again,
        "each but the first of the run": lambda generation: generation.number > 0,
        f"each of rank {ranks[0]}, and no other": lambda generation: generation.rank == ranks[0],
    }
    for text, test in tests.items():
        if list(far) == [generation for generation in all_of_them if test(generation)]:
            return text
    return ""
