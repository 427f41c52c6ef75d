"""What rules claim about vLLM's allocator for sleep mode, compared with what was seen in all releases.

The record is written by ``python -m tests.upstream.allocator --update``, over a stand-in for the driver. The errors that
people reported from GPUs are here, too: the stand-in must lead to the same ones.
"""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from packaging.version import Version

from tests.upstream.allocator import record
from tests.upstream.allocator.seen import FINE, Seen
from vcompat.facts.facts import Facts
from vcompat.rules.database import find_rule, load_rules
from vcompat.rules.record import load_record

RECORD = record.load()
SEEN = {Version(version): variant.seen for variant in RECORD for version in variant.releases}
#: For each rule: whether a release has the failure.
CLAIMS: dict[str, Callable[[Seen], bool]] = {
    "sleep-mode-needs-newer-driver": lambda seen: seen["driver of CUDA 12.2"]["allocate"] != FINE,
    "wake-up-maps-memory-twice": lambda seen: "not mapped" in seen["no memory to wake up"]["awake"],
    "sleep-takes-references-from-none": lambda seen: seen["references to None"]["taken per call"] == "1",
}
#: For each rule: where its first symptom must be found, in each release that it can apply to.
SYMPTOMS = [
    ("sleep-mode-needs-newer-driver", "driver of CUDA 12.2", "allocate", "invalid argument"),
    ("wake-up-finds-no-memory", "no memory to wake up", "without memory", "out of memory"),
]
#: Texts that GPUs printed, with the release, the scenario and the step.
REPORTED = [
    # https://github.com/vllm-project/vllm/pull/12981
    ("0.7.2", "no memory to wake up", "without memory", "out of memory", 56),
    ("0.7.2", "no memory to wake up", "without memory", "invalid argument", 57),
    ("0.7.2", "no memory to wake up", "without memory", "invalid argument", 64),
    # https://github.com/vllm-project/vllm/issues/13941
    ("0.7.3", "no memory to wake up", "without memory", "out of memory", 62),
    # https://github.com/vllm-project/vllm/issues/35612
    ("0.16.0", "driver of CUDA 12.2", "allocate", "invalid argument", 119),
    # https://github.com/vllm-project/vllm/pull/45565
    ("0.24.0", "no memory to wake up", "with memory", "invalid argument", 169),
]


def may_apply(name: str, version: Version) -> bool:
    """Whether the rule can apply to a vLLM release."""
    facts = Facts()
    facts.set("packages.vllm", version, "test")
    return find_rule(load_rules(thorough=False), name).when.truth(facts) is not False


def test_all_releases_with_sleep_mode_are_recorded() -> None:
    releases = [version for version in load_record("vllm", with_rows=False).releases if version >= Version("0.7.0")]
    assert sorted(SEEN) == sorted(releases)


def test_every_scenario_came_to_its_end() -> None:
    assert [steps for seen in SEEN.values() for steps in seen.values() if not steps or "end" in steps] == []


@pytest.mark.parametrize("name", CLAIMS)
def test_a_rule_s_range_is_what_was_seen(name: str) -> None:
    claimed = [version for version in sorted(SEEN) if may_apply(name, version)]
    assert claimed == [version for version in sorted(SEEN) if CLAIMS[name](SEEN[version])]


@pytest.mark.parametrize(("version", "scenario", "step", "error", "line"), REPORTED)
def test_the_stand_in_leads_to_the_errors_that_gpus_led_to(
    version: str, scenario: str, step: str, error: str, line: int
) -> None:
    text = SEEN[Version(version)][scenario][step]
    assert re.search(rf"CUDA Error: {error} at cumem_allocator\.cpp:{line}\b", text)


@pytest.mark.parametrize(("name", "scenario", "step", "error"), SYMPTOMS)
def test_a_rule_s_symptom_is_what_the_allocator_prints(name: str, scenario: str, step: str, error: str) -> None:
    pattern = find_rule(load_rules(), name).symptoms[0].pattern
    texts = [seen[scenario][step] for version, seen in SEEN.items() if may_apply(name, version)]
    assert texts
    assert [text for text in texts if error not in text or not re.search(pattern, text)] == []


def test_the_patch_returns_what_each_call_takes_from_none() -> None:
    assert {seen["references to None"]["taken per call, patched"] for seen in SEEN.values()} == {"0"}


def test_sleep_releases_all_memory_and_a_second_call_does_no_harm() -> None:
    for seen in SEEN.values():
        assert seen["cycles"]["in use asleep"] == "0 segments"
        assert seen["cycles"]["after more cycles"] == "the same"
        assert set(seen["twice"].values()) == {FINE, "weights intact, cache mapped"}


def test_sleep_mode_works_as_trl_uses_it() -> None:
    steps = [seen["as TRL does"] for version, seen in SEEN.items() if version >= Version("0.8.3")]
    assert {seen["before the synchronization"] for seen in steps} == {"weights lost, cache not mapped"}
    assert {seen["to generate"] for seen in steps} == {"weights intact, cache mapped"}
    assert {seen["in use asleep"] for seen in steps} == {"0 segments"}
    actions = ("sleep", "wake up weights", "wake up weights again", "wake up cache", "sleep again")
    assert {seen[action] for seen in steps for action in actions} == {FINE}
