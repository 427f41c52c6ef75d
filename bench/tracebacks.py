"""Reported tracebacks whose fix is known, and the releases that have the fix: the reports of tracebacks.toml.

`read_reports` reads and checks the file. `score` diagnoses each log with the releases that its report states, and
compares what leads suggest with `fixed`: of a range, the release that is nearest to the failing one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import tomli
from packaging.specifiers import InvalidSpecifier, SpecifierSet
from packaging.utils import canonicalize_name
from packaging.version import InvalidVersion, Version

from vcompat.diagnosis.diagnosing import diagnose_text
from vcompat.diagnosis.leads.lead import Lead
from vcompat.facts.vocabulary import VOCABULARY
from vcompat.index.store import open_index
from vcompat.rules.rule import Rule

FILE = Path(__file__).with_suffix(".toml")
_KEYS = {"url", "log", "versions", "packages", "fixed", "because"}


class Report(NamedTuple):
    """One reported failure: its log, the releases that the report states, and what fixes it."""

    url: str
    log: str
    versions: Mapping[str, Version]
    """The releases that the report states, by package."""
    packages: tuple[str, ...]
    """The packages of which one change is enough; the best first."""
    fixed: Mapping[str, SpecifierSet]
    """The releases of each of these packages that do not fail, with everything else as stated."""
    because: str

    def is_fixed_by(self, package: str, release: Version) -> bool:
        """Return whether this release of a package fixes the failure, with everything else as stated."""
        return package in self.fixed and self.fixed[package].contains(release, prereleases=True)


def score(rules: Sequence[Rule]) -> dict[str, int]:
    """Return how many reports have a rule, and of the others how many a lead with the right first change."""
    found = dict.fromkeys(("rule", "right", "wrong", "none"), 0)
    for report in read_reports(FILE.read_text(encoding="utf-8")):
        names = {f"packages.{package}": str(version) for package, version in report.versions.items()}
        told = diagnose_text(report.log, rules, {name: text for name, text in names.items() if name in VOCABULARY})
        first = next((change for lead in told.leads if (change := suggested(lead, report.versions))), None)
        if told.causes:
            found["rule"] += 1
        elif first is None:
            found["none"] += 1
        else:
            found["right" if report.is_fixed_by(*first) else "wrong"] += 1
    return found


def suggested(lead: Lead, stated: Mapping[str, Version]) -> tuple[str, Version] | None:
    """Return the package that a lead names first, and of the range the release that is nearest to the failing one."""
    if lead.later is not None:
        return lead.later[0], Version(lead.later[1])
    for change in lead.changes:
        index = open_index(change.package)
        allowed = list(SpecifierSet(change.ranges).filter(index.releases, prereleases=True)) if index else []
        if allowed:
            failing = stated.get(change.package)
            is_later = allowed[0] > failing if failing else index is not None and allowed[-1] == index.releases[-1]
            return change.package, allowed[0 if is_later else -1]
    return None


def read_reports(text: str) -> list[Report]:
    """Return the reports of a file such as tracebacks.toml. Raises ValueError, naming a malformed one."""
    reports: list[Report] = []
    for number, table in enumerate(tomli.loads(text).get("reports", []), start=1):
        where = f"report {number} ({table.get('url', 'no URL')})"
        report = _report(table, where)
        if any(one.url == report.url and one.log == report.log for one in reports):
            raise ValueError(f"{where}: the same log twice")
        reports.append(report)
    return reports


def _report(table: Mapping[str, Any], where: str) -> Report:
    """Return the report of one table."""
    if unknown := set(table) - _KEYS:
        raise ValueError(f"{where}: unknown keys: {', '.join(sorted(unknown))}")
    if missing := _KEYS - set(table):
        raise ValueError(f"{where}: missing keys: {', '.join(sorted(missing))}")
    if not str(table["url"]).startswith("https://"):
        raise ValueError(f"{where}: the URL does not start with https://")
    if not table["log"].strip():
        raise ValueError(f"{where}: the log is empty")
    if not table["because"].strip() or "\n" in table["because"].strip():
        raise ValueError(f"{where}: because must be one line")
    versions = {_name(package, where): _version(text, where) for package, text in table["versions"].items()}
    fixed = {_name(package, where): _range(text, where) for package, text in table["fixed"].items()}
    packages = tuple(_name(package, where) for package in table["packages"])
    if not packages:
        raise ValueError(f"{where}: names no package")
    if set(packages) != set(fixed) or len(packages) != len(fixed):
        raise ValueError(f"{where}: packages and fixed name different packages")
    report = Report(table["url"], table["log"], versions, packages, fixed, table["because"].strip())
    for package in packages:
        if package in versions and report.is_fixed_by(package, versions[package]):
            raise ValueError(f"{where}: {package} {versions[package]} fails and is in the range that does not fail")
    return report


def _name(package: str, where: str) -> str:
    """Return the name of a package, which must be the normalized one."""
    if canonicalize_name(package) != package:
        raise ValueError(f"{where}: {package} must be written {canonicalize_name(package)}")
    return package


def _version(text: str, where: str) -> Version:
    """Return the release that a report states."""
    try:
        return Version(text)
    except InvalidVersion as error:
        raise ValueError(f"{where}: {text} is not a version") from error


def _range(text: str, where: str) -> SpecifierSet:
    """Return the range of releases that have a fix."""
    try:
        allowed = SpecifierSet(text)
    except InvalidSpecifier as error:
        raise ValueError(f"{where}: {text} is not a range of versions") from error
    if not len(allowed):
        raise ValueError(f"{where}: a range is empty")
    return allowed
