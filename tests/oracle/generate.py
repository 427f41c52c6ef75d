"""Draws examples, the same ones for the same seed."""

from __future__ import annotations

import random
from collections.abc import Iterator

from tests.oracle.example import Example
from tests.oracle.grammar_python import scripts
from tests.oracle.grammar_shell import launches


def examples(count: int, seed: int) -> Iterator[Example]:
    """Yield `count` examples: training scripts, and launch scripts with all that they need."""
    for number in range(count):
        chance = random.Random(f"{seed} {number}")
        yield (scripts, launches)[number % 2](chance)
