"""Views of upstream: changes since the records, outdated records, and updates."""

from __future__ import annotations

from pathlib import Path

import pytest
from packaging.version import Version

from tests.unit.rules_for_tests import make_rule
from vcompat.rules.fingerprint import Seen
from vcompat.rules.record import Record, Row, load_record
from vcompat.upstream.index import Release
from vcompat.upstream.subjects import Subject
from vcompat.upstream.verify_claims import View, changes, disagreements, outdated, packages_of, surveyed, update

OLD, NEW, NEWER = Version("1.0"), Version("1.1"), Version("1.2")
KEY = ("rules", "a-rule", 0)


def subject(terms: str = "terms") -> Subject:
    return Subject("rules", "a-rule", 0, "pkg", terms, lambda read: Seen("present"))


def records(terms: str = "terms") -> dict[str, Record]:
    seen = {OLD: Seen("present", digest="aa")}
    return {"pkg": Record("pkg", (OLD,), {KEY: Row(terms, seen)}, {"torch": {OLD: ">=2"}})}


def view(**seen: Seen) -> View:
    versions = {Version(name.replace("v", "").replace("_", ".")): one for name, one in seen.items()}
    return View({"pkg": sorted(versions)}, {"pkg": {KEY: versions}}, {"pkg": {"torch": {}}}, {}, [])


@pytest.mark.parametrize(
    ("now", "expected"),
    [
        (Seen("present", "a.py", 3, "aa"), ""),
        (
            Seen("present", "a.py", 3, "bb"),
            "affected, as in 1.0, but the code changed: review it",
        ),
        (Seen("fixed", "a.py", 3, "bb"), "not affected; 1.0: affected"),
        (Seen("absent"), "code not found; 1.0: affected"),
    ],
)
def test_an_unrecorded_release_is_compared_with_the_one_before(now: Seen, expected: str) -> None:
    (change,) = changes(view(v1_0=Seen("present", digest="aa"), v1_1=now), records())
    assert (change.version, change.text) == (NEW, expected)


def test_missing_records_and_records_for_other_terms_are_outdated() -> None:
    assert outdated([subject()], records()) == []
    assert outdated([subject("others")], records()) == ["a-rule: the rule was changed after the record of pkg"]
    assert outdated([subject()], {"pkg": Record("pkg", (), {})}) == ["a-rule: the rule is not in the record of pkg"]


def test_a_record_without_any_release_is_outdated() -> None:
    empty = {"pkg": Record("pkg", (OLD,), {KEY: Row("terms", {})})}
    assert outdated([subject()], empty) == ["a-rule: the rule is not in the record of pkg"]


def test_recorded_torch_releases_are_judged_by_the_record() -> None:
    record = load_record("torch")
    releases = [Release("torch", version, "", "", "", False) for version in record.releases]
    found = surveyed(releases, {"torch": record}, lambda looked: pytest.fail(f"{looked.version} was inspected"))
    assert found.releases["torch"] == list(record.releases)
    key = ("rules", "torchao-registers-constants", 0)
    assert found.sightings["torch"][key] == record.rows[key].seen
    assert {one.verdict for one in record.rows[key].seen.values()} == {"present", "fixed"}


def test_an_update_adds_new_results_and_keeps_old_ones(tmp_path: Path) -> None:
    update(view(v1_1=Seen("fixed", "a.py", 3, "bb")), [subject()], records(), tmp_path)
    written = load_record("pkg", tmp_path)
    assert written.releases == (OLD, NEW)
    assert written.rows[KEY].seen == {OLD: Seen("present", digest="aa"), NEW: Seen("fixed", digest="bb")}
    assert written.declares == {"torch": {OLD: ">=2"}}


def test_an_update_drops_results_for_other_terms(tmp_path: Path) -> None:
    update(view(v1_2=Seen("fixed", digest="bb")), [subject("others")], records(), tmp_path)
    written = load_record("pkg", tmp_path)
    assert written.rows[KEY] == Row("others", {NEWER: Seen("fixed", digest="bb")})


def test_an_update_keeps_what_is_recorded_of_a_rule_that_was_not_inspected(tmp_path: Path) -> None:
    other = Subject("rules", "other-rule", 0, "pkg", "terms", lambda read: Seen("present"))
    for terms in ("terms", "changed since"):
        update(view(v1_0=Seen("fixed", digest="bb")), [subject(terms), other], both(terms), tmp_path)
        written = load_record("pkg", tmp_path)
        assert written.rows[other.key] == both(terms)["pkg"].rows[other.key]
        assert written.rows[KEY].seen == {OLD: Seen("fixed", digest="bb")}


def both(terms: str) -> dict[str, Record]:
    """The records of two rules, the other one of which may have been changed since."""
    record = records()["pkg"]
    row = Row(terms, {OLD: Seen("present", digest="cc")})
    return {"pkg": record._replace(rows={**record.rows, ("rules", "other-rule", 0): row})}


def test_a_pinned_library_is_checked_with_the_named_versions_and_its_releases_are_not_inspected() -> None:
    pins = make_rule(
        when={"packages.torch": "<1.2", "packages.nccl": "<2.27.5"},
        evidence={"requirements": [{"package": "torch", "of": "nccl", "older": True}]},
    )
    assert packages_of([pins], []) == ["torch"]
    for pinned, wrong in (("==2.27.5", 0), ("==2.28.9", 1)):
        declares = {"torch": {"nccl": {OLD: pinned, NEW: "==2.27.5"}}}
        known = View({"torch": [OLD, NEW]}, {}, declares, {}, [])
        assert len(disagreements([pins], [], [pins], known)) == wrong
