"""Selects the changes to run files that could fix a finding, the best first.

They come from the finding's fixes that change, add, rename or remove a setting or an environment variable.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from vcompat.evaluation.checking import Assessed
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
    for setting in _without_value(finding):
        yield f"no other {setting} fixes it and causes no other finding"
    if not usable:
        do = instruction(finding.fixes[0]) if finding.fixes else "no fix is known"
        yield f"needs a manual choice: {do}"
    for fix in usable:
        try:
            yield from _edits(fix, finding, state)
        except Cannot as reason:
            yield str(reason)


def _without_value(finding: Finding) -> Iterator[str]:
    """Yield the settings of fixes that are left out because no value is accepted."""
    left = [fix.details["setting"] for fix in finding.fixes if "nearest" in fix.details]
    for fix in finding.rule.fixes:
        if "nearest" in fix.details and fix.details["setting"] not in left:
            yield fix.details["setting"]


def _edits(fix: Fix, finding: Finding, state: Assessed) -> Iterator[tuple[Edit, ...]]:
    """Yield the edits of a fix; several if a setting can be added in several files."""
    runs = [facts.presumed() for name, facts in state.runs if not finding.runs or name in finding.runs]
    if fix.kind in ("rename", "remove"):
        yield _of_name(fix, finding, runs)
        return
    if fix.kind == "env":
        yield _of_variable(fix, finding, runs)
    else:
        yield from _of_setting(fix, finding, runs, state)


def _of_name(fix: Fix, finding: Finding, runs: Sequence[Facts]) -> tuple[Edit, ...]:
    """Return the edits of the name of a setting: where the finding is, and where other runs set it."""
    setting = fix.details["setting"]
    places = [place for place in (finding.place, *_named(finding, setting)) if place is not None and place.line]
    if not places:
        raise Cannot(f"no run file sets it: {instruction(fix)}")
    action = RENAME if fix.kind == "rename" else REMOVE
    each = dict.fromkeys([*places, *_places(f"plan.{setting}", runs)])
    return tuple(Edit(finding.rule.id, setting, action, place, fix.details.get("to")) for place in each)


def _named(finding: Finding, setting: str) -> tuple[Place, ...]:
    """Return where the setting is that the finding names."""
    found = [reason.place for reason in finding.because if reason.fact.rpartition(".")[2] == setting]
    return tuple(dict.fromkeys(place for place in found if place is not None and place.line))


def _of_variable(fix: Fix, finding: Finding, runs: Sequence[Facts]) -> tuple[Edit, ...]:
    variable = fix.details["variable"]
    places = _places(f"env.{variable}", runs)
    if not places:
        raise Cannot(f"no run file sets {variable}: {instruction(fix)}")
    value = fix.details.get("value")
    if "item" in fix.details:
        present = {str(facts.value(f"env.{variable}")) for facts in runs}
        value = _without(fix.details["item"], present.pop()) if len(present) == 1 else None
    action = SET if value else REMOVE
    return tuple(Edit(finding.rule.id, variable, action, place, value, is_variable=True) for place in places)


def _without(item: str, value: str) -> str:
    """Return a list of options, separated by commas, without an option."""
    return ",".join(part for part in value.split(",") if part.partition(":")[0].strip() != item)


def _of_setting(fix: Fix, finding: Finding, runs: Sequence[Facts], state: Assessed) -> Iterator[tuple[Edit, ...]]:
    setting = fix.details["setting"]
    is_expression = "expression" in fix.details
    value: Any = fix.details["expression"] if is_expression else fix.details.get("value")
    if value is None:
        raise Cannot(f"no value that all rules accept is known: {instruction(fix)}")
    fact = f"plan.{setting}"
    if any(facts.is_by_hand(fact) for facts in runs):
        raise Cannot(f"--set states {setting}, whatever the run files set")
    places = _places(fact, runs) or _named(finding, setting)
    if places:
        yield tuple(Edit(finding.rule.id, setting, SET, place, value, is_expression) for place in places)
        return
    for facts in runs:
        if facts.is_open(fact):
            raise Cannot(facts.why_unknown(fact))
    configurations = state.gathered.plan.configurations
    if fix.details.get("where", _TRAINERS_OWN) != _TRAINERS_OWN or len(configurations) != 1:
        raise Cannot(f"no single configuration to add it to: {instruction(fix)}")
    (to,) = configurations
    yield (Edit(finding.rule.id, setting, ADD, to.place, value, is_expression, owner=to.name),)
    for place in _others(to.place, runs):
        yield (Edit(finding.rule.id, setting, ADD, place, value, is_expression),)


def _others(place: Place, runs: Sequence[Facts]) -> list[Place]:
    """Return other places that give settings to the script at `place`: its configuration file, its command."""
    places = []
    for facts in runs:
        for name, known in facts.known.items():
            at = known.place
            if at is None or at.path == place.path or not name.startswith("plan."):
                continue
            if at.path.lower().endswith((".yaml", ".yml", ".toml")) and name.startswith("plan.vllm_"):
                places.append(Place(at.path))
            elif name == "plan.launcher" and at.line:
                places.append(at)
    # A file that states settings comes before the command.
    return sorted(dict.fromkeys(places), key=lambda at: at.line)


def _places(fact: str, runs: Sequence[Facts]) -> tuple[Place, ...]:
    """Return the positions in files that set `fact` in these runs, each once."""
    found = [_at(facts.recorded(fact)) for facts in runs]
    return tuple(dict.fromkeys(place for place in found if place is not None))


def _at(known: Known | None) -> Place | None:
    return known.place if known is not None and known.place is not None and known.place.line else None


def _adds_nearest(fix: Fix, state: Assessed) -> bool:
    """Whether a fix would add a number that no file states: another number that a file states is changed first."""
    if "nearest" not in fix.details:
        return False
    return not _places(f"plan.{fix.details['setting']}", [facts for _, facts in state.runs])
