"""Selects the settings to change in run files, so that findings are fixed.

Only certain findings are fixed, with the first of a rule's fixes that changes a setting or an environment variable. A
value that is computed at run time is not changed.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from vcompat.evaluation.finding import CERTAIN, Finding
from vcompat.facts.facts import Facts
from vcompat.fixes.editing.change import Cannot, Edit
from vcompat.foundation.errors import InputError
from vcompat.foundation.reading import MB, read_bytes
from vcompat.rules.instruction import instruction
from vcompat.rules.rule import Fix
from vcompat.sources.plan.part import Configuration

_LIMIT = 20 * MB
#: The configuration class of a fix that does not name one.
_TRAINERS_OWN = "GRPOConfig"


class Left(NamedTuple):
    """A finding that no change to a run file fixes."""

    finding: Finding
    why: str


class Plan(NamedTuple):
    """The changes to make, and the findings that they do not fix."""

    edits: tuple[Edit, ...]
    left: tuple[Left, ...]


def plan_edits(findings: Iterable[Finding], facts: Facts, configurations: Sequence[Configuration]) -> Plan:
    """Select a change for each finding that a change to a run file fixes."""
    edits: dict[str, Edit] = {}
    left = []
    for finding in findings:
        if finding.fixed_by:
            continue
        if finding.certainty != CERTAIN:
            left.append(Left(finding, "not certain"))
            continue
        try:
            edit = _edit(finding, facts, configurations)
            known = edits.get(edit.setting)
            if known is not None and known.value != edit.value:
                raise Cannot(f"{known.rule} requires another value of {edit.setting}")
            edits.setdefault(edit.setting, edit)
        except Cannot as reason:
            left.append(Left(finding, str(reason)))
    return Plan(tuple(edits.values()), tuple(left))


def _edit(finding: Finding, facts: Facts, configurations: Sequence[Configuration]) -> Edit:
    usable = [fix for fix in finding.fixes if fix.kind in ("config", "env")]
    if not usable:
        do = instruction(finding.fixes[0]) if finding.fixes else "no fix is known"
        raise Cannot(f"needs a manual choice: {do}")
    reasons = []
    for fix in usable:
        try:
            return _by(fix, finding, facts, configurations)
        except Cannot as reason:
            reasons.append(str(reason))
    raise Cannot("; ".join(reasons))


def _by(fix: Fix, finding: Finding, facts: Facts, configurations: Sequence[Configuration]) -> Edit:
    details: Mapping[str, Any] = fix.details
    if fix.kind == "env":
        known = facts.known.get(f"env.{details['variable']}")
        if known is None or known.place is None or "value" not in details:
            raise Cannot(f"no run file sets this variable: {instruction(fix)}")
        return Edit(finding.rule.id, details["variable"], details["value"], False, known.place, adds=False)
    setting = details["setting"]
    is_expression = "expression" in details
    value = details["expression"] if is_expression else details["value"]
    known = facts.known.get(f"plan.{setting}")
    if known is not None and known.place is not None and known.place.line:
        return Edit(finding.rule.id, setting, value, is_expression, known.place, adds=False)
    if f"plan.{setting}" in facts.reasons:
        raise Cannot(facts.reasons[f"plan.{setting}"])
    fitting = [c for c in configurations if details.get("where", _TRAINERS_OWN) == _TRAINERS_OWN]
    if len(fitting) != 1:
        raise Cannot(f"no single configuration to add it to: {instruction(fix)}")
    return Edit(finding.rule.id, setting, value, is_expression, fitting[0].place, adds=True)


class Changed(NamedTuple):
    """The contents of a file before and after the changes."""

    path: str
    before: bytes
    after: bytes


def apply(edits: Sequence[Edit]) -> tuple[list[Changed], list[tuple[Edit, str]]]:
    """Make the changes in memory. Returns the changed files, and the edits that cannot be made with the reason.

    Raises InputError for a file that cannot be read.
    """
    changed, refused = [], []
    for path in dict.fromkeys(edit.place.path for edit in edits):
        before = after = read_bytes(path, _LIMIT, "a run file")
        # From the end to the start, so that the positions of the remaining edits stay valid.
        for edit in sorted((e for e in edits if e.place.path == path), key=lambda e: e.place, reverse=True):
            try:
                after = _apply_one(path, after, edit)
            except Cannot as reason:
                refused.append((edit, str(reason)))
        if after != before:
            changed.append(Changed(path, before, after))
    return changed, refused


def _apply_one(path: str, data: bytes, edit: Edit) -> bytes:
    ending = path.rpartition(".")[2].lower()
    try:
        if ending == "py":
            from vcompat.fixes.editing.python_file import change
        elif ending in ("yaml", "yml"):
            from vcompat.fixes.editing.yaml_file import change
        elif ending == "toml":
            from vcompat.fixes.editing.toml_file import change
        else:
            raise Cannot(f"{edit.place}: unsupported file type, set {edit.setting} to {edit.value!r} manually")
    except ImportError as error:
        raise InputError("vcompat fix", f"{error.name} is not installed", "pip install 'vcompat[fix]'") from None
    return change(data, edit)
