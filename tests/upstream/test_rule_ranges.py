"""Every range that a rule claims against the source of upstream's releases, at the edges where it claims a change."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from packaging.version import Version

from tests.upstream.survey import edges, reader
from vcompat.database import load_rules
from vcompat.facts import Facts
from vcompat.fingerprint import PRESENT
from vcompat.rule import Rule


def may_strike(rule: Rule, package: str, version: Version) -> bool:
    """Whether the rule's condition leaves the release in, all other facts unknown."""
    facts = Facts()
    facts.set(f"packages.{package}", version, "test")
    return rule.when.truth(facts) is not False


def shows_fault(rule: Rule, package: str, version: Version) -> bool:
    read = reader(package, version)
    return any(f.verdict(read) == PRESENT for f in rule.evidence.fingerprints if f.package == package)


def claims() -> Iterator[tuple[Rule, str]]:
    for rule in load_rules():
        for package in dict.fromkeys(fingerprint.package for fingerprint in rule.evidence.fingerprints):
            yield rule, package


@pytest.mark.parametrize(("rule", "package"), [pytest.param(r, p, id=f"{r.id}-{p}") for r, p in claims()])
def test_the_range_ends_where_the_fault_does(rule: Rule, package: str) -> None:
    looked_at = edges(package, lambda version: may_strike(rule, package, version))
    assert len(looked_at) > 1, "the range begins and ends nowhere, so nothing would be measured"
    wrong = [
        f"{package} {version}: the rule says {may_strike(rule, package, version)}"
        for version in looked_at
        if shows_fault(rule, package, version) != may_strike(rule, package, version)
    ]
    assert wrong == []
