"""Judges the memory that a rehearsal took: its peak in each phase, and what `vcompat check` estimates. In MiB."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

from vcompat.facts.memory.budget import Budget
from vcompat.rehearsal.phases import phases_of
from vcompat.rehearsal.protocol import OUTPUT, PHASE, TRAINED, Told, values_of
from vcompat.rehearsal.samples import Gpu, Sample
from vcompat.rehearsal.verdict import FAILED, NOT_EXERCISED, PASSED, Check, Estimate, Peak, Track

MEMORY = "memory"
_GIB = 1024
#: The name of the exception that torch raises if a GPU has not enough memory.
_OUT_OF_MEMORY = "OutOfMemoryError"
#: What may be used before and is not worth stating: less than is seen in GiB with one decimal.
_UNSEEN = 51
#: Points of a track: enough for a picture.
_POINTS = 400


class _Part(NamedTuple):
    """A phase of a rank, also one that never ended."""

    name: str
    began: float
    ended: float


def peaks_of(told: Sequence[Told]) -> tuple[Peak, ...]:
    """Return the peak of each phase, of each rank, on each GPU and in host memory.

    A phase counts without the phases in it: what a training step needs is not what its rollout needs.
    """
    return tuple(peak for one in told if one.is_rank for peak in _peaks(one))


def _peaks(rank: Told) -> Iterator[Peak]:
    phases: dict[str, list[Sample]] = {}
    for name, samples in _in_order(rank):
        phases.setdefault(name, []).extend(samples)
    for name, samples in phases.items():
        yield Peak(rank.rank, None, name, max(sample.host for sample in samples))
        for gpu in rank.memory.gpus:
            used = [sample.gpus[gpu.uuid] for sample in samples if gpu.uuid in sample.gpus]
            own = [sample.own[gpu.uuid] for sample in samples if gpu.uuid in sample.own]
            reserved = [sample.reserved for sample in samples if sample.reserved is not None]
            if used:
                of_torch = max(reserved, default=None) if len(rank.memory.gpus) == 1 else None
                yield Peak(rank.rank, gpu.number, name, max(used), gpu.total, max(own, default=None), of_torch)


def _in_order(one: Told) -> Iterator[tuple[str, Sequence[Sample]]]:
    """Yield the innermost phase between two borders of phases, and the samples then, with the last one before."""
    samples, parts = one.memory.samples, _parts(one)
    times = [sample.time for sample in samples]
    borders = sorted({time for part in parts for time in (part.began, part.ended)})
    for began, ended in pairwise(borders):
        name = _innermost(parts, began)
        first, last = bisect_right(times, began), bisect_right(times, ended)
        if name and (found := samples[max(0, first - 1) : last]):
            yield name, found


def _parts(rank: Told) -> list[_Part]:
    """The phases in the order in which they began."""
    parts = (
        _Part(phase.name, phase.began, phase.began + phase.seconds if phase.has_ended else float("inf"))
        for phase in phases_of([rank])
    )
    return sorted(parts, key=lambda part: (part.began, -part.ended))


def _innermost(parts: Sequence[_Part], time: float) -> str:
    """The innermost phase after a time; empty if there is none."""
    return next((part.name for part in reversed(parts) if part.began <= time < part.ended), "")


def tracks_of(told: Sequence[Told]) -> tuple[Track, ...]:
    """Return what was used over time, by rank and GPU; of the host's memory where a rank has no GPU."""
    tracks: list[Track] = []
    for rank in (rank for rank in told if rank.is_rank and rank.memory.samples):
        for gpu in rank.memory.gpus:
            points = [(s.time, s.gpus[gpu.uuid]) for s in rank.memory.samples if gpu.uuid in s.gpus]
            tracks.append(Track(rank.rank, gpu.number, gpu.total, _thinned(points)))
        if not rank.memory.gpus:
            tracks.append(Track(rank.rank, None, None, _thinned([(s.time, s.host) for s in rank.memory.samples])))
    return tuple(tracks)


