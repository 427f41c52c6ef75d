"""Which of a rule's fixes are left to be done in a run, and where a run file sets what they change."""

from __future__ import annotations

from packaging.version import Version

from vcompat.facts.facts import Facts
from vcompat.facts.value import FactValue
from vcompat.rules.ranges import parse_range
from vcompat.rules.rule import Fix, Rule


def fitting(rule: Rule, facts: Facts) -> tuple[Fix, ...]:
    """Return the fixes that support the releases in use and that the run has not got yet, the best first."""
    fits = (fix for fix in rule.fixes if fix.fits(lambda package: facts.value(f"packages.{package}")))
    return tuple(_with_place(fix, facts) for fix in fits if not _is_done(fix, facts))


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
    """Return a fix with the position at which a run file sets the variable, or calls ``vcompat.patch()`` without it."""
    fact = f"env.{fix.details['variable']}" if fix.kind == "env" else "plan.patched"
    known = facts.get(fact) if fix.kind in ("env", "patch") else None
    if known is None or known.place is None or not known.place.line:
        return fix
    return fix._replace(details={**fix.details, "place": str(known.place)})
