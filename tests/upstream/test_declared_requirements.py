"""The rules that repeat what releases declare of each other, against the metadata of the releases themselves."""

from __future__ import annotations

from collections.abc import Callable
from email.parser import HeaderParser

import pytest
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.version import Version

from tests.upstream.releases import known_releases
from tests.upstream.survey import edges, reader, surveyed
from vcompat.database import load_rules
from vcompat.facts import Facts

RULES = {rule.id: rule for rule in load_rules()}
LINUX = {"sys_platform": "linux", "platform_system": "Linux", "platform_machine": "x86_64", "python_version": "3.11"}


def declared(package: str, version: Version, other: str, extra: str = "") -> SpecifierSet:
    """What a release's metadata asks of another package."""
    metadata = HeaderParser().parsestr(reader(package, version)("PKG-INFO") or "")
    requirements = [Requirement(line) for line in metadata.get_all("Requires-Dist", [])]
    asked = [
        requirement.specifier
        for requirement in requirements
        if requirement.name == other
        and not requirement.extras
        and (requirement.marker is None or requirement.marker.evaluate({**LINUX, "extra": extra}))
    ]
    assert asked, f"{package} {version} says nothing of {other}"
    return SpecifierSet(",".join(str(specifier) for specifier in asked))


def strikes(rules: tuple[str, ...], package: str, version: Version, other: str, others: Version) -> bool:
    facts = Facts()
    facts.set(f"packages.{package}", version, "test")
    facts.set(f"packages.{other}", others, "test")
    facts.set("vllm.backend", "cuda", "test")
    return any(RULES[rule].when.truth(facts) is True for rule in rules)


def stable(package: str, since: str) -> list[Version]:
    return [version for version in known_releases(package) if version >= Version(since) and not version.is_prerelease]


@pytest.mark.parametrize(
    ("rules", "package", "since", "other", "extra", "candidates"),
    [
        pytest.param(
            ("torch-differs-from-vllm-build",),
            "vllm",
            "0.6.4",
            "torch",
            "",
            lambda: [
                Version(text)
                for text in "2.5.1 2.6.0 2.7.0 2.7.1 2.8.0 2.9.0 2.9.1 2.10.0 2.11.0 2.13.0 2.14.0".split()
            ],
            id="torch for vLLM",
        ),
        pytest.param(
            ("transformers-older-than-vllm-needs", "transformers-newer-than-vllm-takes"),
            "vllm",
            "0.7.1",
            "transformers",
            "",
            lambda: stable("transformers", "4.45.0"),
            id="transformers for vLLM",
        ),
        pytest.param(
            ("transformers-older-than-trl-needs",),
            "trl",
            "0.14.0",
            "transformers",
            "",
            lambda: stable("transformers", "4.45.0"),
            id="transformers for TRL",
        ),
        pytest.param(
            ("vllm-outside-trl-range",), "trl", "0.15.0", "vllm", "vllm", lambda: surveyed("vllm"), id="vLLM for TRL"
        ),
    ],
)
def test_the_rule_strikes_where_a_release_is_outside_of_what_the_other_declares(
    rules: tuple[str, ...],
    package: str,
    since: str,
    other: str,
    extra: str,
    candidates: Callable[[], list[Version]],
) -> None:
    others = candidates()

    def claim(version: Version) -> tuple[bool, ...]:
        return tuple(strikes(rules, package, version, other, candidate) for candidate in others)

    looked_at = [version for version in edges(package, claim) if version >= Version(since)]
    wrong = [
        f"{package} {version} with {other} {candidate}: the rule says {said}"
        for version in looked_at
        for candidate, said in zip(others, claim(version), strict=True)
        if said is declared(package, version, other, extra).contains(candidate)
    ]
    assert wrong == []
    assert len(looked_at) > 5
