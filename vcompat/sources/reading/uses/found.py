"""What reading a module yields: uses, and what code they are in."""

from __future__ import annotations

from typing import NamedTuple

from vcompat.facts.use import Use
from vcompat.sources.reading.uses.guards import Guard

#: What code runs in: a function; a condition that is not known; what presumably runs, such as a loop.
FUNCTION, CONDITION, PRESUMED = "function", "condition", "presumed"


class Within(NamedTuple):
    """What code is in that does not run for certain."""

    kind: str
    """FUNCTION, CONDITION or PRESUMED."""
    text: str
    """The name of the function; the condition; what is presumed, as a clause."""
    line: int


class Found(NamedTuple):
    """A use with its place in a module, and what it is in."""

    use: Use
    line: int
    offset: int
    """In bytes, from 0."""
    within: tuple[Within, ...]


class Imported(NamedTuple):
    """The meaning of an imported name in a module."""

    module: str
    name: str
    guards: tuple[Guard, ...]


class Key(NamedTuple):
    """A key of a dictionary that is passed as arguments, and what the code is in that sets it."""

    text: str
    guards: tuple[Guard, ...]
    within: tuple[Within, ...]
