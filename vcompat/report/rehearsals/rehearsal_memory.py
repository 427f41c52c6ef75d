"""The memory of a rehearsal as parts of a page: a table of peaks, and curves over time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from vcompat.rehearsal.verdict import Peak, Rehearsal, Track
from vcompat.report.parts.memory_budget import gib

#: Rows of the table. A run with more ranks repeats itself.
_ROWS = 32
#: The columns, and the phases that they show: what is left of a phase without the phases in it.
_COLUMNS = {
    "trainer": "load model",
    "engine start": "engine start",
    "wake up": "wake up",
    "synchronization": "synchronize",
    "generation": "generate",
    "rollout": "rewards, logits",
    "training step": "forward, backward",
    "training": "optimizer step",
    "evaluation": "evaluation",
}
#: Width and height of a curve, in units of its own.
_WIDE, _HIGH = 1000, 100

STYLE = """
.vcompat .caption { font-size: .8rem; opacity: .8; line-height: 1.2; margin-top: -.3rem }
.vcompat .curve { display: block; width: 100%; height: 2.2rem; background: #8881; border-left: 2px solid currentColor }
.vcompat .curve path { fill: #0072b255; stroke: #4a9fd8; stroke-width: 1.5; vector-effect: non-scaling-stroke }
.vcompat .peaks td, .vcompat .peaks th { text-align: right } .vcompat .peaks .most { font-weight: 600 }
.vcompat .peaks td:first-child, .vcompat .peaks th:first-child { text-align: left; white-space: nowrap }
"""


def device(gpu: int | None) -> str:
    """How a GPU, or the host's memory, is called."""
    return "host" if gpu is None else f"GPU {gpu}"


def table(outcome: Rehearsal) -> Iterator[str]:
    """Yield a section with the peaks of each rank, in GiB."""
    seen = {peak.phase for peak in outcome.memory}
    phases = [name for name in _COLUMNS if name in seen]
    is_gpu = any(peak.total_mib for peak in outcome.memory)
    if not phases:
        return
    yield "<section><h2>Memory</h2><p>Peak in GiB, in each phase without the phases in it."
    yield " A GPU's memory is that of all processes on it.</p>" if is_gpu else "</p>"
    yield '<table class="peaks"><thead><tr><th>process</th>'
    names = [_COLUMNS[name] for name in phases] + (["of"] if is_gpu else [])
    yield "".join(f"<th>{name}</th>" for name in names) + "</tr></thead><tbody>"
    rows = _rows(outcome, phases, is_gpu)
    yield from rows[:_ROWS]
    if outcome.estimate.phases:
        estimates = {name: gib(value) for name, value in outcome.estimate.phases.items()}
        numbers = "".join(f"<td>{estimates.get(name, '')}</td>" for name in phases)
        yield f"<tr><td>the check, at least</td>{numbers}<td></td></tr>"
    yield "</tbody></table>"
    if len(rows) > _ROWS:
        yield f"<p>and {len(rows) - _ROWS} more rows in the JSON report</p>"
    yield "</section>"


def _rows(outcome: Rehearsal, phases: Sequence[str], is_gpu: bool) -> list[str]:
    peaks: dict[tuple[int, int | None], dict[str, Peak]] = {}
    for peak in outcome.memory:
        peaks.setdefault((peak.rank, peak.gpu), {})[peak.phase] = peak
    # Memory of GPUs is scarce, so it comes first.
    ordered = sorted(peaks, key=lambda key: (key[1] is None, key))
    return [_row(f"rank {rank}, {device(gpu)}", peaks[rank, gpu], phases, is_gpu) for rank, gpu in ordered]


def _row(title: str, peaks: dict[str, Peak], phases: Sequence[str], is_gpu: bool) -> str:
    most = max(peak.peak_mib for peak in peaks.values())
    cells = []
    for name in phases:
        peak = peaks.get(name)
        style = ' class="most"' if peak and peak.peak_mib == most else ""
        cells.append(f"<td{style}>{gib(peak.peak_mib) if peak else ''}</td>")
    total = next((gib(peak.total_mib) for peak in peaks.values() if peak.total_mib), "")
    cells += [f"<td>{total}</td>"] if is_gpu else []
    return f"<tr><td>{title}</td>{''.join(cells)}</tr>"


def curve(track: Track, tracks: Sequence[Track], start: float, whole: float) -> str:
    """A curve over `whole` seconds from `start` on. A GPU's is to scale of its memory, the host's of the largest."""
    alike = [other for other in tracks if (other.gpu is None) == (track.gpu is None)]
    top = track.total or max((value for other in alike for _, value in other.points), default=1) or 1
    points = _points(track, start, whole)
    if not points:
        return ""
    path, peak = f"M{_x(points[0][0], start, whole)},{_HIGH}", max(value for _, value in points)
    for time, value in points:
        # What was used holds until the next sample.
        path += f"H{_x(time, start, whole)}V{_HIGH * (1 - value / top):.1f}"
    of = f" of {gib(top)}" if track.total else ""
    title = f"{device(track.gpu)}, up to {gib(peak)}{of} GiB"
    return (
        f'<div class="caption">{title}</div>'
        f'<svg class="curve" viewBox="0 0 {_WIDE} {_HIGH}" preserveAspectRatio="none" role="img" aria-label="{title}">'
        f'<title>{title}</title><path d="{path}H{_WIDE}V{_HIGH}Z"/></svg>'
    )


def _points(track: Track, start: float, whole: float) -> list[tuple[float, int]]:
    """The points of `whole` seconds, and what was used when they began."""
    before = [(start, value) for time, value in track.points if time < start]
    return [*before[-1:], *(point for point in track.points if start <= point[0] <= start + whole)]


def _x(time: float, start: float, whole: float) -> str:
    return f"{(time - start) / whole * _WIDE:.1f}"
