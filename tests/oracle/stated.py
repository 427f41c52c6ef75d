"""What the readers state about run files, as plain data."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from packaging.version import Version

from vcompat.facts.facts import Facts, Place
from vcompat.foundation.errors import InputError
from vcompat.sources.gather import Sources, collect


def stated(given: Sequence[str]) -> dict[str, Any]:
    """Return each run with its facts, what is missing, and where settings can be added; or why the files are refused."""
    try:
        gathered = collect(Sources(files=list(given), probe=False))
    except InputError as refusal:
        return {"refused": str(refusal)}
    plan = gathered.plan
    return {
        "runs": [
            {"name": run.name, "command": run.command, "takes_defaults": run.takes_defaults, **_facts(run.facts)}
            for run in gathered.runs
        ],
        "files": list(plan.files),
        "missing": [f"{mention.place}: {mention.path}" for mention in plan.missing],
        "configurations": [f"{c.place}: {c.kind} {c.name}".strip() for c in plan.configurations],
    }


def _facts(facts: Facts) -> dict[str, Any]:
    known = [f"{name} = {_plain(each.value)} <- {_from(each.source, each.place)}" for name, each in facts.known.items()]
    likely = [
        f"{name} = {_plain(each.value)} <- {_from(each.source, each.place)}; presumes {'; '.join(map(str, each.presumes))}"
        for name, each in facts.all_likely()
    ]
    left_open = [f"{name}: {_from(reason, facts.open_at(name))}" for name, reason in facts.all_open()]
    return {
        "known": sorted(known),
        "likely": sorted(likely),
        "unknown": sorted(left_open),
        "complete": sorted(facts.closed),
    }


def _plain(value: object) -> str:
    return str(value) if isinstance(value, Version) else repr(value)


def _from(text: str, place: Place | None) -> str:
    """Return the source or reason, with the place unless it is the same."""
    return text if place is None or str(place) == text else f"{text} at {place}"
