"""The facts of one run, each with its value, its source and its place in a file.

An unknown fact is not in the container. A fact whose value is ``None`` is known to be absent: a package that is not
installed, a variable that is not set. ``sources`` collects facts, ``evaluation`` evaluates rules over them, and
``vocabulary`` defines each fact.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from vcompat.facts.place import Place as Place  # noqa: PLC0414 - a fact has a place: who handles facts finds it here
from vcompat.facts.stated import Stated
from vcompat.facts.value import FactValue

#: The source of a fact that the user sets on the command line. It overrides every fact that is read or derived.
BY_HAND = "--set"
#: The reason of a fact that the user sets to unknown there.
UNKNOWN_BY_HAND = "set to unknown with --set"


class Known(NamedTuple):
    """A fact's value and its source, as text that a user can check."""

    value: FactValue
    source: str
    place: Place | None = None
    """The position in the file that sets the fact; None if no file sets it."""


class Facts:
    """The known facts of a run. Every other fact is unknown; `why_unknown` returns the reason if one was recorded.

    A *closed* family (``env``, ``packages``) was read completely: a fact of that family that was not recorded is known
    to be None.
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
        """For unknown facts: the position in the file that leaves the value undetermined."""
        self.stated: tuple[Stated, ...] = ()
        """What configuration classes get, also settings that are not facts."""

    def get(self, name: str) -> Known | None:
        """Return the value and source of `name`, or None if it is unknown."""
        found = self.known.get(name)
        if found is not None or name in self.reasons:
            return found
        family = name.partition(".")[0]
        if family in self.closed and family not in self.reasons:
            return Known(None, "not installed" if family == "packages" else "not set")
        return None

    def value(self, name: str, default: FactValue = None) -> FactValue:
        """Return the value of `name`, or `default` if it is unknown."""
        found = self.get(name)
        return default if found is None else found.value

    def set(self, name: str, value: FactValue, source: str, place: Place | None = None) -> None:
        """Record a fact. Replaces an earlier value."""
        self.known[name] = Known(value, source, place)
        self.reasons.pop(name, None)
        self.open_at.pop(name, None)

    def offer(self, name: str, value: FactValue, source: str, place: Place | None = None) -> None:
        """Record a derived fact unless it is known, or recorded as unknown with a reason."""
        if self.get(name) is None and name not in self.reasons:
            self.set(name, value, source, place)

    def leave_open(self, name: str, like: str) -> None:
        """Make the derived fact `name` unknown for the same reason as `like`, the setting that it is derived from."""
        if like in self.reasons and name not in self.known and name not in self.reasons:
            self.forget(name, self.reasons[like], self.open_at.get(like))

    def forget(self, name: str, reason: str, place: Place | None = None) -> None:
        """Make `name` unknown and record the `reason`. `place` is the position in the file that leaves it open."""
        self.known.pop(name, None)
        self.reasons[name] = reason
        self.open_at.pop(name, None)
        if place is not None:
            self.open_at[name] = place

    def why_unknown(self, name: str) -> str:
        """Return the reason why `name` is unknown; empty if none was recorded."""
        return self.reasons.get(name) or self.reasons.get(name.partition(".")[0], "")

    def update(self, other: Facts) -> None:
        """Merge `other` into these facts. `other` overrides single facts, and the families that it has closed."""
        for family in other.closed:
            self._drop_family(family)
            self.reasons.pop(family, None)
        for name in other.reasons:
            self._drop_family(name) if "." not in name else self.known.pop(name, None)
        for name in other.known:
            self.reasons.pop(name, None)
        self.known.update(other.known)
        self.closed |= other.closed
        self.reasons.update(other.reasons)
        self.open_at = {name: place for name, place in self.open_at.items() if name in self.reasons} | other.open_at
        self.stated += tuple(stated for stated in other.stated if stated not in self.stated)

    def _drop_family(self, family: str) -> None:
        for name in [name for name in self.known if name.partition(".")[0] == family]:
            del self.known[name]

    def is_by_hand(self, name: str) -> bool:
        """Return whether the user set the fact with ``--set``."""
        known = self.known.get(name)
        return known is not None and known.source == BY_HAND

    def is_unknown_by_hand(self, name: str) -> bool:
        """Return whether the user set the fact to unknown with ``--set``."""
        return self.reasons.get(name) == UNKNOWN_BY_HAND

    def copy(self) -> Facts:
        """Return an independent copy."""
        copy = Facts(self.known, self.closed, self.reasons)
        copy.open_at = dict(self.open_at)
        copy.stated = self.stated
        return copy
