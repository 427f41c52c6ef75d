"""A metric over the steps as an SVG: the values, what a healthy run stays below, and where the run leaves that."""

from __future__ import annotations

import math
from html import escape

from vcompat.diagnosis.metrics.metric_names import MEAN
from vcompat.diagnosis.metrics.metric_shapes import short
from vcompat.diagnosis.metrics.series import Series

#: The size in units of the SVG, which grows and shrinks with the page; room for the labels at the left and below.
_WIDTH, _HEIGHT, _LEFT, _BELOW, _ABOVE = 640, 220, 64, 36, 12
_RIGHT, _FOOT = _WIDTH - 12, _HEIGHT - _BELOW + 18
#: The most points that are drawn. Of more, those of each column are drawn as a line from the least to the greatest.
_POINTS = 500
#: Decades that a logarithmic axis has at most: what is 0 is drawn at its lower end.
_DECADES = 6


def plot(series: Series, threshold: float | None = None, step: float | None = None) -> str:
    """Return an SVG of `series`; an empty text if it has fewer than two finite values.

    `threshold` is a level that is drawn as a dashed line, `step` one that is marked. Differences of log-probabilities,
    and what spans more than two decades, have a logarithmic axis.
    """
    finite = series.finite
    if len(finite.values) < 2:
        return ""
    axis = _Axis(finite, threshold)
    first, last = finite.steps[0], finite.steps[-1]

    def across(at: float) -> float:
        return _LEFT + (at - first) / (last - first) * (_RIGHT - _LEFT)

    points = " ".join(f"{across(at):.1f},{axis.height(value):.1f}" for at, value in _thinned(finite))
    parts = [
        f'<svg class="metric" viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img" aria-label="{escape(_words(finite))}">',
        *(_label(axis.height(mark), short(mark)) for mark in axis.marks),
        *_steps(first, last, series.unit),
    ]
    if threshold is not None:
        height = axis.height(threshold)
        parts.append(f'<path class="limit" d="M{_LEFT} {height:.1f}H{_RIGHT}"/>')
        parts.append(f'<text x="{_RIGHT}" y="{height + 18:.1f}" text-anchor="end">limit {short(threshold)}</text>')
    if step is not None and first < step < last:
        parts.append(f'<path class="mark" d="M{across(step):.1f} {_ABOVE}V{_HEIGHT - _BELOW}"/>')
        parts.append(f'<text x="{across(step):.1f}" y="{_FOOT}" text-anchor="middle">{short(step)}</text>')
    parts.append(f'<polyline class="line" points="{points}"/></svg>')
    return "".join(parts)


class _Axis:
    """The vertical axis: linear or logarithmic, with the values and the threshold on it."""

    def __init__(self, series: Series, threshold: float | None) -> None:
        values = [*series.values, *([threshold] if threshold is not None else [])]
        positive = [value for value in values if value > 0]
        spans = bool(positive) and min(values) >= 0 and max(positive) > 100 * min(positive)
        self.is_logarithmic = bool(positive) and min(values) >= 0 and (spans or series.name.endswith(MEAN))
        if self.is_logarithmic:
            high = math.ceil(math.log10(max(positive)) - 1e-9)
            low = max(math.floor(math.log10(min(positive)) + 1e-9), high - _DECADES)
            self.low, self.high = float(low), float(max(high, low + 1))
            self.marks = [10.0**power for power in range(low, int(self.high) + 1)]
        else:
            self.low, self.high = min(values), max(values)
            if self.low == self.high:
                self.low, self.high = self.low - 1, self.high + 1
            self.marks = [self.low, (self.low + self.high) / 2, self.high]

    def height(self, value: float) -> float:
        """Where a value is, from the top."""
        if self.is_logarithmic:
            value = math.log10(value) if value > 0 else self.low
        share = min(1.0, max(0.0, (value - self.low) / (self.high - self.low)))
        return _HEIGHT - _BELOW - share * (_HEIGHT - _BELOW - _ABOVE)


def _thinned(series: Series) -> list[tuple[float, float]]:
    """The points to draw."""
    points = list(zip(series.steps, series.values, strict=True))
    if len(points) <= _POINTS:
        return points
    size = math.ceil(2 * len(points) / _POINTS)
    kept = []
    for start in range(0, len(points), size):
        part = points[start : start + size]
        ends = {min(part, key=lambda point: point[1]), max(part, key=lambda point: point[1])}
        kept += sorted(ends)
    return kept


def _label(height: float, text: str) -> str:
    line = f'<path class="grid" d="M{_LEFT} {height:.1f}H{_RIGHT}"/>'
    return f'{line}<text x="{_LEFT - 6}" y="{height + 4:.1f}" text-anchor="end">{escape(text)}</text>'


def _steps(first: float, last: float, unit: str) -> list[str]:
    return [
        f'<text x="{_LEFT}" y="{_FOOT}">{escape(f"{unit} {short(first)}")}</text>',
        f'<text x="{_RIGHT}" y="{_FOOT}" text-anchor="end">{escape(short(last))}</text>',
    ]


def _words(series: Series) -> str:
    """What the picture shows, for those who do not see it."""
    ends = f"{short(series.values[0])} to {short(series.values[-1])}"
    return f"{series.name} from {ends}, {series.unit}s {short(series.steps[0])} to {short(series.steps[-1])}"
