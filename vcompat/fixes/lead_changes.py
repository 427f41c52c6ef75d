"""The releases that a lead suggests, checked with those that the run has: a change must not break something else."""

from __future__ import annotations

import platform
from collections.abc import Sequence

from packaging.specifiers import SpecifierSet
from packaging.version import Version

from vcompat.diagnosis.leads.lead import Change, Lead
from vcompat.facts.facts import Facts
from vcompat.fixes.releases import ORDER, Catalogue, Pin, Wish, recorded_releases
from vcompat.fixes.resolving import resolve
from vcompat.rules.rule import Rule
from vcompat.sources.gather import RunFacts


def with_commands(leads: Sequence[Lead], facts: Facts, rules: Sequence[Rule]) -> tuple[Lead, ...]:
    """Return the leads with what to install for each change; changes with which no set of releases works come last."""
    if not any(lead.changes for lead in leads):
        return tuple(leads)
    check = _Check(facts, rules, recorded_releases())
    return tuple(lead._replace(changes=check.ordered(lead.changes)) for lead in leads)


class _Check:
    """Resolves what a change leads to."""

    def __init__(self, facts: Facts, rules: Sequence[Rule], catalogue: Catalogue) -> None:
        self._rules, self._catalogue = rules, catalogue
        self._known = {}
        for package in ORDER:
            version = facts.value(f"packages.{package}")
            if isinstance(version, Version) and Version(version.public) in catalogue.releases.get(package, ()):
                self._known[package] = Version(version.public)
        python = facts.value("host.python")
        self._python = python if isinstance(python, Version) else Version(platform.python_version())
        self._facts = facts.copy()
        for name in [name for name, _ in facts.all_known() if name.startswith("packages.")]:
            self._facts.drop(name)

    def ordered(self, changes: Sequence[Change]) -> tuple[Change, ...]:
        """Return the changes with their commands, those that work first."""
        checked = [self._checked(change) for change in changes]
        return tuple(sorted(checked, key=lambda change: not change.install))

    def _checked(self, change: Change) -> Change:
        if change.package not in ORDER:
            return change._replace(install=(f"{change.package}{change.ranges}",))
        kept = {package: SpecifierSet(f"=={version}") for package, version in self._known.items()}
        kept[change.package] = SpecifierSet(change.ranges)
        pins = self._pins(change.package, kept)
        if pins:
            newest = next(pin.version for pin in pins if pin.package == change.package)
            return change._replace(install=(_requirement(change, newest, self._catalogue),))
        pins = self._pins(change.package, {change.package: kept[change.package]})
        others = [pin for pin in pins if pin.package != change.package and self._changes(pin)]
        changed = [pin for pin in pins if pin.package == change.package or pin in others]
        return change._replace(
            install=tuple(f"{pin.package}=={pin.version}" for pin in changed), others=tuple(map(str, others))
        )

    def _changes(self, pin: Pin) -> bool:
        return self._known.get(pin.package, pin.version) != pin.version

    def _pins(self, package: str, kept: dict[str, SpecifierSet]) -> Sequence[Pin]:
        facts = self._facts.copy()
        if "vllm" not in self._known and package != "vllm":
            facts.set("plan.use_vllm", False, "the log names no vLLM")
        wish = Wish([RunFacts("", "", facts, False)], self._python, kept)
        return resolve(wish, self._catalogue, self._rules).pins


def _requirement(change: Change, newest: Version, catalogue: Catalogue) -> str:
    """The range, up to the newest release in it that works with the others."""
    allowed = SpecifierSet(change.ranges)
    last = [version for version in catalogue.releases[change.package] if version in allowed][-1]
    if newest == last:
        return f"{change.package}{change.ranges}"
    floor = ",".join(part for part in change.ranges.split(",") if part.startswith(">"))
    return f"{change.package}{','.join(filter(None, [floor, f'<={newest}']))}"
