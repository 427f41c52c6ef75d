"""The phases of a rehearsal as a file that Perfetto and Chrome's tracing show."""

from __future__ import annotations

import json

from vcompat.rehearsal.verdict import Rehearsal
from vcompat.report.rehearsals.rehearsal_memory import device


def render(outcome: Rehearsal) -> str:
    """Return the phases of each rank, as a process of the trace, in the JSON form of trace events."""
    times = [phase.began for phase in outcome.phases]
    times += [time for track in outcome.tracks for time, _ in track.points[:1]]
    start = min(times, default=0.0)
    names = [
        {"ph": "M", "name": "process_name", "pid": rank, "tid": 0, "args": {"name": f"rank {rank}"}}
        for rank in outcome.ranks
    ]
    phases = [
        {
            "ph": "X",
            "name": phase.name,
            "cat": "rehearsal",
            "pid": phase.rank,
            "tid": 0,
            "ts": round((phase.began - start) * 1e6, 1),
            "dur": round(phase.seconds * 1e6, 1),
        }
        for phase in outcome.phases
    ]
    counters = [
        {
            "ph": "C",
            "name": f"memory of {device(track.gpu)} (MiB)",
            "pid": track.rank,
            "tid": 0,
            "ts": round((time - start) * 1e6, 1),
            "args": {"used": used},
        }
        for track in outcome.tracks
        for time, used in track.points
    ]
    return json.dumps({"displayTimeUnit": "ms", "traceEvents": [*names, *phases, *counters]})
