"""Findings about settings that do not fit the releases at hand: one for each setting."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from vcompat.evaluation.finding import CERTAIN, LIKELY, POSSIBLE, Finding, Need, Reason
from vcompat.facts.facts import Facts, bounded
from vcompat.facts.records.known_releases import presumed_unchanged
from vcompat.facts.value import show
from vcompat.rules.condition import AllOf, Condition, SettingsTest
from vcompat.rules.rule import Fix, Rule

if TYPE_CHECKING:
    from vcompat.facts.presumption import Presumption
    from vcompat.rules.unfit import Unfit


def findings(rules: Iterable[Rule], facts: Facts) -> Iterator[Finding]:
    """Yield a finding for each setting that one of the `rules` is about."""
    if not facts.stated and not any(facts.is_by_hand(name) for name in facts.known if name.startswith("plan.")):
        return
    # Imported here: most checks without run files end above, and it takes time.
    from vcompat.rules.unfit import unfit

    found: list[Unfit] | None = None
    for rule in rules:
        test, others = _parts(rule.when)
        truth = all_of(others, facts)
        if truth is not False:
            found = list(unfit(facts)) if found is None else found
            fitting = [one for one in found if one.kind == test.kind]
            yield from _of_rule(rule, facts, fitting, truth is True)


def _of_rule(rule: Rule, facts: Facts, found: Iterable[Unfit], applies: bool) -> Iterator[Finding]:
    for one in found:
        certain = applies and one.is_certain
        if certain or rule.may_be_possible(facts):
            yield _finding(rule, facts, one, certain)


def _parts(condition: Condition) -> tuple[SettingsTest, list[Condition]]:
    """Return the test of settings in a condition, and the others."""
    parts = condition.parts if isinstance(condition, AllOf) else (condition,)
    test = next(part for part in parts if isinstance(part, SettingsTest))
    return test, [part for part in parts if part is not test]


def all_of(parts: list[Condition], facts: Facts) -> bool | None:
    """Return whether all `parts` hold; None if that is not known."""
    return AllOf(tuple(parts)).truth(facts)


def _finding(rule: Rule, facts: Facts, unfit: Unfit, certain: bool) -> Finding:
    because, needs = [], []
    presumes: list[Presumption] = [one for stated in facts.stated for one in stated.presumes]
    among = [package for package, _, _ in unfit.among]
    for package in [package for package in unfit.packages if package not in among]:
        known = facts.get(f"packages.{package}")
        presumes += known.presumes if known is not None else ()
        if known is None:
            needs.append(Need(f"packages.{package}", facts.why_unknown(f"packages.{package}")))
        elif known.value is not None:
            because.append(Reason(f"packages.{package}", show(known.value), known.source, known.place))
    presumes += presumed_unchanged(facts, [reason.fact for reason in because])
    because += [Reason(f"packages.{package}", releases, why) for package, releases, why in unfit.among]
    given = str(unfit.place) if unfit.place is not None else "--set"
    if not needs and not certain:
        needs.append(Need("plan.trainer", "no script or command is given"))
    because.append(Reason(f"{unfit.class_name}.{unfit.setting}", unfit.value or "(computed)", given, unfit.place))
    detail = f"{unfit.why[:1].upper()}{unfit.why[1:]}." if unfit.why else ""
    fixes = tuple(_fixes(unfit)) or tuple(_for_package(fix, unfit.packages[0]) for fix in rule.fixes)
    return Finding(
        rule,
        (LIKELY if presumes else CERTAIN) if certain else POSSIBLE,
        tuple(because),
        () if certain else tuple(needs),
        "",
        fixes,
        subject=unfit.setting,
        headline=unfit.title,
        detail=detail,
        presumes=bounded(presumes) if certain else (),
    )


def _fixes(unfit: Unfit) -> Iterator[Fix]:
    """Yield what to change, the best advice first."""
    if unfit.rename:
        yield Fix("rename", {"setting": unfit.setting, "to": unfit.rename, "where": unfit.class_name}, "")
    if unfit.alike:
        yield Fix("advice", {"advice": f"Check the name: {unfit.alike} is similar."}, "")
    if unfit.other_value != "":
        yield Fix("config", {"setting": unfit.setting, "value": unfit.other_value, "where": unfit.class_name}, "")
    if unfit.last is not None:
        package, version = unfit.last
        if not unfit.rename:
            yield Fix("remove", {"setting": unfit.setting, "where": unfit.class_name}, "")
        yield Fix("version", {"package": package, "range": f"<={version}"}, "")
    if unfit.first is not None:
        package, version = unfit.first
        yield Fix("version", {"package": package, "range": f">={version}"}, "")


def _for_package(fix: Fix, package: str) -> Fix:
    """Return the general advice of a rule, which names TRL's settings, for the settings of `package`."""
    advice = fix.details.get("advice")
    if advice is None:
        return fix
    return fix._replace(details={**fix.details, "advice": advice.replace("support trl", f"support {package}")})
