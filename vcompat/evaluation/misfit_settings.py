"""Findings about settings that do not fit the releases at hand: one for each setting."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING

from vcompat.evaluation.finding import CERTAIN, LIKELY, POSSIBLE, Finding, Need, Reason
from vcompat.facts.facts import Facts, Known, bounded
from vcompat.facts.records.known_releases import presumed_unchanged
from vcompat.rules.condition import AllOf, Condition, SettingsTest
from vcompat.rules.rule import Fix, Rule

if TYPE_CHECKING:
    from vcompat.rules.unfit import Unfit


def findings(rules: Iterable[Rule], facts: Facts) -> Iterator[Finding]:
    """Yield a finding for each setting that one of the `rules` is about."""
    if not facts.stated and not any(facts.is_by_hand(name) for name in facts.known if name.startswith("plan.")):
        return
    # Imported here: most checks without run files end above, and it takes time.
    from vcompat.rules.unfit import unfit

    misfits: list[Unfit] | None = None
    for rule in rules:
        test, others = _parts(rule.when)
        applies = others.truth(facts)
        if applies is False:
            continue
        misfits = list(unfit(facts)) if misfits is None else misfits
        for misfit in misfits:
            is_certain = applies is True and misfit.is_certain
            if misfit.kind == test.kind and (is_certain or rule.may_be_possible(facts)):
                yield _finding(rule, facts, misfit, is_certain)


def _parts(condition: Condition) -> tuple[SettingsTest, AllOf]:
    """Return the test of settings in a condition, and the others."""
    parts = condition.parts if isinstance(condition, AllOf) else (condition,)
    test = next(part for part in parts if isinstance(part, SettingsTest))
    return test, AllOf(tuple(part for part in parts if part is not test))


def _finding(rule: Rule, facts: Facts, unfit: Unfit, certain: bool) -> Finding:
    among = [package for package, _, _ in unfit.among]
    names = [f"packages.{package}" for package in unfit.packages if package not in among]
    releases = {name: known for name in names if (known := facts.get(name)) is not None}
    finding = Finding(
        rule,
        POSSIBLE,
        tuple(_because(unfit, releases)),
        (),
        "",
        _fixes(unfit, rule),
        subject=unfit.setting,
        headline=unfit.title,
        detail=_sentence(unfit.why),
    )
    if certain:
        of_settings = [presumption for stated in facts.stated for presumption in stated.presumes]
        of_releases = [presumption for known in releases.values() for presumption in known.presumes]
        presumes = bounded((*of_settings, *of_releases, *presumed_unchanged(facts, releases)))
        return finding._replace(certainty=LIKELY if presumes else CERTAIN, presumes=presumes)
    needs = [Need(name, facts.why_unknown(name)) for name in names if name not in releases]
    return finding._replace(needs=tuple(needs) or (Need("plan.trainer", "no script or command is given"),))


def _because(unfit: Unfit, releases: Mapping[str, Known]) -> Iterator[Reason]:
    """Yield the releases that decided, and the setting."""
    yield from (Reason.of(name, known) for name, known in releases.items() if known.value is not None)
    yield from (Reason(f"packages.{package}", tried, why) for package, tried, why in unfit.among)
    given = str(unfit.place) if unfit.place is not None else "--set"
    yield Reason(f"{unfit.class_name}.{unfit.setting}", unfit.value or "(computed)", given, unfit.place)


def _sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}." if text else ""


def _fixes(unfit: Unfit, rule: Rule) -> tuple[Fix, ...]:
    """Return what to change, the best advice first; what the rule advises in general if that is not known."""
    return tuple(_changes(unfit)) or tuple(_for_package(fix, unfit.packages[0]) for fix in rule.fixes)


def _changes(unfit: Unfit) -> Iterator[Fix]:
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
