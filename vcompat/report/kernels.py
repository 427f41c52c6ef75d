"""What vLLM's kernels do on each GPU, as text: the totals of a survey, and the grid of a rule."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator, Mapping

from packaging.version import Version

from vcompat.kernels.claims import FAILS, RUNS, Row, rows
from vcompat.kernels.grid import CAPABILITIES, KERNELS
from vcompat.kernels.survey import Surveyed
from vcompat.rules.kernel_claim import KernelClaim

#: Cells of the grid, and what they mean.
_CELLS = {
    frozenset({FAILS}): ("FAIL", "fails as described"),
    frozenset({FAILS, RUNS}): ("some", "fails with some of these sizes"),
    frozenset({RUNS}): ("ok", "compiles"),
    frozenset(): ("?", "not measured"),
}
_OTHER = ("else", "some or all fail in another way")


def grid(claim: KernelClaim) -> Iterator[str]:
    """A table of what the kernel of a claim does: a line for each run of releases, a column for each capability."""
    sizes = sorted({size for row in rows(claim) for fares in row.fares.values() for size in fares})
    of = next((kernel.of for kernel in KERNELS if claim.call in kernel.calls), "")
    yield f"{'compiled':<11}{claim.call} in 16 bits, {of} {', '.join(map(str, sizes))}:"
    lines = list(_lines(rows(claim)))
    if not lines:
        return
    yield f"  {'vLLM':<20}" + "".join(f"{card:>6}" for card in claim.capabilities or CAPABILITIES)
    for first, last, words in lines:
        span = f"{first}" if first == last else f"{first} - {last}"
        yield f"  {span:<20}" + "".join(f"{word:>6}" for word in words)
    shown = {word for _, _, words in lines for word in words}
    meanings = [f"{word}: {meaning}" for word, meaning in (*_CELLS.values(), _OTHER) if word in shown]
    yield from textwrap.wrap("; ".join(meanings), 80, initial_indent="  ", subsequent_indent="  ")


def _lines(found: Iterable[Row]) -> Iterator[tuple[Version, Version, tuple[str, ...]]]:
    """Consecutive releases with the same cells in one line."""
    run: tuple[Version, Version, tuple[str, ...]] | None = None
    for row in found:
        words = tuple(_word(fares) for fares in row.fares.values())
        if run and run[2] == words:
            run = (run[0], row.version, words)
            continue
        if run:
            yield run
        run = (row.version, row.version, words)
    if run:
        yield run


def _word(fares: Mapping[int, str]) -> str:
    return _CELLS.get(frozenset(fares.values()), _OTHER)[0]


def total(found: Surveyed) -> str:
    """Counts, time, memory and disk of a survey in one line."""
    variants = sum(len(one.variants) for one in found.records)
    disk = f"Triton takes {found.bytes >> 20} MiB"
    cost = f"{found.seconds / 60:.1f} minutes; at most {found.mib} MiB per compilation; {disk}"
    return (
        f"{len(found.records)} kernels in {variants} variants: {found.attempts} of {found.wanted} outcomes, "
        f"{found.compiled} of them compiled now; {cost}"
    )
