"""Compare claims with what releases show: the range that a rule declares, the releases that a patch is for.

Verdicts come from an inspection (``survey``) or from a record (``record``); here they are only compared.
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

#: The results for one package: for each subject, for each release.
Sightings = Mapping[tuple[str, str, int], Mapping[Version, Seen]]


class Remark(NamedTuple):
    """A disagreement or a change: one rule or patch in one release."""

    kind: str
    id: str
    package: str
    version: Version
    text: str
    place: str
    """File and line in the release's source; empty for results from a record, or if there is no such code."""


def grouped(remarks: Iterable[Remark]) -> dict[tuple[str, str, str], list[Remark]]:
    """Put remarks together that state the same of several releases, by id, package and text."""
    groups: dict[tuple[str, str, str], list[Remark]] = {}
    for remark in remarks:
        groups.setdefault((remark.id, remark.package, remark.text), []).append(remark)
    return groups


def may_apply(rule: Rule, package: str, version: Version) -> bool:
    """Whether the rule applies or might apply to a release, with all other facts unknown: its declared range."""
    facts = Facts()
    facts.set(f"packages.{package}", version, "an inspected release")
    return rule.when.truth(facts) is not False


def measured_packages(rule: Rule) -> list[str]:
    """Return the packages of the rule's fingerprints."""
    return list(dict.fromkeys(fingerprint.package for fingerprint in rule.evidence.fingerprints))


def changed_packages(patch: Patch) -> list[str]:
    """Return the packages whose modules the patch changes."""
    return list(dict.fromkeys(change.module.partition(".")[0] for change in patch.changes))


def of_rule(rule: Rule, package: str, releases: Iterable[Version], sightings: Sightings) -> Iterator[Remark]:
    """Yield releases of `package` that are affected but outside the rule's declared range, or the reverse."""
    rows = _rows(sightings, RULE, rule.id)
    for version in releases:
        seen = [row[version] for row in rows if version in row]
        if not seen:
            continue
        present = _having(PRESENT, seen)
        claimed = may_apply(rule, package, version)
        if claimed and not present:
            verdicts = " and ".join(dict.fromkeys(one.verdict for one in seen))
            why = "; ".join(dict.fromkeys(one.mismatch for one in seen if one.mismatch))
            text = f"in the declared range, but {verdicts}{f': {why}' if why else ''}"
            yield Remark(RULE, rule.id, package, version, text, _place(seen))
        elif present and not claimed:
            text = "outside the declared range, but affected"
            yield Remark(RULE, rule.id, package, version, text, _place(present))


def _having(verdict: str, seen: Iterable[Seen]) -> list[Seen]:
    return [sighting for sighting in seen if sighting.verdict == verdict]


def of_patch(
    patch: Patch, rules: Sequence[Rule], releases: Mapping[str, Sequence[Version]], sightings: Mapping[str, Sightings]
) -> Iterator[Remark]:
    """Yield releases for which a rule names the patch and it does not apply, or the reverse.

    `releases` and `sightings` are keyed by package. If a patch changes several packages, a rule that names it agrees if
    it agrees in one of them.
    """
    naming = [rule for rule in rules if any(fix.details.get("patch") == patch.id for fix in rule.fixes)]
    packages = changed_packages(patch)
    verdicts = {package: _verdicts(patch, sightings.get(package, {})) for package in packages}
    for package in packages:
        for version in releases.get(package, ()):
            refused, applied = (_having(word, verdicts[package].get(version, [])) for word in (REFUSE, APPLY))
            here = (PATCH, patch.id, package, version)
            if refused:
                yield Remark(*here, "refuses: not the code that the patch was written for", _place(refused))
            if applied and not any(_promised(patch, rule, package, version) for rule in naming):
                yield Remark(*here, "applies, although no rule names it for this release", _place(applied))
    for rule in naming:
        broken = [
            list(_broken(patch, rule, package, releases.get(package, ()), verdicts[package])) for package in packages
        ]
        yield from min(broken, key=len)


def _broken(
    patch: Patch, rule: Rule, package: str, releases: Iterable[Version], verdicts: Mapping[Version, list[Seen]]
) -> Iterator[Remark]:
    """Yield releases of one package for which the rule names a patch that does not apply."""
    for version in releases:
        seen = verdicts.get(version, [])
        if seen and _promised(patch, rule, package, version) and not _having(APPLY, seen):
            text = f"does not apply, although {rule.id} names it"
            yield Remark(PATCH, patch.id, package, version, text, _place(seen))


def _promised(patch: Patch, rule: Rule, package: str, version: Version) -> bool:
    fixes = [fix for fix in rule.fixes if fix.details.get("patch") == patch.id]
    serves = any(fix.fits(lambda name: version if name == package else None) for fix in fixes)
    return serves and may_apply(rule, package, version)


def _verdicts(patch: Patch, sightings: Sightings) -> dict[Version, list[Seen]]:
    """For each release, the results for the patch's changes."""
    seen: dict[Version, list[Seen]] = {}
    for row in _rows(sightings, PATCH, patch.id):
        for version, one in row.items():
            seen.setdefault(version, []).append(one)
    return seen


def of_requirement(
    rules: Sequence[Rule], requirement: Requirement, declares: Mapping[Version, str], others: Sequence[Version]
) -> Iterator[Remark]:
    """Yield releases whose own metadata contradicts `rules`, which are all rules with this requirement.

    `declares` is what each release requires of `requirement.of`, `others` are the releases of that package.
    """
    since = Version(requirement.since or "0")
    names = " and ".join(rule.id for rule in rules)
    for version, required in declares.items():
        if version < since:
            continue
        wrong = [
            other
            for other in others
            if _may_apply_to(rules, requirement, version, other) is _accepts(required, requirement.older, other)
        ]
        if wrong:
            declared = f"declares {requirement.of}{required or ' in any version'}"
            text = (
                f"{declared}, but the rule's condition disagrees for {requirement.of} {', '.join(map(str, wrong[:3]))}"
            )
            yield Remark(RULE, names, requirement.package, version, text, "")


def _accepts(required: str, older: bool, other: Version) -> bool:
    """Return whether a requirement accepts a version, with `older` also if it is newer than what is required."""
    if not required:
        return True
    range_ = parse_range(required)
    return range_.contains(other) or (older and all(other > part.bound for part in range_.parts))


def named_in(declares: Mapping[Version, str]) -> list[Version]:
    """Return the versions that requirements name, oldest first. They are checked where releases are not listed."""
    return sorted({part.bound for required in declares.values() if required for part in parse_range(required).parts})


def _may_apply_to(rules: Sequence[Rule], requirement: Requirement, version: Version, other: Version) -> bool:
    facts = Facts()
    facts.set(f"packages.{requirement.package}", version, "an inspected release")
    facts.set(f"packages.{requirement.of}", other, "an inspected release")
    for beside in {one.of for rule in rules for one in rule.evidence.requirements} - {requirement.of}:
        # A rule that repeats several requirements must not apply because of another library.
        facts.offer(f"packages.{beside}", None, "not in question")
    return any(rule.when.truth(facts) is not False for rule in rules)


def _rows(sightings: Sightings, kind: str, name: str) -> list[Mapping[Version, Seen]]:
    return [row for key, row in sorted(sightings.items()) if key[:2] == (kind, name)]


def _place(seen: Sequence[Seen]) -> str:
    return next((one.place for one in seen if one.path), "")
