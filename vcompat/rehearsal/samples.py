"""The samples of memory that a process of a rehearsal wrote (`inside/memory_samples.py`). Sizes are in MiB."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple


class Gpu(NamedTuple):
    """A GPU on which a process trains."""

    uuid: str
    number: int
    """NVML's number of it; that of the whole GPU for a MIG instance."""
    name: str
    total: int
    before: int
    """What was used when the process began to make its trainer."""


class Sample(NamedTuple):
    """What was used at a time. It holds until the next sample."""

    time: float
    """Seconds since 1970."""
    host: int
    """Host memory that the process had."""
    gpus: Mapping[str, int]
    """By UUID, what all processes used."""
    own: Mapping[str, int]
    """By UUID, what this process used, where NVML states it."""
    reserved: int | None
    """What torch's allocator kept on the current GPU; None if it was not asked."""


class Samples(NamedTuple):
    """All samples of a process, in the order of time."""

    gpus: tuple[Gpu, ...] = ()
    samples: tuple[Sample, ...] = ()


def samples_of(lines: Iterable[bytes]) -> Samples:
    """Return the samples in the lines of a file. A line of another form is left out."""
    gpus: dict[str, Gpu] = {}
    samples = []
    for line in lines:
        try:
            values = json.loads(line)
            if "gpu" in values:
                gpu = _gpu(values)
                gpus[gpu.uuid] = gpu
            else:
                samples.append(_sample(values))
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
            # The line of a process that was killed while it wrote.
            continue
    return Samples(tuple(gpus.values()), tuple(sorted(samples, key=lambda one: one.time)))


def _gpu(values: Mapping[str, Any]) -> Gpu:
    uuid, name = str(values["gpu"]), str(values["name"])
    return Gpu(uuid, int(values["index"]), name, int(values["total"]), int(values["before"]))


def _sample(values: Mapping[str, Any]) -> Sample:
    gpus = {str(name): int(used) for name, used in values["gpus"].items()}
    own = {str(name): int(used) for name, used in values.get("own", {}).items()}
    reserved = values.get("reserved")
    return Sample(float(values["time"]), int(values["host"]), gpus, own, None if reserved is None else int(reserved))
