"""What the shape of metrics means: whether vLLM generates with the trainer's weights, and whether the loss uses that.

The thresholds were measured. ``evidence/metrics/runs.json`` has real runs of a small model on the CPU, healthy ones and
ones broken on purpose; ``tests/unit/diagnosis/metrics/test_signatures.py`` states what each of them must be. Kernels
of GPUs, FP8 and long completions have more noise than these runs. So the limits are far above what was measured here,
and a signature is certain only if the run's own first steps show that its noise is smaller by an order of magnitude.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from statistics import median
from typing import NamedTuple

from vcompat.diagnosis.metrics.metric_names import MEAN, RATIO, SAMPLING, ZERO_STD
from vcompat.diagnosis.metrics.series import Run, Series
from vcompat.facts.facts import Facts
from vcompat.facts.place import Place

#: Nats per token: what the mean difference of a healthy run can be. Healthy runs here stay below 0.01 with rollouts in
#: bfloat16, and below 1e-6 in float32; on GPUs, several times that is common.
NOISE = 0.1
#: Nats per token: from here on, no noise explains it. Weights that are lost altogether give 2 and more.
APART = 0.3
#: How much greater than a run's own first values, and how much for a signature to be certain.
FACTOR, CERTAIN_FACTOR = 5, 20
#: How many entries a level must last to be one.
_LASTS = 3
#: Ratios, by which the loss is multiplied, that leave half of it, and next to nothing. In healthy runs here it is 0.9
#: to 1.1; noise makes it smaller where completions have thousands of tokens, if it is taken over the whole sequence.
REDUCED, DISCARDED = 0.5, 0.1
#: Entries in a row that are no coincidence, and that are longer than a loss scaler needs or a trial run has.
_MANY, _LONG = 5, 20
#: Of the entries, how many must be above the noise; how much more the last ones are than the first if they grow; nats
#: per token that a healthy run does not drift to unnoticed.
_SHARE, _GROWTH, _DRIFT = 0.8, 1.5, 0.03

HEALTHY, DRIFTING, UNCLEAR, SILENT = "healthy", "drifting", "unclear", "silent"


class Signature(NamedTuple):
    """A silent failure that metrics show."""

    id: str
    """One of ``vcompat.rules.metric_signatures.SIGNATURES``."""
    is_certain: bool
    """Whether the shape leaves no doubt; it does not say what the cause is."""
    metric: str
    text: str
    """The metric, its values and steps."""
    step: float
    """The first step that shows it."""
    threshold: float | None
    """What the metric is below, or above, in a healthy run; None if that is no level."""
    line: int
    """The line of the file; 0 where there are none."""


class Judged(NamedTuple):
    """The metrics of a run, and what they show."""

    run: Run
    state: str
    """``failing`` with signatures, else `HEALTHY`, `DRIFTING`, `UNCLEAR`, or `SILENT` without metrics about vLLM."""
    signatures: tuple[Signature, ...]
    text: str
    """What was seen, for a run without signatures."""


def judged(run: Run) -> Judged:
    """Return what the metrics of a run show."""
    signatures = (*_all(run),)
    if signatures:
        return Judged(run, "failing", signatures, "")
    mean = run.series(MEAN).finite
    if not mean.values:
        return Judged(run, SILENT, (), "")
    highest = mean.values.index(max(mean.values))
    is_healthy = len(mean.values) >= _LASTS and mean.values[highest] < NOISE / 2 and not _drifts(mean)
    return Judged(run, HEALTHY if is_healthy else DRIFTING if _drifts(mean) else UNCLEAR, (), _span(mean, highest))


def _drifts(mean: Series) -> bool:
    """Whether it grows, and is not yet above the noise: stale weights begin like this, and so do other things."""
    return median(mean.values[-_LASTS:]) > max(FACTOR * mean.values[0], _DRIFT)


def state(metrics: Judged, facts: Facts) -> None:
    """State what follows from which metrics there are, unless the log states it: TRL logs them only then."""
    found = next((series for name in SAMPLING if (series := metrics.run.series(name)).values), None)
    if found is not None:
        place = Place(metrics.run.path, found.lines[0])
        source = f"{MEAN.partition('/')[0]}/ metrics"
        facts.offer("plan.use_vllm", True, source, place)
        facts.offer("plan.vllm_importance_sampling_correction", True, source, place)


def _all(run: Run) -> Iterator[Signature]:
    mean = run.series(MEAN).finite
    discarded = [*_discarded(run)]
    shapes = [*_shapes(mean)]
    # The ratio follows from the difference, and is then no failure of its own.
    yield from (each._replace(text="; ".join(one.text for one in (each, *discarded))) for each in shapes)
    if not shapes:
        yield from _of_evaluation(run, mean)
        yield from discarded
    yield from _not_numbers(run)
    yield from _no_signal(run)


def _shapes(mean: Series) -> Iterator[Signature]:
    """Where the rollouts' log-probabilities leave the trainer's: from the first step on, with the steps, or at once.

    Before the first optimizer step, both have the checkpoint: what differs then is no matter of synchronization.
    """
    values = mean.values
    if not values:
        return
    if values[0] >= NOISE:
        yield from _from_the_first(mean)
        return
    start = values[0]
    limit = max(NOISE, FACTOR * start)
    left = next((at for at, value in enumerate(values) if value > limit), None)
    if left is None:
        return
    far = max(APART, CERTAIN_FACTOR * start)
    after = values[left:]
    if median(after) > limit:
        # Stale weights differ from the first optimizer step on, and more with each.
        stays = sum(value > limit for value in after) >= len(after) * _SHARE
        is_gradual = left < _LASTS or max(values[left - _LASTS : left]) > max(2 * start, NOISE / 5)
        is_certain = len(after) >= _LASTS and median(after) >= far
        name = "stale-rollouts" if is_gradual and stays else "broken-rollouts"
        yield _signature(name, is_certain, mean, left, limit)
    elif sum(value > far for value in after) >= _LASTS:
        # Some steps only, as if some generations had other weights.
        yield _signature("broken-rollouts", False, mean, left, limit)


def _from_the_first(mean: Series) -> Iterator[Signature]:
    """The first entry differs. It is the mean of several steps, unless it is that of step 1: then it may be stale."""
    values = mean.values
    if sum(value >= NOISE for value in values) < len(values) * _SHARE:
        return
    is_first = mean.unit == "step" and mean.steps[0] <= 1
    is_certain = is_first and len(values) >= _LASTS and values[0] >= APART and median(values) >= APART
    grows = len(values) > _LASTS and median(values[-_LASTS:]) > _GROWTH * values[0]
    if is_first or not grows:
        yield _signature("wrong-rollouts", is_certain, mean, 0, NOISE)
    if not is_first:
        yield _signature("stale-rollouts", False, mean, 0, NOISE)


def _of_evaluation(run: Run, mean: Series) -> Iterator[Signature]:
    """Rollouts that are wrong in evaluation, while those of the training are right."""
    evaluated = run.series(f"eval_{MEAN}").finite
    if not evaluated.values or not mean.values:
        return
    limit = max(NOISE, FACTOR * median(mean.values))
    left = next((at for at, value in enumerate(evaluated.values) if value > limit), None)
    if left is not None:
        level = median(evaluated.values[left:])
        is_certain = level >= max(APART, CERTAIN_FACTOR * median(mean.values))
        yield _signature("stale-evaluation", is_certain, evaluated, left, limit)


def _discarded(run: Run) -> Iterator[Signature]:
    """A ratio far below 1: with masking, completions whose probabilities differ too much count nothing in the loss."""
    ratio = run.series(RATIO).finite
    left = next((at for at, value in enumerate(ratio.values) if value < REDUCED), None)
    if left is None or len(ratio.values) - left < _LASTS:
        return
    level = median(ratio.values[left:])
    if level < REDUCED:
        yield _signature("discarded-rollouts", level < DISCARDED, ratio, left, REDUCED)


def _not_numbers(run: Run) -> Iterator[Signature]:
    """Values that are not numbers up to the end. A gradient may be none for some steps: a loss scaler skips these."""
    for name, many in ((MEAN, _MANY), ("loss", _MANY), ("kl", _MANY), ("grad_norm", _LONG)):
        series = run.series(name)
        finite = [at for at, value in enumerate(series.values) if math.isfinite(value)]
        left = finite[-1] + 1 if finite else 0
        if len(series.values) - left >= many:
            yield _signature("not-a-number", name != "grad_norm", series, left, None)
            return


def _no_signal(run: Run) -> Iterator[Signature]:
    """Groups with equal rewards from the first step to the last."""
    share = run.series(ZERO_STD).finite
    if len(share.values) >= _LONG and all(value >= 1 for value in share.values):
        yield _signature("no-reward-signal", True, share, 0, None)


def _signature(name: str, is_certain: bool, series: Series, left: int, limit: float | None) -> Signature:
    span = _span(series, left)
    return Signature(name, is_certain, series.name, span, series.steps[left], limit, series.lines[left])


def _span(series: Series, left: int = 0) -> str:
    """The metric, its first value, the one at `left` and the last one, with their steps."""
    shown = dict.fromkeys((0, left, len(series.values) - 1))
    values = (f"{short(series.values[at])} at {series.unit} {short(series.steps[at])}" for at in shown)
    return f"{series.name}: {', '.join(values)}"


def short(value: float) -> str:
    """A number with three digits, as a person reads it."""
    if not math.isfinite(value):
        return str(value)
    return f"{value:.0f}" if value == round(value) and abs(value) < 1e9 else f"{value:.3g}"
