"""The metrics of runs: values by step, in the order of the steps, whatever order and repetitions a log has."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from vcompat.diagnosis.metrics.metric_names import MEAN, NAMES, REWARD

#: The most values of a metric that are kept. From twice as many on, every other one is dropped.
MOST = 10_000
#: The most runs of a table or a folder.
MOST_RUNS = 256
#: Values of one run in two files differ by less, relatively: a log has four digits, TensorBoard has 32 bits.
_ALIKE = 1e-3


class Series(NamedTuple):
    """A metric over the steps of a run."""

    name: str
    unit: str
    """What the steps are: ``step``, or ``entry`` if the log states none, and its entries are counted from 1."""
    steps: tuple[float, ...]
    """Ascending."""
    values: tuple[float, ...]
    """One per step, not necessarily finite."""
    lines: tuple[int, ...]
    """The line of the file that states each value; 0 where there are no lines."""

    @property
    def finite(self) -> Series:
        """The same without what is not finite."""
        kept = [each for each in zip(self.steps, self.values, self.lines, strict=True) if math.isfinite(each[1])]
        steps, values, lines = zip(*kept, strict=True) if kept else ((), (), ())
        return Series(self.name, self.unit, steps, values, lines)


class Run:
    """The metrics of one run, as one file states them."""

    def __init__(self, path: str, name: str = "") -> None:
        """`path` is the file; `name` distinguishes the runs of one file."""
        self.path = path
        self.name = name
        self.states_steps = True
        """Whether the file states steps. What the Trainer prints does not: then entries are counted."""
        self._values: dict[str, dict[float, tuple[float, int]]] = {}
        self._entries = 0
        self._every: dict[str, int] = {}
        self._taken: dict[str, int] = {}

    def take(self, values: Mapping[str, float], step: float | None, line: int = 0) -> None:
        """Take an entry. A step that was there before is one of a run that was resumed: the later value counts."""
        if step is not None and not math.isfinite(step):
            return
        if step is None:
            self.states_steps = False
            # An evaluation has an entry of its own, which is not a further step.
            self._entries += REWARD in values or MEAN in values or not self._entries
        for name, value in values.items():
            taken = self._taken[name] = self._taken.get(name, 0) + 1
            if taken % self._every.get(name, 1) == 0 or taken <= 3:
                known = self._values.setdefault(name, {})
                known[self._entries if step is None else step] = (value, line)
                if len(known) > 2 * MOST:
                    self._values[name] = {at: known[at] for at in sorted(known)[::2]}
                    self._every[name] = self._every.get(name, 1) * 2

    def series(self, name: str) -> Series:
        """The series of a metric; an empty one if the run does not have it."""
        values = self._values.get(name, {})
        steps = tuple(sorted(values))
        unit = "step" if self.states_steps else "entry"
        numbers = tuple(values[step][0] for step in steps)
        return Series(name, unit, steps, numbers, tuple(values[step][1] for step in steps))

    @property
    def all_series(self) -> tuple[Series, ...]:
        """The series that the run has."""
        return tuple(self.series(name) for name in sorted(self._values))

    def has(self, name: str) -> bool:
        """Whether it has the metric at all."""
        return name in self._values

    def repeats(self, other: Run) -> bool:
        """Whether all of its values are those with which `other` begins: a checkpoint's state, another file's copy."""
        shared = [name for name in self._values if name in NAMES and name in other._values]
        return bool(shared) and all(_begins(other.series(name), self.series(name)) for name in shared)


def _begins(whole: Series, part: Series) -> bool:
    return len(part.values) <= len(whole.values) and all(
        math.isclose(value, other, rel_tol=_ALIKE, abs_tol=1e-9) or (math.isnan(value) and math.isnan(other))
        for value, other in zip(part.values, whole.values, strict=False)
    )


def distinct(runs: Iterable[Run]) -> list[Run]:
    """Return the runs without those that others repeat; rather one that states steps, and rather a longer one."""
    longest_first = sorted(
        runs, key=lambda run: (not run.states_steps, -max((len(s.steps) for s in run.all_series), default=0))
    )
    kept: list[Run] = []
    for run in longest_first:
        if len(kept) < MOST_RUNS and not any(run.repeats(other) for other in kept):
            kept.append(run)
    return sorted(kept, key=lambda run: (run.path, run.name))
