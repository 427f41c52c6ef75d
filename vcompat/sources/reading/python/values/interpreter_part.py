"""A part of the interpreter: it has the state of the execution, and reaches the other parts by it."""

from __future__ import annotations

from vcompat.sources.reading.python.values.abstract_run import Run


class Part:
    """What all parts have."""

    def __init__(self, run: Run) -> None:
        self.run = run
