"""Claims checked against results: which disagreements are found, and their texts."""

from __future__ import annotations

import pytest
from packaging.version import Version

from tests.unit.rules_for_tests import make_rule
from vcompat.patching.patch import Change, Patch
from vcompat.rules.fingerprint import Seen
from vcompat.rules.rule import Requirement, Rule
from vcompat.upstream import verdicts

RELEASES = [Version(text) for text in ("0.7.0", "0.8.0", "0.9.0")]
FINGERPRINT = {"package": "vllm", "module": "vllm/a.py", "object": "f", "has": ["fault"]}


def rule(**keys: object) -> Rule:
    return make_rule(**{"when": {"packages.vllm": "<0.9.0"}, "evidence": {"fingerprints": [FINGERPRINT]}, **keys})


def row(*words: str) -> dict[Version, Seen]:
    return {version: Seen(word, "vllm/a.py", 7, word) for version, word in zip(RELEASES, words, strict=True)}


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (("present", "present", "fixed"), []),
        (("present", "present", "absent"), []),
        (("present", "fixed", "fixed"), [("0.8.0", "in the declared range, but fixed", "vllm/a.py:7")]),
        (
            ("present", "present", "present"),
            [("0.9.0", "outside the declared range, but affected", "vllm/a.py:7")],
        ),
    ],
)
def test_a_rule_is_checked_against_every_release(words: tuple[str, ...], expected: list[tuple[str, str, str]]) -> None:
    sightings = {("rules", "a-rule", 0): row(*words)}
    found = verdicts.of_rule(rule(), "vllm", RELEASES, sightings)
    assert [(str(one.version), one.text, one.place) for one in found] == expected


def test_one_matching_fingerprint_of_several_is_enough() -> None:
    sightings = {
        ("rules", "a-rule", 0): row("present", "fixed", "fixed"),
        ("rules", "a-rule", 1): row("absent", "present", "absent"),
    }
    assert list(verdicts.of_rule(rule(), "vllm", RELEASES, sightings)) == []


def patch() -> Patch:
    change = Change("vllm.a", "f", None, ())  # type: ignore[arg-type]  # the effect is not used here
    return Patch("a_patch", "A patch", "vllm", "every rank", (change,))


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (("apply", "apply", "not-needed"), []),
        (("apply", "refuse", "absent"), ["refuses: not the code that", "does not apply, although a-rule"]),
        (("apply", "not-needed", "absent"), ["does not apply, although a-rule names it"]),
        (("apply", "apply", "apply"), ["applies, although no rule names it"]),
    ],
)
def test_a_patch_is_checked_against_the_rules_that_name_it(words: tuple[str, ...], expected: list[str]) -> None:
    naming = rule(fixes=[{"kind": "patch", "patch": "a_patch"}])
    sightings = {"vllm": {("patches", "a_patch", 0): row(*words)}}
    found = list(verdicts.of_patch(patch(), [naming], {"vllm": RELEASES}, sightings))
    assert len(found) == len(expected)
    assert all(one.text.startswith(text) for one, text in zip(found, expected, strict=True))


def test_a_fix_can_limit_the_patch_to_some_releases() -> None:
    naming = rule(fixes=[{"kind": "patch", "patch": "a_patch", "releases": {"vllm": ">=0.8.0"}}])
    sightings = {"vllm": {("patches", "a_patch", 0): row("not-needed", "apply", "absent")}}
    assert list(verdicts.of_patch(patch(), [naming], {"vllm": RELEASES}, sightings)) == []


def test_a_rule_about_older_releases_agrees_with_a_pin_if_it_does_not_apply_to_newer_ones() -> None:
    statement = Requirement("torch", "nccl", "", older=True)
    older = {"package": "torch", "of": "nccl", "older": True}
    declares = {Version("2.9.0"): "==2.27.5"}
    others = [Version("2.26.2"), Version("2.27.5"), Version("2.28.9")]
    for sign, wrong in (("<", []), ("!=", ["2.28.9"]), ("<=", ["2.27.5"])):
        repeats = rule(
            when={"packages.torch": ">=2.9.0", "packages.nccl": f"{sign}2.27.5"}, evidence={"requirements": [older]}
        )
        found = list(verdicts.of_requirement([repeats], statement, declares, others))
        assert [one.text.rpartition(" ")[2] for one in found] == wrong


def test_each_requirement_of_a_rule_is_checked_on_its_own() -> None:
    statements = [Requirement("vllm", "xformers", ""), Requirement("vllm", "flashinfer", "")]
    repeats = rule(
        when={"any": [{"packages.xformers": "!=0.0.31"}, {"packages.flashinfer": "!=0.5.2"}]},
        evidence={"requirements": [{"package": "vllm", "of": "xformers"}, {"package": "vllm", "of": "flashinfer"}]},
    )
    declares = {Version("0.11.1"): "==0.0.31"}
    for statement, wrong in zip(statements, (0, 1), strict=True):
        assert len(list(verdicts.of_requirement([repeats], statement, declares, [Version("0.0.31")]))) == wrong


def test_versions_that_requirements_name_are_checked_if_releases_are_not_listed() -> None:
    declares = {Version("2.14.0"): "~=3.8.0", Version("2.13.0"): "==3.7.1", Version("2.12.0"): ">=3.6.0,<3.7.0"}
    assert [str(version) for version in verdicts.named_in(declares)] == ["3.6.0", "3.7.0", "3.7.1", "3.8.0"]


def test_a_requirement_is_checked_against_what_releases_declare() -> None:
    statement = Requirement("vllm", "torch", "0.8.0")
    repeats = rule(
        when={"any": [{"packages.vllm": "<0.9.0", "packages.torch": "!=2.5.1"}]},
        evidence={"requirements": [{"package": "vllm", "of": "torch", "since": "0.8.0"}]},
    )
    declares = dict(zip(RELEASES, ["==1.0", "==2.5.1", "==2.6.0"], strict=True))
    others = [Version("2.5.1"), Version("2.6.0")]
    found = list(verdicts.of_requirement([repeats], statement, declares, others))
    assert [(str(one.version), one.text) for one in found] == [
        ("0.9.0", "declares torch==2.6.0, but the rule's condition disagrees for torch 2.5.1")
    ]
