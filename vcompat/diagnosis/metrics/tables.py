"""Metrics in a CSV file, as Weights & Biases, TensorBoard's page for several runs and pandas write it."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator

from vcompat.diagnosis.logs.bounded_lines import Cutter, texts
from vcompat.diagnosis.metrics.metric_names import REWARD_STD, SAMPLING, STEPS, metric
from vcompat.diagnosis.metrics.series import MOST_RUNS, Run

#: The most characters of a cell, and the most columns.
_MOST = 4096
#: What separates cells.
_MARKS = (",", ";", "\t")


def is_table(first: bytes) -> bool:
    """Whether a file that begins with `first` is a CSV file with metrics of GRPO."""
    head = first.split(b"\n", 1)[0].decode("utf-8", "replace")
    mark = _mark(head)
    return mark in head and "{" not in head and bool(_columns(_cells(head, mark)))


def read_table(blocks: Iterable[bytes], path: str) -> list[Run]:
    """Return the runs of a CSV file. A cell that is no number is left out."""
    runs: dict[str, Run] = {}
    lines = _lines(blocks)
    head = next(lines, (0, ""))[1]
    mark = _mark(head)
    names = _cells(head, mark)
    columns = _columns(names)
    step_column = next((names.index(name) for name in STEPS if name in names), -1)
    for number, line in lines:
        cells = _cells(line, mark)
        step = _number(cells, step_column)
        if step_column >= 0 and step is None:
            continue
        for name, run_columns in columns.items():
            values = {key: value for key, at in run_columns.items() if (value := _number(cells, at)) is not None}
            if values:
                runs.setdefault(name, Run(path, name)).take(values, step, number)
    return list(runs.values())


def _lines(blocks: Iterable[bytes]) -> Iterator[tuple[int, str]]:
    """Yield the number and the text of each line."""
    cutter = Cutter()
    for block in blocks:
        for chunk in cutter.take(block):
            yield from texts(chunk)
    for chunk in cutter.end():
        yield from texts(chunk)


def _mark(head: str) -> str:
    """What separates the cells: spreadsheets write semicolons where a comma is the decimal point."""
    return max(_MARKS, key=head.count)


def _cells(line: str, mark: str) -> list[str]:
    """The cells of a line. A cell with a line feed in it, such as a completion's text, makes lines that are no rows."""
    try:
        cells = next(csv.reader([line.lstrip("\ufeff").rstrip("\r\n")], delimiter=mark), [])[:_MOST]
    except csv.Error:
        return []
    return cells if mark == "," else [cell.replace(",", ".") for cell in cells]


def _columns(head: list[str]) -> dict[str, dict[str, int]]:
    """By run, which column has which metric; nothing if no column is one of GRPO's alone."""
    if not any(name.endswith((*SAMPLING, REWARD_STD)) for name in head):
        return {}
    columns: dict[str, dict[str, int]] = {}
    for at, text in enumerate(head):
        known = metric(text.strip())
        if known is not None and (known.run in columns or len(columns) < MOST_RUNS):
            columns.setdefault(known.run, {}).setdefault(known.name, at)
    return columns


def _number(cells: list[str], at: int) -> float | None:
    if not 0 <= at < len(cells):
        return None
    try:
        return float(cells[at])
    except ValueError:
        return None
