"""Findings about names in the code of a run that the releases at hand do not have: one for each name."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from vcompat.evaluation.finding import CERTAIN, CODE, LIKELY, POSSIBLE, Finding, Need, Reason
from vcompat.facts.facts import Facts, bounded
from vcompat.facts.records.known_releases import presumed_unchanged
from vcompat.rules.condition import NamesTest
from vcompat.rules.rule import Fix, Rule

if TYPE_CHECKING:
    from vcompat.rules.missing import Missing

#: Maximum number of places that a finding lists.
_MOST_PLACES = 5


def findings(rules: Sequence[Rule], facts: Facts) -> Iterator[Finding]:
    """Yield a finding for each missing name that one of the `rules` is about."""
    if not (rules and facts.uses):
        return
    # Imported here: most checks without run files end above, and it takes time.
    from vcompat.rules.missing import missing

    found = list(missing(facts))
    for rule in rules:
        test = rule.when
        assert isinstance(test, NamesTest)
        yield from (_finding(rule, facts, one) for one in found if one.kind == test.kind)


def _finding(rule: Rule, facts: Facts, missing: Missing) -> Finding:
    from vcompat.index.spans import have

    surest, package = missing.used[0], missing.package.package
    release = facts.get(f"packages.{package}")
    assert release is not None
    newer = presumed_unchanged(facts, [f"packages.{package}"])
    presumes = bounded((*surest.presumes, *release.presumes, *newer))
    certainty = POSSIBLE if surest.branch else LIKELY if presumes else CERTAIN
    places = tuple(dict.fromkeys(used.place for used in missing.used))
    because = [Reason(f"packages.{package}", str(missing.version), release.source, release.place)]
    because += [Reason(CODE, str(surest.use), str(place), place) for place in places[:_MOST_PLACES]]
    known = f" ({have(missing.package, missing.has, may=missing.may)})" if missing.has else ""
    return Finding(
        rule,
        certainty,
        tuple(because),
        (Need("", f"whether {surest.branch}"),) if surest.branch else (),
        "",
        tuple(_fixes(missing)),
        subject=missing.what,
        headline=f"{package} {missing.version} has no {missing.what}{known}",
        presumes=presumes if certainty == LIKELY else (),
    )


def _fixes(missing: Missing) -> Iterator[Fix]:
    """Yield what to change, the best advice first."""
    from vcompat.index.spans import position, wanted

    if missing.now:
        yield Fix("advice", {"advice": f"It is {missing.now} in this release."}, "")
    to = wanted(
        missing.package, missing.has | missing.may if missing.has else 0, position(missing.package, missing.version)
    )
    if to is not None:
        yield Fix("version", {"package": missing.package.package, "range": to[0]}, "")
