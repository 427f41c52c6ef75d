"""Depth-first search for the newest set of releases: the newest of each package, in order of priority."""

from __future__ import annotations

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
    ) -> None:
        """Search among `candidates`: the releases of each package, the preferred ones first.

        `works` tells whether a release can be used at all, `together` whether two can be used together. `conflict`
        returns the part of a larger set that cannot be combined, or None. No other set with this part is then judged.
        """
        self._candidates = candidates
        self._works, self._together, self._conflict = works, together, conflict
        self._conflicts: dict[_Pin, list[frozenset[_Pin]]] = {}
        """For each release, the parts with it that cannot be combined."""

    def first(self) -> tuple[_Pin, ...] | None:
        """Return one release of each package; None if every set has a conflict."""
        return self._extend(()) if self._is_open(()) else None

    def _extend(self, chosen: tuple[_Pin, ...]) -> tuple[_Pin, ...] | None:
        if len(chosen) == len(self._candidates):
            return chosen
        for pin in self._candidates[len(chosen)]:
            pins = (*chosen, pin)
            if self._fits(chosen, pin) and self._is_open(pins) and self._is_sound(pins):
                found = self._extend(pins)
                if found is not None:
                    return found
        return None

    def _fits(self, chosen: tuple[_Pin, ...], pin: _Pin) -> bool:
        if not (self._works(pin) and all(self._together(other, pin) for other in chosen)):
            return False
        return not any(part.issubset((*chosen, pin)) for part in self._conflicts.get(pin, ()))

    def _is_open(self, chosen: tuple[_Pin, ...]) -> bool:
        """Whether each of the further packages has a release that fits."""
        return all(any(self._fits(chosen, pin) for pin in pins) for pins in self._candidates[len(chosen) :])

    def _is_sound(self, chosen: tuple[_Pin, ...]) -> bool:
        part = self._conflict(chosen) if len(chosen) > 2 else None
        for pin in part or ():
            self._conflicts.setdefault(pin, []).append(part or frozenset())
        return part is None
