"""Which of a rule's fixes are left to be done in a run, and where a run file sets what they change."""

from __future__ import annotations

from packaging.version import Version

from vcompat.facts.facts import Facts
from vcompat.facts.frameworks import HAVE_PROGRAMS, NAME_OTHERWISE
from vcompat.facts.value import FactValue
from vcompat.rules.ranges import parse_range
from vcompat.rules.rule import Fix, Rule


def fitting(rule: Rule, facts: Facts) -> tuple[Fix, ...]:
    """Return the fixes that support the releases in use and that the run has not got yet, the best first."""
    fits = (fix for fix in rule.fixes if fix.fits(lambda package: facts.value(f"packages.{package}")))
    return tuple(_with_place(fix, facts) for fix in fits if not _is_done(fix, facts) and _has_setting(fix, facts))


def _has_setting(fix: Fix, facts: Facts) -> bool:
    """Whether the framework of the run has the setting of GRPOConfig that the fix changes, if it changes one."""
    return fix.kind != "config" or "where" in fix.details or facts.value("plan.framework") not in NAME_OTHERWISE


def _is_done(fix: Fix, facts: Facts) -> bool:
    """Whether the run already does what the fix says, so that this does not help."""
    details = fix.details
    if fix.kind == "patch":
        patched = facts.value("plan.patched")
        return not fix.removes_failure and isinstance(patched, tuple) and details["patch"] in patched
    if fix.kind == "config" and "value" in details:
        return _has(facts, f"plan.{details['setting']}", details["value"])
    if fix.kind == "env":
        return _has(facts, f"env.{details['variable']}", details.get("value"))
    if fix.kind == "version":
        version = facts.value(f"packages.{details['package']}")
        return isinstance(version, Version) and "range" in details and parse_range(details["range"]).contains(version)
    return False


def _has(facts: Facts, name: str, value: FactValue) -> bool:
    known = facts.get(name)
    return known is not None and type(known.value) is type(value) and known.value == value


def _with_place(fix: Fix, facts: Facts) -> Fix:
    """Return a fix with the position at which a run file sets the variable, or calls ``vcompat.patch()`` without it.

    Where a program of a framework trains, no script can call it: the command has to apply the patch.
    """
    fact = f"env.{fix.details['variable']}" if fix.kind == "env" else "plan.patched"
    if fix.kind == "patch" and facts.value("plan.framework") in HAVE_PROGRAMS:
        return fix._replace(details={**fix.details, "by_command": True})
    known = facts.get(fact) if fix.kind in ("env", "patch") else None
    if known is None or known.place is None or not known.place.line:
        return fix
    return fix._replace(details={**fix.details, "place": str(known.place)})
