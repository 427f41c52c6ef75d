"""Depth-first search for the newest set of releases: the newest of each package, in order of priority."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Sequence
from typing import Generic, TypeVar

_Pin = TypeVar("_Pin", bound=Hashable)


class Search(Generic[_Pin]):
    """Finds the first set without a conflict, in the order of the candidates."""

    def __init__(
        self,
        candidates: Sequence[Sequence[_Pin]],
        works: Callable[[_Pin], bool],
        together: Callable[[_Pin, _Pin], bool],
        conflict: Callable[[tuple[_Pin, ...]], frozenset[_Pin] | None] = lambda _: None,
        most: float = math.inf,
    ) -> None:
        """Search among `candidates`: the releases of each package, the preferred ones first.

        `works` tells whether a release can be used at all, `together` whether two can be used together. `conflict`
        returns the part of a larger set that cannot be combined, or None. No other set with this part is then judged.
        After `most` tries of a release, the search gives up.
        """
        self._candidates = candidates
        self._works, self._together, self._conflict = works, together, conflict
        self._left = most
        self._conflicts: dict[_Pin, list[frozenset[_Pin]]] = {}
        """For each release, the parts with it that cannot be combined."""

    def first(self) -> tuple[_Pin, ...] | None:
        """Return one release of each package; None if every set has a conflict, or none was found in time."""
        found = self._extend(())
        return None if isinstance(found, frozenset) else found

    def _extend(self, chosen: tuple[_Pin, ...]) -> tuple[_Pin, ...] | frozenset[int]:
        """Return a set that begins with `chosen`; if there is none, the positions of those of them that prevent one.

        Where the last one is not among these, no other release in its place helps: the search goes back further.
        """
        last = len(chosen)
        if last == len(self._candidates):
            return chosen
        blamed = frozenset[int]()
        for pin in self._candidates[last]:
            self._left -= 1
            if self._left < 0:
                # Nothing is blamed, so that no other release is tried in any place.
                return frozenset()
            why = self._why_not(chosen, pin)
            if why is None:
                found = self._extend((*chosen, pin))
                if not isinstance(found, frozenset) or last not in found:
                    return found
                why = found - {last}
            blamed |= why
        return blamed

    def _why_not(self, chosen: tuple[_Pin, ...], pin: _Pin) -> frozenset[int] | None:
        """Return the positions of those of `chosen` that forbid `pin` after them; None if nothing does."""
        why = self._excluded_by(chosen, pin)
        if why is not None:
            return why
        pins = (*chosen, pin)
        for others in self._candidates[len(pins) :]:
            blamed = frozenset[int]()
            for other in others:
                why = self._excluded_by(pins, other)
                if why is None:
                    break
                blamed |= why
            else:
                return blamed - {len(chosen)}
        part = self._conflict(pins) if len(pins) > 2 else None
        for one in part or ():
            self._conflicts.setdefault(one, []).append(part or frozenset())
        return None if part is None else _positions(chosen, part)

    def _excluded_by(self, chosen: tuple[_Pin, ...], pin: _Pin) -> frozenset[int] | None:
        """Return the positions of those of `chosen` that exclude `pin`; None if it fits."""
        if not self._works(pin):
            return frozenset()
        for position, other in enumerate(chosen):
            if not self._together(other, pin):
                return frozenset((position,))
        part = next((part for part in self._conflicts.get(pin, ()) if part.issubset((*chosen, pin))), None)
        return None if part is None else _positions(chosen, part)


def _positions(chosen: tuple[_Pin, ...], part: frozenset[_Pin]) -> frozenset[int]:
    return frozenset(position for position, one in enumerate(chosen) if one in part)
