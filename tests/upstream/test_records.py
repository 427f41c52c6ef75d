"""The records match the source of the releases, inspected again wherever a verdict or a requirement changes."""

from __future__ import annotations

import pytest
from packaging.version import Version

from tests.upstream.survey import edges, reader, record
from vcompat.evaluation.evaluate import evaluate
from vcompat.facts.derive import derive
from vcompat.facts.facts import Facts
from vcompat.patches import load_patches
from vcompat.rules.database import find_rule, load_rules
from vcompat.rules.fingerprint import Seen
from vcompat.rules.record import Row, load_record
from vcompat.upstream.requirements import declared
from vcompat.upstream.subjects import Subject, subjects_of

SUBJECTS = subjects_of(load_rules(), load_patches())


@pytest.mark.parametrize("subject", [pytest.param(s, id=f"{s.id}-{s.package}-{s.number}") for s in SUBJECTS])
def test_the_recorded_verdicts_match_the_source(subject: Subject) -> None:
    row: Row = record(subject.package).rows[subject.key]
    # Some releases have only a wheel, without the files that state how the release is built.
    releases = edges(subject.package, lambda version: version in row.seen and row.seen[version].verdict)
    inspected = [version for version in releases if version in row.seen]
    seen = {version: subject.look(reader(subject.package, version)) for version in inspected}
    assert {version: Seen(one.verdict, digest=one.digest) for version, one in seen.items()} == {
        version: row.seen[version] for version in inspected
    }
    assert all(one.place for one in seen.values() if one.digest)


@pytest.mark.parametrize("package", ["vllm", "trl", "transformers", "deepspeed", "peft"])
def test_the_recorded_requirements_match_the_metadata(package: str) -> None:
    declares = record(package).declares
    inspected = edges(package, lambda version: [declares[partner].get(version) for partner in declares])
    for version in inspected:
        found = declared(package, version, reader(package, version))
        assert found == {partner: rows[version] for partner, rows in declares.items() if version in rows}
    assert len(inspected) > 2


def test_the_finding_on_a_wrong_torch_names_the_release_that_vllm_requires() -> None:
    pins = load_record("vllm").declares["torch"]
    rule = find_rule(load_rules(thorough=False), "torch-differs-from-vllm-build")
    wrong, named = {}, 0
    for vllm, required in pins.items():
        facts = Facts()
        for name, value in (("packages.vllm", vllm), ("packages.torch", Version("2.5.0"))):
            facts.set(name, value, "test")
        for finding in evaluate([rule], derive(facts)) if vllm >= Version("0.6.4") else ():
            offered = [f"{fix.details['range']}" for fix in finding.fixes if fix.kind == "version"]
            wrong |= {} if offered == [required] else {str(vllm): (offered, required)}
            named += 1
    assert wrong == {}
    assert named > 50
