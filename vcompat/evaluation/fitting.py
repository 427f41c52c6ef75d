"""Which of a rule's fixes are left to be done in a run, and where a run file sets what they change."""

from __future__ import annotations

from functools import cache

from packaging.specifiers import SpecifierSet
from packaging.version import Version

from vcompat.facts.facts import Facts
from vcompat.facts.frameworks import HAVE_PROGRAMS, NAME_OTHERWISE
from vcompat.facts.value import FactValue
from vcompat.rules.ranges import parse_range
from vcompat.rules.record import shipped_record
from vcompat.rules.rule import Fix, Rule


def fitting(rule: Rule, facts: Facts) -> tuple[Fix, ...]:
    """Return the fixes that support the releases in use and that the run has not got yet, the best first."""
    fits = (fix for fix in rule.fixes if fix.fits(lambda package: facts.value(f"packages.{package}")))
    left = (fix for fix in fits if not _is_done(fix, facts) and _has_setting(fix, facts))
    return tuple(_with_python(_with_place(fix, facts), facts) for fix in left)


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


def _with_python(fix: Fix, facts: Facts) -> Fix:
    """Return a fix that names releases with the Python they require, if none of them supports the run's."""
    python = facts.value("host.python")
    if fix.kind != "version" or "range" not in fix.details or not isinstance(python, Version):
        return fix
    required = _required_pythons(fix.details["package"], fix.details["range"])
    if not required or any(SpecifierSet(one).contains(python, prereleases=True) for one in required):
        return fix
    return fix._replace(note=f"{fix.note} Requires Python {required[-1]}; this run has {python}.".lstrip())


@cache
def _required_pythons(package: str, releases: str) -> tuple[str, ...]:
    """Return which Pythons the recorded releases in a range require, oldest release first."""
    record, wanted = shipped_record(package), parse_range(releases)
    declared = record.declares.get("python", {})
    return tuple(declared.get(one, "") for one in record.releases if wanted.contains(one))
