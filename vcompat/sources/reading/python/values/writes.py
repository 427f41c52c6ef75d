"""Writes of the abstract execution, with what is needed to take them back and to join the arms of a branch."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Iterator, Mapping
from contextlib import contextmanager

from vcompat.sources.reading.python.values.values import (
    ITEMS,
    ON_CONDITION,
    OPEN,
    Const,
    Held,
    Mutable,
    Unknown,
    Value,
    births,
    candidates,
    distinct,
    join_held,
)

Location = tuple[int, Hashable]
"""The identity of an object and the key of one of its cells."""


class Write:
    """What a cell holds at the end of an arm; None: nothing."""

    __slots__ = ("held", "key", "owner")

    def __init__(self, owner: Mutable, key: Hashable, held: Held | None) -> None:
        self.owner, self.key, self.held = owner, key, held


class Diff(dict[Location, Write]):
    """The cells that an arm of a branch wrote, with what they hold at its end."""

    def __init__(
        self,
        writes: Mapping[Location, Write] | None = None,
        start: float = math.inf,
        rewritten: Iterable[Location] = (),
    ) -> None:
        super().__init__(writes or {})
        self.start = start
        """Objects made from this time on were made in the arm."""
        self.rewritten = set(rewritten)
        """The cells that were written more than once, so that they held something else in between."""

    def then(self, more: Diff) -> Diff:
        """Return the writes of an arm followed by those of `more`."""
        rewritten = self.rewritten | more.rewritten | (self.keys() & more.keys())
        return Diff({**self, **more}, min(self.start, more.start), rewritten)

    def held(self, location: Location, now: Held | None) -> Held | None:
        """Return what a cell holds after the arm, where it holds `now` before."""
        return self[location].held if location in self else now

    def made(self, location: Location) -> bool:
        """Return whether the object of a cell was made in this arm."""
        return location in self and self[location].owner.birth >= self.start


class State:
    """The cells of all objects. Each write is logged while an arm of a branch runs."""

    def __init__(self) -> None:
        self._logs: list[tuple[dict[Location, Write], Diff]] = []
        self.written: list[tuple[Mutable, Hashable]] = []
        """The cells of all writes, in their order, if `keeps` is set."""
        self.keeps = False

    @property
    def is_in_arm(self) -> bool:
        """Whether the arm of a branch runs."""
        return bool(self._logs)

    def write(self, owner: Mutable, key: Hashable, held: Held | None) -> None:
        """Put `held` into a cell, or empty it."""
        if self.keeps:
            self.written.append((owner, key))
        if self._logs:
            log, diff = self._logs[-1]
            location = (id(owner.cells), key)
            if location in log:
                diff.rewritten.add(location)
            else:
                log[location] = Write(owner, key, owner.cells.get(key))
        if held is None:
            owner.cells.pop(key, None)
        else:
            owner.cells[key] = held

    def initialize(self, owner: Mutable, key: Hashable, held: Held) -> None:
        """Put `held` into a cell as the constructor of `owner` does: an object of this arm was never without it."""
        if self._logs and owner.birth < self._logs[-1][1].start:
            self.write(owner, key, held)
        else:
            owner.cells[key] = held

    @contextmanager
    def arm(self) -> Iterator[Diff]:
        """Run an arm of a branch: afterwards its writes are reverted, and are in the result."""
        log: dict[Location, Write] = {}
        diff = Diff(start=next(births))
        self._logs.append((log, diff))
        try:
            yield diff
        finally:
            self._logs.pop()
            for location, before in log.items():
                cells = before.owner.cells
                diff[location] = Write(before.owner, before.key, cells.get(before.key))
            for before in log.values():
                # Not through `write`: an outer arm must not log what an inner one reverts.
                if before.held is None:
                    before.owner.cells.pop(before.key, None)
                else:
                    before.owner.cells[before.key] = before.held

    def apply(self, diff: Diff) -> None:
        """Write what an arm wrote."""
        for write in diff.values():
            self.write(write.owner, write.key, write.held)
        if self._logs:
            self._logs[-1][1].rewritten |= diff.rewritten

    def join(self, left: Diff, right: Diff, why: str = ON_CONDITION) -> Diff:
        """Return the writes after which each cell holds what it holds after `left` or after `right`."""
        joined = Diff(start=min(left.start, right.start), rewritten=left.rewritten | right.rewritten)
        for location in [*left, *(location for location in right if location not in left)]:
            write = left.get(location) or right[location]
            now = write.owner.cells.get(write.key)
            in_left, in_right = left.held(location, now), right.held(location, now)
            if left.made(location) and location not in right:
                # The object exists in one of the arms only: nothing else can have changed it.
                held = in_left
            elif right.made(location) and location not in left:
                held = in_right
            else:
                held = _joined(write.key, in_left, in_right, why)
            joined[location] = Write(write.owner, write.key, held)
        return joined

    def interrupted(self, diff: Diff) -> Diff:
        """Return the writes of an arm that may have ended before any of its writes."""
        partial = self.join(diff, Diff())
        for location in diff.rewritten | set(filter(diff.made, diff)):
            write = partial[location]
            now = write.owner.cells.get(write.key)
            partial[location] = Write(write.owner, write.key, opened(write.key, now, write.held, ON_CONDITION))
        return partial

    def open_cells(self, diff: Diff, why: str) -> None:
        """Make every cell of `diff` unknown that an unknown number of passes may have written."""
        for write in diff.values():
            now = write.owner.cells.get(write.key)
            self.write(write.owner, write.key, opened(write.key, now, write.held, why))

    def open(self, owner: Mutable, why: str) -> None:
        """Make every cell of `owner` unknown, and let it have more."""
        for key, held in list(owner.cells.items()):
            if key is not OPEN:
                self.write(owner, key, opened(key, held, held, why))
        self.write(owner, OPEN, Held(Const(why)))


def opened(key: Hashable, now: Held | None, then: Held | None, why: str) -> Held | None:
    """Return what a cell holds that may hold `now`, `then` or something else."""
    if key is OPEN:
        return now or then
    known: list[Value] = [held.value for held in (now, then) if held is not None]
    if key is ITEMS:
        return Held(Unknown(why))
    listed = tuple(c for value in known for c in candidates(value))
    place = next((held.place for held in (then, now) if held is not None and held.place), None)
    return Held(Unknown(why, distinct(listed)), place, optional=now is None)


def _joined(key: Hashable, left: Held | None, right: Held | None, why: str) -> Held | None:
    if key is OPEN:
        # Open in one arm is open after both.
        return left or right
    return join_held(left, right, why)
