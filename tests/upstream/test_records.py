"""What is recorded of releases is what their source shows: looked at again wherever a verdict or a statement changes."""

from __future__ import annotations

import pytest

from tests.upstream.survey import edges, reader, record
from vcompat.patches import load_patches
from vcompat.rules.database import load_rules
from vcompat.rules.fingerprint import Seen
from vcompat.rules.record import Row
from vcompat.upstream.requirements import declared
from vcompat.upstream.subjects import Subject, subjects_of

SUBJECTS = subjects_of(load_rules(), load_patches())


@pytest.mark.parametrize("subject", [pytest.param(s, id=f"{s.id}-{s.package}-{s.number}") for s in SUBJECTS])
def test_the_recorded_verdicts_are_those_of_the_source(subject: Subject) -> None:
    row: Row = record(subject.package).rows[subject.key]
    # Not in all: of a release that is a wheel alone, files that say how it is built were not seen.
    releases = edges(subject.package, lambda version: version in row.seen and row.seen[version].verdict)
    looked_at = [version for version in releases if version in row.seen]
    seen = {version: subject.look(reader(subject.package, version)) for version in looked_at}
    assert {version: Seen(one.verdict, digest=one.digest) for version, one in seen.items()} == {
        version: row.seen[version] for version in looked_at
    }
    assert all(one.place for one in seen.values() if one.digest)


@pytest.mark.parametrize("package", ["vllm", "trl", "transformers", "deepspeed", "peft"])
def test_the_recorded_statements_are_those_of_the_metadata(package: str) -> None:
    said = record(package).declares
    looked_at = edges(package, lambda version: [said[partner].get(version) for partner in said])
    for version in looked_at:
        found = declared(package, version, reader(package, version))
        assert found == {partner: rows[version] for partner, rows in said.items() if version in rows}
    assert len(looked_at) > 2
