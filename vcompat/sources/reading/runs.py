"""What several runs have in common. A fact on which they differ is unknown for the runs together."""

from __future__ import annotations

from collections.abc import Sequence

from vcompat.facts.facts import Facts, Known, Likely
from vcompat.facts.value import show


def in_common(each: Sequence[tuple[str, Facts]]) -> Facts:
    """Return the facts that hold for all of the named runs, and what the configuration classes of any of them get.

    Beside runs that train, one that presumably generates only, such as an evaluation, does not count.
    """
    each = [run for run in each if not _generates_only(run[1])] or each
    common = each[0][1].copy()
    if len(each) == 1:
        return common
    names = dict.fromkeys(name for _, facts in each for name in facts.names() if "." in name or facts.is_open(name))
    for name in names:
        _settle(common, name, each)
    for _, facts in each[1:]:
        _take(common, facts)
    return common


def _take(common: Facts, facts: Facts) -> None:
    """Take what another run states besides the values of facts."""
    common.stated += tuple(stated for stated in facts.stated if stated not in common.stated)
    common.uses = tuple(dict.fromkeys((*common.uses, *facts.uses)))
    for family in [family for family in common.closed if family not in facts.closed]:
        common.reopen(family)
    if facts.likely_stated is not None:
        common.likely_stated = (*(common.likely_stated or ()), *facts.likely_stated)
    if facts.whole is None:
        common.whole = None


def _generates_only(facts: Facts) -> bool:
    trainer = facts.get("plan.trainer") or facts.likely("plan.trainer")
    return trainer is not None and trainer.value is None


def _likely(name: str, each: Sequence[tuple[str, Facts]]) -> Likely | None:
    """Return the value that the fact `name` has in all runs, in some of them presumably; None if they differ."""
    presumed = [facts.likely(name) for _, facts in each]
    states = [likely or facts.get(name) for likely, (_, facts) in zip(presumed, each, strict=True)]
    first = next((likely for likely in presumed if likely is not None), None)
    if first is None or any(state is None or state.value != first.value for state in states):
        return None
    presumes = [one for likely in presumed if likely is not None for one in likely.presumes]
    return first._replace(presumes=tuple(presumes))


def _of_all_gpus(states: Sequence[tuple[str, Known | None]]) -> Known | None:
    """Return what holds of all GPUs together, of which each run sees the first ones; None if that is not so."""
    every = [known for _, known in states if known is not None]
    if all(type(known.value) is int for known in every):
        return max(every, key=lambda known: int(str(known.value)))
    tuples = [known.value for known in every if isinstance(known.value, tuple)]
    longest = max(tuples, key=len, default=())
    if len(tuples) < len(every) or any(value != longest[: len(value)] for value in tuples):
        return None
    return next(known for known in every if known.value == longest)


def _settle(common: Facts, name: str, each: Sequence[tuple[str, Facts]]) -> None:
    """Keep the fact `name` if all runs have the same value."""
    states = [(run, facts.get(name)) for run, facts in each]
    values = [known.value for _, known in states if known is not None]
    is_known = len(values) == len(each)
    if is_known and all(value == values[0] for value in values):
        return
    if is_known and name.startswith("gpu.") and (widest := _of_all_gpus(states)) is not None:
        common.set(name, widest.value, widest.source, widest.place)
        return
    if (likely := _likely(name, each)) is not None:
        common.forget(name, likely.reason, likely.open_at)
        common.set_likely(name, likely)
        return
    open_in = next((facts for _, facts in each if facts.is_open(name)), None)
    if open_in is not None:
        common.forget(name, open_in.why_unknown(name), open_in.open_at(name))
    else:
        _forget_differing(common, name, states)


def _forget_differing(common: Facts, name: str, states: Sequence[tuple[str, Known | None]]) -> None:
    told = [f"{show(known.value)} in {run}" if known else f"unknown in {run}" for run, known in states]
    place = next((known.place for _, known in states if known and known.place), None)
    common.forget(name, f"the runs differ: {', '.join(told[:4])}", place)
