"""Every range that a rule claims against the source of upstream's releases, at the edges where it claims a change.

For each fingerprint of a rule, the releases of its package that the package index has are sorted; where the rule begins or
ceases to strike, the releases on both sides are looked at, and the last release that this project has seen.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from itertools import pairwise

import pytest
from packaging.version import Version

from tests.upstream.releases import known_releases, release
from vcompat.database import load_rules
from vcompat.facts import Facts
from vcompat.fingerprint import PRESENT, Fingerprint
from vcompat.rule import Rule

#: The oldest and the newest release of each package that the ranges speak of. A newer one is the next survey's work.
SURVEYED = {
    "vllm": ("0.5.5", "0.33.0"),
    "trl": ("0.14.0", "1.16.0"),
    "deepspeed": ("0.16.0", "0.19.8"),
    "transformers": ("4.46.0", "5.23.0"),
    "peft": ("0.16.0", "0.21.2"),
}
#: Published as wheels only.
WITHOUT_SOURCE = {("vllm", "0.15.0"), ("vllm", "0.15.1")}


@cache
def surveyed(package: str) -> list[Version]:
    oldest, newest = map(Version, SURVEYED[package])
    return [
        version
        for version in known_releases(package)
        if oldest <= version <= newest and not version.is_prerelease and (package, str(version)) not in WITHOUT_SOURCE
    ]


def may_strike(rule: Rule, package: str, version: Version) -> bool:
    """Whether the rule's condition leaves the release in, all other facts unknown."""
    facts = Facts()
    facts.set(f"packages.{package}", version, "test")
    return rule.when.truth(facts) is not False


def edges(rule: Rule, package: str) -> list[Version]:
    """The releases next to a change of the rule's mind, and the newest one."""
    versions = surveyed(package)
    chosen = {versions[-1]}
    for before, after in pairwise(versions):
        if may_strike(rule, package, before) != may_strike(rule, package, after):
            chosen |= {before, after}
    return sorted(chosen)


def shows_fault(fingerprints: list[Fingerprint], package: str, version: Version) -> bool:
    tree = release(package, str(version))

    def read(path: str) -> str | None:
        file = tree / path
        return file.read_text(encoding="utf-8") if file.is_file() else None

    return any(fingerprint.verdict(read) == PRESENT for fingerprint in fingerprints)


def claims() -> Iterator[tuple[Rule, str]]:
    for rule in load_rules():
        for package in dict.fromkeys(fingerprint.package for fingerprint in rule.evidence.fingerprints):
            yield rule, package


@pytest.mark.parametrize(("rule", "package"), [pytest.param(r, p, id=f"{r.id}-{p}") for r, p in claims()])
def test_the_range_ends_where_the_fault_does(rule: Rule, package: str) -> None:
    fingerprints = [f for f in rule.evidence.fingerprints if f.package == package]
    wrong = [
        f"{package} {version}: the rule says {may_strike(rule, package, version)}"
        for version in edges(rule, package)
        if shows_fault(fingerprints, package, version) != may_strike(rule, package, version)
    ]
    assert wrong == []
