"""Claims held against what releases show: the range that a rule declares, the releases that a patch is for.

Verdicts may have been seen just now (``survey``) or be recorded (``record``); here they are only compared.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from packaging.version import Version

from vcompat.facts.facts import Facts
from vcompat.patching.guard import APPLY, REFUSE
from vcompat.patching.patch import Patch
from vcompat.rules.fingerprint import PRESENT, Seen
from vcompat.rules.ranges import parse_range
from vcompat.rules.record import PATCH, RULE
from vcompat.rules.rule import Requirement, Rule

#: What was seen of one package: for each subject, for each release.
Sightings = Mapping[tuple[str, str, int], Mapping[Version, Seen]]


class Remark(NamedTuple):
    """What is to be said of one rule or patch in one release."""

    kind: str
    id: str
    package: str
    version: Version
    text: str
    place: str
    """File and line in the release's source; empty where only a record was looked at, or there is no such code."""


def may_strike(rule: Rule, package: str, version: Version) -> bool:
    """Whether the rule's condition leaves the release in, all other facts unknown: its declared range."""
    facts = Facts()
    facts.set(f"packages.{package}", version, "a release that is looked at")
    return rule.when.truth(facts) is not False


def measured_packages(rule: Rule) -> list[str]:
    """The packages in whose source the rule's fingerprints look."""
    return list(dict.fromkeys(fingerprint.package for fingerprint in rule.evidence.fingerprints))


def changed_packages(patch: Patch) -> list[str]:
    """The packages whose modules the patch changes."""
    return list(dict.fromkeys(change.module.partition(".")[0] for change in patch.changes))


def of_rule(rule: Rule, package: str, releases: Iterable[Version], sightings: Sightings) -> Iterator[Remark]:
    """Releases of `package` in which a fault is seen and the rule does not speak of them, or the reverse."""
    rows = _rows(sightings, RULE, rule.id)
    for version in releases:
        seen = [row[version] for row in rows if version in row]
        if not seen:
            continue
        present = [one for one in seen if one.verdict == PRESENT]
        claimed = may_strike(rule, package, version)
        if claimed and not present:
            verdicts = " and ".join(dict.fromkeys(one.verdict for one in seen))
            yield Remark(RULE, rule.id, package, version, f"in the declared range, but {verdicts}", _place(seen))
        elif present and not claimed:
            text = "outside of the declared range, but the fault is present"
            yield Remark(RULE, rule.id, package, version, text, _place(present))


def of_patch(
    patch: Patch, rules: Sequence[Rule], releases: Mapping[str, Sequence[Version]], sightings: Mapping[str, Sightings]
) -> Iterator[Remark]:
    """Releases that a rule promises the patch for and it does not take, or that it takes and no rule promises.

    `releases` and `sightings` go by package: a patch may change several, and a rule is kept where one of them is.
    """
    naming = [rule for rule in rules if any(fix.details.get("patch") == patch.id for fix in rule.fixes)]
    packages = changed_packages(patch)
    taken = {package: _verdicts(patch, sightings.get(package, {})) for package in packages}
    for package in packages:
        for version in releases.get(package, ()):
            refused = [one for one in taken[package].get(version, []) if one.verdict == REFUSE]
            applied = [one for one in taken[package].get(version, []) if one.verdict == APPLY]
            here = (PATCH, patch.id, package, version)
            if refused:
                yield Remark(*here, "refuses: the code is not the one that it was written for", _place(refused))
            if applied and not any(_promised(patch, rule, package, version) for rule in naming):
                yield Remark(*here, "applies, although no rule names it for this release", _place(applied))
    for rule in naming:
        broken = [
            list(_broken(patch, rule, package, releases.get(package, ()), taken[package])) for package in packages
        ]
        yield from min(broken, key=len)


def _broken(
    patch: Patch, rule: Rule, package: str, releases: Iterable[Version], taken: Mapping[Version, list[Seen]]
) -> Iterator[Remark]:
    """Releases of one package in which the rule promises a patch that does not apply."""
    for version in releases:
        seen = taken.get(version, [])
        if seen and _promised(patch, rule, package, version) and not any(one.verdict == APPLY for one in seen):
            yield Remark(
                PATCH, patch.id, package, version, f"does not apply, although {rule.id} names it", _place(seen)
            )


def _promised(patch: Patch, rule: Rule, package: str, version: Version) -> bool:
    fixes = [fix for fix in rule.fixes if fix.details.get("patch") == patch.id]
    serves = any(fix.serves(lambda name: version if name == package else None) for fix in fixes)
    return serves and may_strike(rule, package, version)


def _verdicts(patch: Patch, sightings: Sightings) -> dict[Version, list[Seen]]:
    """For each release, what it showed of each of the patch's changes."""
    seen: dict[Version, list[Seen]] = {}
    for row in _rows(sightings, PATCH, patch.id):
        for version, one in row.items():
            seen.setdefault(version, []).append(one)
    return seen


def of_requirement(
    rules: Sequence[Rule], requirement: Requirement, declares: Mapping[Version, str], others: Sequence[Version]
) -> Iterator[Remark]:
    """Releases whose own metadata says otherwise than `rules`, all those that repeat the same statement.

    `declares` is what each release asks of `requirement.of`, `others` the releases of that package.
    """
    since = Version(requirement.since or "0")
    names = " and ".join(rule.id for rule in rules)
    for version, asked in declares.items():
        if version < since:
            continue
        takes = parse_range(asked).contains if asked else (lambda other: True)
        wrong = [other for other in others if _strikes(rules, requirement, version, other) is takes(other)]
        if wrong:
            said = f"declares {requirement.of}{asked or ' in any version'}"
            text = f"{said}, which is not what is said of {requirement.of} {', '.join(map(str, wrong[:3]))}"
            yield Remark(RULE, names, requirement.package, version, text, "")


def _strikes(rules: Sequence[Rule], requirement: Requirement, version: Version, other: Version) -> bool:
    facts = Facts()
    facts.set(f"packages.{requirement.package}", version, "a release that is looked at")
    facts.set(f"packages.{requirement.of}", other, "a release that is looked at")
    return any(rule.when.truth(facts) is not False for rule in rules)


def _rows(sightings: Sightings, kind: str, name: str) -> list[Mapping[Version, Seen]]:
    return [row for key, row in sorted(sightings.items()) if key[:2] == (kind, name)]


def _place(seen: Sequence[Seen]) -> str:
    return next((one.place for one in seen if one.path), "")
