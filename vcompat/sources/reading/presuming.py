"""Puts two readings of one plan together: what is known in the certain one, and what is likely by the presuming one."""

from __future__ import annotations

from collections.abc import Iterable

from vcompat.facts.facts import Facts, Likely, bounded
from vcompat.facts.presumption import CALL, CALLER, Presumption
from vcompat.sources.reading.python.values.core import TOO_COMPLEX
from vcompat.sources.reading.runs import in_common
from vcompat.sources.reading.whole import Plan, Run

#: The start of what is presumed of each variable that the caller might set.
_NOT_SET = "the caller does not set "
#: What is presumed where the presuming reading goes further without having noted why.
_UNNAMED = (Presumption(CALL, "what cannot be followed changes nothing"),)


def leaves_open(plan: Plan) -> bool:
    """Return whether the certain reading leaves something open that presumptions can decide."""
    return bool(plan.missing) or any(
        not run.takes_defaults or any(run.facts.all_open()) or _lacks_model(run.facts) for run in plan.runs
    )


def _lacks_model(facts: Facts) -> bool:
    """Return whether a trainer is known, and nothing is recorded of the model that it gets."""
    return facts.recorded("plan.trainer") is not None and "plan.model" not in facts.names()


def with_likely(certain: Plan, presumed: Plan) -> Plan:
    """Return the runs of the presuming reading: known is what the certain one knows, likely what only this one does."""
    before = _by_name(certain.runs)
    runs = []
    for name, each in _by_name(presumed.runs).items():
        known = before.get(name, [])
        for index, run in enumerate(each):
            runs.append(_merged(known[index] if len(known) == len(each) else _nothing_of(run), run))
    if len(presumed.runs) < len(certain.runs):
        common = in_common([(run.name, run.facts) for run in certain.runs])
        for run in runs:
            _one_of_several(run, common)
    together = in_common([(run.name or "the run files", run.facts) for run in runs])
    return Plan(
        together,
        all(run.takes_defaults for run in runs),
        certain.configurations or presumed.configurations,
        tuple(dict.fromkeys((*certain.files, *presumed.files))),
        tuple(runs),
        presumed.missing,
        _given_up(certain, presumed),
    )


def _given_up(certain: Plan, presumed: Plan) -> tuple[str, ...]:
    """Return what a reading did not follow. Where the certain one gave up a script, the other may know its settings."""
    followed = {text.partition(",")[0] for text in presumed.given_up}
    certainly = (
        f"{text}, so that its settings are likely at most"
        if text.endswith(TOO_COMPLEX) and text not in followed
        else text
        for text in certain.given_up
    )
    return tuple(dict.fromkeys((*presumed.given_up, *certainly)))


def _by_name(runs: Iterable[Run]) -> dict[str, list[Run]]:
    by_name: dict[str, list[Run]] = {}
    for run in runs:
        by_name.setdefault(run.name, []).append(run)
    return by_name


def _nothing_of(run: Run) -> Run:
    """Return a run of which the certain reading knows nothing, since it does not have it."""
    return Run(run.name, run.command, Facts(), False)


def _merged(certain: Run, presumed: Run) -> Run:
    facts = certain.facts.copy()
    general = _put_together(presumed.presumes) or _UNNAMED
    _add_likely(facts, presumed, general)
    # What neither reading followed is still true of both.
    for name, reason in presumed.facts.all_open():
        facts.excuse(name, reason)
    recorded = set(presumed.facts.names())
    for name, _ in certain.facts.all_open():
        if name not in recorded:
            facts.presume_unstated(name)
    stated = tuple(
        each if each in certain.facts.stated else each._replace(presumes=general) for each in presumed.facts.stated
    )
    if stated != certain.facts.stated:
        facts.likely_stated = stated
    before = {(used.use, used.place) for used in facts.uses}
    facts.uses += tuple(
        used._replace(presumes=(*used.presumes, *general))
        for used in presumed.facts.uses
        if (used.use, used.place) not in before
    )
    if presumed.takes_defaults and not certain.takes_defaults:
        facts.whole = general
    return presumed._replace(facts=facts, takes_defaults=certain.takes_defaults, overridable=certain.overridable)


def _add_likely(facts: Facts, presumed: Run, general: tuple[Presumption, ...]) -> None:
    """Make likely what only the presuming reading knows."""
    of_variables = _put_together((*presumed.presumes_of_variables, *presumed.presumes)) or _UNNAMED
    for name, known in presumed.facts.all_known():
        if facts.get(name) is None:
            shared = of_variables if name.startswith("env.") else general
            presumes = known.presumes if known.presumes and shared == _UNNAMED else (*known.presumes, *shared)
            reason, at = facts.why_unknown(name), facts.open_at(name)
            facts.set_likely(name, Likely(known.value, known.source, known.place, presumes, reason, at))


def _one_of_several(run: Run, common: Facts) -> None:
    """Make likely what does not hold for all the runs that may start, of which this is the one that presumably does."""
    presumes = _put_together(run.presumes) or _UNNAMED
    for name in {*run.facts.names(), *common.names()}:
        known = run.facts.get(name)
        if known is not None and ((other := common.get(name)) is None or other.value != known.value):
            reason, at = common.why_unknown(name), common.open_at(name)
            run.facts.forget(name, reason, at)
            run.facts.set_likely(name, Likely(known.value, known.source, known.place, presumes, reason, at))


def _put_together(presumes: Iterable[Presumption]) -> tuple[Presumption, ...]:
    """Return presumptions of which those about single variables are one."""
    listed = list(dict.fromkeys(presumes))
    names = [one.text.removeprefix(_NOT_SET) for one in listed if one.text.startswith(_NOT_SET)]
    others = [one for one in listed if not one.text.startswith(_NOT_SET)]
    if names:
        shown = ", ".join(sorted(dict.fromkeys(names))[:4]) + (" and others" if len(names) > 4 else "")
        others.append(Presumption(CALLER, f"{_NOT_SET}{shown}"))
    return bounded(others)
