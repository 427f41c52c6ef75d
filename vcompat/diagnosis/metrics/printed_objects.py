"""Metrics in braces: the dictionaries that the Trainer prints, the entries of trainer_state.json, lines of JSON."""

from __future__ import annotations

import re

from vcompat.diagnosis.metrics.metric_names import MARKS, STEPS, metric
from vcompat.diagnosis.metrics.series import Run

#: The most bytes of an entry.
_LONGEST = 64 * 1024
#: A dictionary without another one in it. What is between braces has no brace, so that this is linear.
_OBJECT = re.compile(rb"\{[^{}]{2,%d}\}" % _LONGEST)
#: A name and a number; transformers 5 prints numbers as text, and NumPy's have their type before them.
_PAIR = re.compile(
    r"""["'](?P<name>[\w/ .-]{1,120})["']\s{0,4}:\s{0,40}["']?(?:np\.float\d\d\(|tensor\()?"""
    r"(?P<value>-?(?:\d{1,30}(?:\.\d{0,40})?(?:[eE][+-]?\d{1,4})?|nan|NaN|inf|Infinity))(?=[\"'),}\s])"
)


class ObjectReader:
    """Finds the entries of a log, which is given to it in parts."""

    def __init__(self, path: str) -> None:
        self.run = Run(path)
        self._rest = self._last = b""

    def take(self, data: bytes, line: int) -> None:
        """Read the next part of the log, which begins on that line."""
        whole = self._rest + data if self._rest else data
        if any(mark in whole for mark in MARKS):
            start, line = 0, line - self._rest.count(b"\n")
            for printed in _OBJECT.finditer(whole):
                # A terminal from which people copy wraps lines within names and numbers.
                entry = printed[0].translate(None, b"\r\n")
                if any(mark in entry for mark in MARKS):
                    line += whole.count(b"\n", start, printed.start())
                    start = printed.start()
                    self._take(entry.decode("utf-8", "replace"), line)
        opened = whole.rfind(b"{")
        is_open = opened > whole.rfind(b"}") and len(whole) - opened <= _LONGEST
        self._rest = whole[opened:] if is_open else b""
        self._last = whole.rstrip()[-1:] or self._last

    @property
    def is_cut(self) -> bool:
        """Whether it ends within JSON that has entries."""
        return bool(self.run.all_series) and (bool(self._rest) or self._last not in (b"}", b"]"))

    def _take(self, text: str, line: int) -> None:
        values: dict[str, float] = {}
        steps: dict[str, float] = {}
        for pair in _PAIR.finditer(text):
            known = metric(pair["name"])
            if known is not None:
                values[known.name] = float(pair["value"])
            elif pair["name"] in STEPS:
                steps[pair["name"]] = float(pair["value"])
        if values:
            step = next((steps[name] for name in STEPS if name in steps), None)
            self.run.take(values, step, line)
