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


def inspections() -> dict[tuple[str, Version], list[Subject]]:
    """Return the subjects to inspect in each release: those whose verdict changes there, and all in the newest one.

    Those in the same file follow each other, so that it is parsed once.
    """
    found: dict[tuple[str, Version], list[Subject]] = {}
    for subject in sorted(SUBJECTS, key=lambda subject: subject.file):
        for version in inspected(subject):
            found.setdefault((subject.package, version), []).append(subject)
    return found


def inspected(subject: Subject) -> list[Version]:
    row = record(subject.package).rows.get(subject.key, Row("", {}))
    # Some releases have only a wheel, without the files that state how the release is built.
    releases = edges(subject.package, lambda version: version in row.seen and row.seen[version].verdict)
    return [version for version in releases if version in row.seen]


INSPECTIONS = inspections()


def cases() -> list[object]:
    """Return all inspections; those of the newest two releases of each package are not slow."""
    newest: dict[str, list[Version]] = {}
    for package, version in sorted(INSPECTIONS, reverse=True):
        newest.setdefault(package, []).append(version)
    return [
        pytest.param(package, version, marks=[pytest.mark.slow] * (version not in newest[package][:2]))
        for package, version in INSPECTIONS
    ]


def test_every_subject_is_recorded() -> None:
    assert [subject.key for subject in SUBJECTS if subject.key not in record(subject.package).rows] == []


@pytest.mark.parametrize(("package", "version"), cases(), ids=str)
def test_the_recorded_verdicts_match_the_source(package: str, version: Version) -> None:
    rows, read = record(package).rows, reader(package, version)
    subjects = INSPECTIONS[package, version]
    seen = {subject.key: subject.look(read) for subject in subjects}
    assert {key: Seen(one.verdict, digest=one.digest) for key, one in seen.items()} == {
        subject.key: rows[subject.key].seen[version] for subject in subjects
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
