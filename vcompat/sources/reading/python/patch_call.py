"""States which patches the script applies: those of a call of `vcompat.patch()` that is certainly reached in time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from vcompat.facts.facts import Facts, Place
from vcompat.patches import patch_ids
from vcompat.sources.reading.python.values.core import Event
from vcompat.sources.reading.python.values.values import NotPlainError, to_plain

if TYPE_CHECKING:
    from vcompat.sources.reading.python.values.abstract_run import Run

#: What patches change: a call of patch() must come before the import, and before anything is made with them.
_PATCHED = ("vllm", "trl", "unsloth")


def patched(facts: Facts, run: Run) -> None:
    """State ``plan.patched``."""
    calls = [event for event in run.events if event.kind == "patch"]
    whole = Place(run.path)
    if not calls:
        facts.set("plan.patched", (), f"{whole} does not call vcompat.patch()")
        return
    first = calls[0]
    place = Place(first.place.path, first.place.line, 1)
    why = f"not certainly called: {first.uncertain}" if first.uncertain else _late(run, first)
    if why:
        facts.forget("plan.patched", f"{place}: {why}", place)
        return
    undone = next((event for event in run.events if event.kind == "other patch call"), None)
    if undone is not None or len(calls) > 1:
        name = undone.name if undone is not None else "vcompat.patch"
        facts.forget("plan.patched", f"{place}: {name}() is called, too", place)
        return
    ids = _chosen(first)
    if ids is None:
        facts.forget("plan.patched", f"{place}: its arguments are computed at run time", place)
    else:
        facts.set("plan.patched", ids, str(place), place)


def _late(run: Run, call: Event) -> str:
    """Return what comes before the call that should come after it; empty if nothing does."""
    for event in run.events[: run.events.index(call)]:
        if event.kind == "import" and event.name.partition(".")[0] in _PATCHED:
            return f"called after the import of {event.name.partition('.')[0]} in line {event.place.line}"
        if event.kind in ("trainer", "engine"):
            return f"called after {event.name} is made in line {event.place.line}"
    return ""


def _chosen(call: Event) -> tuple[str, ...] | None:
    """Return the patches that the arguments choose; None if they are not constant."""
    if call.why_open:
        return None
    given: dict[str, Any] = {"only": None, "skip": ()}
    for name in given:
        if name in call.settings:
            try:
                given[name] = to_plain(call.settings[name].value)
            except NotPlainError:
                return None
    only, skip = given["only"], given["skip"]
    if not isinstance(only, list | tuple | str | None) or not isinstance(skip, list | tuple | str | None):
        return None
    wanted = [only] if isinstance(only, str) else patch_ids() if only is None else list(only)
    skipped = [skip] if isinstance(skip, str) else list(skip or ())
    return tuple(patch_id for patch_id in wanted if patch_id not in skipped)
