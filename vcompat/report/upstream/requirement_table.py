"""What releases declare of each other, as a table."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby

from click import style

from vcompat.rules.record import Record
from vcompat.upstream.requirements import LIBRARIES

#: Columns in this order; others follow by name.
_FIRST = ("python", "vllm", "transformers", "torch", "cuda")


def table(record: Record) -> Iterator[str]:
    """A line for each run of releases that declare the same, newest first."""
    declared = sorted(set(record.declares) - set(LIBRARIES))
    partners = [name for name in _FIRST if name in declared] + [name for name in declared if name not in _FIRST]
    said = [
        (v, tuple(_cell(record.declares[p].get(v)) for p in partners)) for v in sorted(record.releases, reverse=True)
    ]
    rows = [[record.package, *partners]]
    for cells, run in groupby(said, key=lambda one: one[1]):
        versions = [version for version, _ in run]
        span = f"{versions[-1]} - {versions[0]}" if len(versions) > 1 else f"{versions[0]}"
        rows.append([span, *cells])
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    for number, row in enumerate(rows):
        line = "  ".join(f"{cell:<{width}}" for cell, width in zip(row, widths, strict=True)).rstrip()
        yield style(line, bold=not number)


def _cell(text: str | None) -> str:
    """A range, ``any`` for one that takes every version, and a dash where nothing is said."""
    return "-" if text is None else text or "any"
