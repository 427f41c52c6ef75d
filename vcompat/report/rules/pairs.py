"""What `vcompat rules scan --all` found, as text."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from click import style
from packaging.version import Version

from vcompat.report.rules.misfits import render
from vcompat.upstream.scanning.reasons import Reason, reasons_for
from vcompat.upstream.scanning.scan import Misfit, Scan

_HEAD = ("uses", "of", "names", "not determined", "missing", "rule", "reason", "neither")


class Judged(NamedTuple):
    """The misfits of one pair of packages that matter: those that the metadata of the using package allows."""

    found: Scan
    by_rule: tuple[Misfit, ...]
    by_reason: tuple[tuple[Misfit, tuple[Reason, ...]], ...]
    unexplained: tuple[Misfit, ...]


def judged(scan: Scan, reasons: Sequence[Reason]) -> Judged:
    """Sort misfits by what explains them. Where the using package declares nothing, every release is allowed."""
    allowed = [misfit for misfit in scan.misfits if misfit.inside or misfit.undeclared]
    by_rule = tuple(misfit for misfit in allowed if misfit.known)
    rest = [(misfit, reasons_for(scan.user, scan.other, misfit, reasons)) for misfit in allowed if not misfit.known]
    by_reason = tuple((misfit, named) for misfit, named in rest if named)
    return Judged(scan, by_rule, by_reason, tuple(misfit for misfit, named in rest if not named))


def table(pairs: Sequence[Judged]) -> Iterator[str]:
    """A line for each pair of packages."""
    rows = [_HEAD, *(_row(pair) for pair in pairs)]
    widths = [max(len(row[column]) for row in rows) for column in range(len(_HEAD))]
    for row in rows:
        named = [cell.ljust(width) for cell, width in zip(row[:2], widths[:2], strict=True)]
        counted = [cell.rjust(width) for cell, width in zip(row[2:], widths[2:], strict=True)]
        yield "  ".join([*named, *counted])


def _row(pair: Judged) -> tuple[str, ...]:
    counts = (len(pair.by_rule), len(pair.by_reason), len(pair.unexplained))
    return pair.found.user, pair.found.other, *map(str, (pair.found.uses, pair.found.unknown, sum(counts), *counts))


def unexplained(pairs: Sequence[Judged], releases: Mapping[str, Sequence[Version]]) -> Iterator[str]:
    """The misfits with neither a rule nor a reason, each with its files."""
    for pair in pairs:
        yield from render(pair.unexplained, (pair.found.user, pair.found.other), releases)


def unused(pairs: Sequence[Judged], reasons: Sequence[Reason]) -> Iterator[str]:
    """A line for each reason that explains no misfit."""
    used = {reason for pair in pairs for _, named in pair.by_reason for reason in named}
    for reason in reasons:
        if reason not in used:
            yield style(f"evidence/misfits.toml: {reason}: explains nothing, remove it", fg="red")
