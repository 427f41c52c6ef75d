"""Selects the changes to run files that could fix a finding, the best first.

They come from the finding's fixes that change, add, rename or remove a setting or an environment variable.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from vcompat.evaluation.check import Assessed
from vcompat.evaluation.finding import Finding
from vcompat.facts.facts import Facts, Known, Place
from vcompat.fixes.editing.change import ADD, REMOVE, RENAME, SET, Cannot, Edit
from vcompat.rules.instruction import instruction
from vcompat.rules.rule import Fix

KINDS = ("config", "env", "rename", "remove")
#: The configuration class of a fix that does not name one.
_TRAINERS_OWN = "GRPOConfig"


def choices(finding: Finding, state: Assessed) -> Iterator[tuple[Edit, ...] | str]:
    """Yield for each fix of `finding` the edits that it needs, or the reason why there are none."""
    usable = sorted((fix for fix in finding.fixes if fix.kind in KINDS), key=lambda fix: _adds_nearest(fix, state))
    if not usable:
        do = instruction(finding.fixes[0]) if finding.fixes else "no fix is known"
        yield f"needs a manual choice: {do}"
    for fix in usable:
        try:
            yield _edits(fix, finding, state)
        except Cannot as reason:
            yield str(reason)


def _edits(fix: Fix, finding: Finding, state: Assessed) -> tuple[Edit, ...]:
    if fix.kind in ("rename", "remove"):
        place = finding.place
        if place is None or not place.line:
            raise Cannot(f"no run file sets it: {instruction(fix)}")
        action = RENAME if fix.kind == "rename" else REMOVE
        return (Edit(finding.rule.id, fix.details["setting"], action, place, fix.details.get("to")),)
    runs = [facts for name, facts in state.runs if not finding.runs or name in finding.runs]
    if fix.kind == "env":
        return _of_variable(fix, finding, runs)
    return _of_setting(fix, finding, runs, state)


def _of_variable(fix: Fix, finding: Finding, runs: Sequence[Facts]) -> tuple[Edit, ...]:
    variable = fix.details["variable"]
    places = _places(f"env.{variable}", runs)
    if not places:
        raise Cannot(f"no run file sets {variable}: {instruction(fix)}")
    action, value = (SET, fix.details["value"]) if "value" in fix.details else (REMOVE, None)
    return tuple(Edit(finding.rule.id, variable, action, place, value, is_variable=True) for place in places)


def _of_setting(fix: Fix, finding: Finding, runs: Sequence[Facts], state: Assessed) -> tuple[Edit, ...]:
    setting = fix.details["setting"]
    is_expression = "expression" in fix.details
    value: Any = fix.details["expression"] if is_expression else fix.details.get("value")
    if value is None:
        raise Cannot(f"no value that all rules accept is known: {instruction(fix)}")
    fact = f"plan.{setting}"
    if any(facts.is_by_hand(fact) for facts in runs):
        raise Cannot(f"--set states {setting}, whatever the run files set")
    places = _places(fact, runs)
    if places:
        return tuple(Edit(finding.rule.id, setting, SET, place, value, is_expression) for place in places)
    for facts in runs:
        if fact in facts.reasons:
            raise Cannot(facts.reasons[fact])
    configurations = state.gathered.plan.configurations
    if fix.details.get("where", _TRAINERS_OWN) != _TRAINERS_OWN or len(configurations) != 1:
        raise Cannot(f"no single configuration to add it to: {instruction(fix)}")
    (to,) = configurations
    return (Edit(finding.rule.id, setting, ADD, to.place, value, is_expression, owner=to.name),)


def _places(fact: str, runs: Sequence[Facts]) -> tuple[Place, ...]:
    """Return the positions in files that set `fact` in these runs, each once."""
    found = [_at(facts.known.get(fact)) for facts in runs]
    return tuple(dict.fromkeys(place for place in found if place is not None))


def _at(known: Known | None) -> Place | None:
    return known.place if known is not None and known.place is not None and known.place.line else None


def _adds_nearest(fix: Fix, state: Assessed) -> bool:
    """Whether a fix would add a number that no file states: another number that a file states is changed first."""
    if "nearest" not in fix.details:
        return False
    return not _places(f"plan.{fix.details['setting']}", [facts for _, facts in state.runs])
