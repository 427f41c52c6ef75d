"""What is known about one run: facts, each with its value and the place that states it.

A fact that is not known is absent from the container, which is not the same as a fact known to be *nothing* (``None``):
a package that is not installed, a variable that is not set. Facts are collected in ``sources`` and evaluated in
``evaluation``; what each fact means is in ``vocabulary``.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from vcompat.facts.value import FactValue

#: The source of what a user states outright. Nothing that is found or derived outweighs it.
BY_HAND = "given by --set"


class Place(NamedTuple):
    """Where in a file something is said."""

    path: str
    """As the user gave it."""
    line: int = 0
    """From 1; 0 where the file as a whole is meant."""
    column: int = 0
    """From 1; 0 where the line as a whole is meant."""

    def __str__(self) -> str:
        numbers = [str(number) for number in (self.line, self.column) if number]
        return ":".join([os.path.basename(self.path), *numbers])


class Known(NamedTuple):
    """A fact's value and where it came from, in words a reader can check."""

    value: FactValue
    source: str
    place: Place | None = None
    """Where a file says so; None where no file does."""


class Facts:
    """What is known about a run. A name that is not in it is unknown; `why_unknown` says why, where it can.

    A *closed* family (``env``, ``packages``) has been looked at in full: a name of it that was not
    recorded is known to be nothing.
    """

    def __init__(
        self,
        known: Mapping[str, Known] | None = None,
        closed: Iterable[str] = (),
        reasons: Mapping[str, str] | None = None,
    ) -> None:
        self.known: dict[str, Known] = dict(known or {})
        self.closed: set[str] = set(closed)
        self.reasons: dict[str, str] = dict(reasons or {})
        self.open_at: dict[str, Place] = {}
        """Where files leave facts open that are unknown."""

    def get(self, name: str) -> Known | None:
        """Return what is known of `name`, or None if it is unknown."""
        found = self.known.get(name)
        if found is not None or name in self.reasons:
            return found
        family = name.partition(".")[0]
        if family in self.closed:
            return Known(None, "not installed" if family == "packages" else "not set")
        return None

    def value(self, name: str, default: FactValue = None) -> FactValue:
        """Return the value of `name`, or `default` if it is unknown."""
        found = self.get(name)
        return default if found is None else found.value

    def set(self, name: str, value: FactValue, source: str, place: Place | None = None) -> None:
        """Record a fact, replacing what was known of it."""
        self.known[name] = Known(value, source, place)
        self.reasons.pop(name, None)
        self.open_at.pop(name, None)

    def forget(self, name: str, reason: str, place: Place | None = None) -> None:
        """Make `name` unknown, for `reason`; `place` is where a file leaves it open."""
        self.known.pop(name, None)
        self.reasons[name] = reason
        self.open_at.pop(name, None)
        if place is not None:
            self.open_at[name] = place

    def why_unknown(self, name: str) -> str:
        """Why `name` is unknown, as a sentence's end; empty if nobody said."""
        return self.reasons.get(name) or self.reasons.get(name.partition(".")[0], "")

    def update(self, other: Facts) -> None:
        """Take over what `other` knows. It wins where both speak of a fact, and where it looked at a whole family."""
        for family in other.closed:
            self._drop_family(family)
        for name in other.reasons:
            self._drop_family(name) if "." not in name else self.known.pop(name, None)
        for name in other.known:
            self.reasons.pop(name, None)
        self.known.update(other.known)
        self.closed |= other.closed
        self.reasons.update(other.reasons)
        self.open_at = {name: place for name, place in self.open_at.items() if name in self.reasons} | other.open_at

    def _drop_family(self, family: str) -> None:
        for name in [name for name in self.known if name.partition(".")[0] == family]:
            del self.known[name]

    def is_by_hand(self, name: str) -> bool:
        """Whether the user stated the fact."""
        known = self.known.get(name)
        return known is not None and known.source == BY_HAND

    def copy(self) -> Facts:
        """An independent copy."""
        copy = Facts(self.known, self.closed, self.reasons)
        copy.open_at = dict(self.open_at)
        return copy