def _thinned(points: Sequence[tuple[float, int]]) -> tuple[tuple[float, int], ...]:
    """At most so many points, the largest of those that are left out for each."""
    step = -(-len(points) // _POINTS) or 1
    return tuple(max(points[at : at + step], key=lambda point: point[1]) for at in range(0, len(points), step))


def estimate_of(budget: Budget | None, told: Sequence[Told]) -> Estimate:
    """Return what `vcompat check` estimates, a lower bound, also of the two phases that need most."""
    if budget is None or budget.peak is None:
        missing = ", ".join(budget.missing) if budget else ""
        return Estimate(why=f"unknown: {missing}" if missing else "unknown")
    parts = (budget.weights, budget.gradients, budget.optimizer, budget.buffers)
    trainer, share = sum(part or 0.0 for part in parts), budget.vllm_share or 0.0
    generation = trainer - (budget.gradients or 0.0) + share
    # The check may not know what the trainer states: whether vLLM's share is free in a training step.
    sleeps = any(one.trainer.get("settings", {}).get("vllm_enable_sleep_mode") for one in told)
    step = trainer + (0.0 if sleeps else share)
    return Estimate(budget.peak, {"generation": round(generation), "training step": round(step)})


def memory(ranks: Sequence[Told], estimate: Estimate) -> Check:
    """Judge whether each phase had the memory that it needed."""
    full = next((one for one in ranks if not one.of(TRAINED) and _ran_out(one)), None)
    tightest = min(_gpus(ranks), key=lambda found: found[1].total - found[2], default=None)
    if full is not None:
        text = f"rank {full.rank} ran out of GPU memory in {_ran_out(full)}"
        return Check(MEMORY, FAILED, text + (f"; {_stated(*tightest)}" if tightest else ""))
    if tightest is None:
        return Check(MEMORY, NOT_EXERCISED, _without_gpu(ranks))
    if not all(one.of(TRAINED) for one in ranks):
        return Check(MEMORY, NOT_EXERCISED, f"the training did not end; {_stated(*tightest)}")
    _, gpu, peak = tightest
    sharers = sum(other.uuid == gpu.uuid for rank in ranks for other in rank.memory.gpus)
    notes = [_stated(*tightest), compared(gpu, peak, sharers, estimate)]
    return Check(MEMORY, PASSED, "; ".join(filter(None, (*notes, _short(ranks)))))


def _ran_out(one: Told) -> str:
    """The phase in which a rank ran out of memory; empty if it did not."""
    return next((str(e.values["name"]) for e in one.of(PHASE) if e.values.get("failed") == _OUT_OF_MEMORY), "")


def _gpus(ranks: Sequence[Told]) -> Iterator[tuple[Told, Gpu, int]]:
    for rank in ranks:
        for gpu in rank.memory.gpus:
            used = [sample.gpus[gpu.uuid] for sample in rank.memory.samples if gpu.uuid in sample.gpus]
            if used:
                yield rank, gpu, max(used)


def _stated(one: Told, gpu: Gpu, peak: int) -> str:
    """The peak of a GPU and the phase."""
    where = _when(one, lambda sample: sample.gpus.get(gpu.uuid, -1))
    text = f"GPU {gpu.number} peaks at {peak / _GIB:.1f} of {gpu.total / _GIB:.1f} GiB{where}"
    return text + (f", {gpu.before / _GIB:.1f} of them used before" if gpu.before > _UNSEEN else "")


def _when(one: Told, value: Callable[[Sample], int]) -> str:
    """The innermost phase in which a value was first as large as ever."""
    most = max(map(value, one.memory.samples))
    return next((f" in {name}" for name, found in _in_order(one) if most in map(value, found)), "")


def _without_gpu(ranks: Sequence[Told]) -> str:
    measured = [one for one in ranks if one.memory.samples]
    if not measured:
        return "nothing was measured"
    most = max(measured, key=lambda one: max(sample.host for sample in one.memory.samples))
    host = max(sample.host for sample in most.memory.samples)
    where = _when(most, lambda sample: sample.host)
    return f"no NVIDIA GPU; at most {host / _GIB:.1f} GiB of host memory per process{where}"


def compared(gpu: Gpu, peak: int, sharers: int, estimate: Estimate) -> str:
    """Return by how much the estimate was off. What was used before is not part of it."""
    if sharers > 1:
        return f"{sharers} ranks share it, which the check does not estimate"
    own = peak - gpu.before
    if estimate.peak is None or own <= 0:
        return f"the check has no estimate ({estimate.why})" if estimate.why else ""
    off = off_by(estimate.peak, own)
    how = f"{abs(off):.0%}".replace("%", " %") + (" less" if off < 0 else " more")
    return f"the check estimated at least {estimate.peak / _GIB:.1f} GiB ({how})"


def off_by(estimate: float, measured: float) -> float:
    """Return how far an estimate is from what was measured, as a share of that; negative if it is less."""
    return (estimate - measured) / measured


def _short(ranks: Sequence[Told]) -> str:
    """Why the real run may need more."""
    longest = max((int(output.get("longest", 0)) for output in values_of(ranks, OUTPUT)), default=0)
    settings: Mapping[str, object] = ranks[0].trainer.get("settings", {}) if ranks else {}
    most = settings.get("max_completion_length")
    if longest and isinstance(most, int) and longest < most:
        return f"completions had up to {longest} of {most} tokens; longer ones need more"
    return ""
