"""What vLLM's kernels do on each GPU, as text: the totals of a survey, and the grid of a rule."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator
from itertools import groupby
from typing import TYPE_CHECKING, NamedTuple

from packaging.version import Version

from vcompat.kernels.claims import FAILS, RUNS, Row, rows
from vcompat.kernels.grid import CAPABILITIES, KERNELS
from vcompat.rules.kernel_claim import KernelClaim

if TYPE_CHECKING:
    from vcompat.kernels.survey import Surveyed

#: Cells of the grid, and what they mean.
_CELLS = {
    frozenset({FAILS}): ("FAIL", "fails as described"),
    frozenset({FAILS, RUNS}): ("some", "fails with some of these sizes"),
    frozenset({RUNS}): ("ok", "compiles"),
    frozenset(): ("?", "not measured"),
}
_OTHER = ("else", "some or all fail in another way")


class Line(NamedTuple):
    """Consecutive releases with the same cells."""

    releases: tuple[Version, ...]
    words: tuple[str, ...]
    """One for each capability of the grid: FAIL, some, ok, ? or else."""

    @property
    def span(self) -> str:
        """The releases as the first and the last one."""
        first, last = self.releases[0], self.releases[-1]
        return f"{first}" if first == last else f"{first} - {last}"


class Grid(NamedTuple):
    """What the kernel of a claim does: releases by compute capabilities."""

    title: str
    """The call, the data type and the head sizes."""
    capabilities: tuple[str, ...]
    lines: tuple[Line, ...]
    """Empty if nothing is recorded."""
    meanings: str
    """What the words mean that occur."""


def grid_of(claim: KernelClaim) -> Grid:
    """Read from the records what the kernel of a claim does."""
    found = list(rows(claim))
    sizes = sorted({size for row in found for fares in row.fares.values() for size in fares})
    lines = tuple(_lines(found))
    shown = {word for line in lines for word in line.words}
    meanings = [f"{word}: {meaning}" for word, meaning in (*_CELLS.values(), _OTHER) if word in shown]
    of = next((kernel.of for kernel in KERNELS if claim.call in kernel.calls), "")
    title = f"{claim.call} in 16 bits, {of} {', '.join(map(str, sizes))}"
    return Grid(title, claim.capabilities or CAPABILITIES, lines, "; ".join(meanings))


def grid(claim: KernelClaim) -> Iterator[str]:
    """A table of what the kernel of a claim does: a line for each run of releases, a column for each capability."""
    cells = grid_of(claim)
    yield f"{'compiled':<11}{cells.title}:"
    if not cells.lines:
        return
    yield f"  {'vLLM':<20}" + "".join(f"{card:>6}" for card in cells.capabilities)
    for line in cells.lines:
        yield f"  {line.span:<20}" + "".join(f"{word:>6}" for word in line.words)
    yield from textwrap.wrap(cells.meanings, 80, initial_indent="  ", subsequent_indent="  ")


def _lines(table: Iterable[Row]) -> Iterator[Line]:
    """Yield consecutive releases with the same cells as one line."""
    for words, run in groupby(table, key=_words):
        yield Line(tuple(row.version for row in run), words)


def _words(row: Row) -> tuple[str, ...]:
    return tuple(_CELLS.get(frozenset(fares.values()), _OTHER)[0] for fares in row.fares.values())


def total(surveyed: Surveyed) -> str:
    """Counts, time, memory and disk of a survey in one line."""
    variants = sum(len(one.variants) for one in surveyed.records)
    disk = f"Triton takes {surveyed.bytes >> 20} MiB"
    cost = f"{surveyed.seconds / 60:.1f} minutes; at most {surveyed.mib} MiB per compilation; {disk}"
    return (
        f"{len(surveyed.records)} kernels in {variants} variants: {surveyed.attempts} of {surveyed.wanted} outcomes, "
        f"{surveyed.compiled} of them compiled now; {cost}"
    )
