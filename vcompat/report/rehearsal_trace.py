"""The phases of a rehearsal as a file that Perfetto and Chrome's tracing show."""

from __future__ import annotations

import json

from vcompat.rehearsal.verdict import Rehearsal


def render(outcome: Rehearsal) -> str:
    """Return the phases of each rank, as a process of the trace, in the JSON form of trace events."""
    start = min((phase.began for phase in outcome.phases), default=0.0)
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
    return json.dumps({"displayTimeUnit": "ms", "traceEvents": [*names, *phases]})
