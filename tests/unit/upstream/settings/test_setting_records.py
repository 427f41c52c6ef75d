"""The files of the record: written in runs of releases, read release by release."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from packaging.version import Version

from vcompat.facts.records.recorded_settings import Field, known_classes, load_class
from vcompat.upstream.settings.setting_records import recorded_tables, save_tables
from vcompat.upstream.settings.verify_settings import disagreements, news

V1, V2, V3, V4 = map(Version, ("1.0", "1.1", "2.0", "2.1"))


def table(fields: dict[str, Any], checks: list[str] | None = None, **more: Any) -> dict[str, Any]:
    return {"module": "pkg.a", "bases": [], "extra": "refused", "fields": fields, "checks": checks or [], **more}


def field(default: object, **more: Any) -> dict[str, Any]:
    return {"types": ["int"], "default": default, **more}


TABLES = {
    V1: {"A": table({"x": field(1), "old": field(0, replaced_by="y")}, ["x < 0"]), "B": table({})},
    V2: {"A": table({"x": field(1), "old": field(0, replaced_by="y")}, ["x < 0", "x > 9"])},
    V3: {"A": table({"x": field(True), "y": field(0)}, ["x > 9"], before_bases={"x": ""})},
    V4: {"A": table({"x": field(True), "y": field(0, choices=[1, 2], enforced=True)}, ["x > 9"], before_bases=None)},
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    save_tables("pkg", TABLES, tmp_path)
    return tmp_path


def test_the_record_states_of_each_release_what_was_found(folder: Path) -> None:
    assert recorded_tables("pkg", folder) == TABLES


def test_a_line_covers_consecutive_releases_that_are_alike(folder: Path) -> None:
    contents = json.loads((folder / "pkg" / "A.json").read_text())
    assert contents["fields"]["x"] == [["1.0", "1.1", field(1)], ["2.0", None, field(True)]]
    assert contents["fields"]["old"] == [["1.0", "1.1", field(0, replaced_by="y")]]
    assert contents["checks"] == [["1.0", "1.1", "x < 0"], ["1.1", None, "x > 9"]]
    assert json.loads((folder / "pkg" / "B.json").read_text())["exists"] == [["1.0", "1.0"]]
    assert '      ["2.0", null, {"types": ["int"], "default": true}]\n' in (folder / "pkg" / "A.json").read_text()


def test_a_release_without_changes_changes_only_the_list_of_releases(folder: Path) -> None:
    newer = {**TABLES, Version("2.2"): TABLES[V4]}
    assert save_tables("pkg", TABLES, folder) == []
    assert save_tables("pkg", newer, folder) == [folder / "pkg" / "releases.json"]


def test_the_file_of_a_class_that_no_release_has_is_removed(folder: Path) -> None:
    changed = save_tables("pkg", {version: {"A": classes["A"]} for version, classes in TABLES.items()}, folder)
    assert changed == [folder / "pkg" / "B.json"] and known_classes("pkg", folder) == ("A",)


def test_the_loader_answers_for_surveyed_releases_only(folder: Path) -> None:
    record = load_class("pkg", "A", folder)
    assert record is not None
    assert (record.package, record.name, record.surveyed) == ("pkg", "A", ("1.0", "2.1"))
    assert [record.exists(Version(text)) for text in ("1.0", "2.1", "2.0.dev1", "3.0", "0.9")] == [True, True] + [
        None
    ] * 3
    assert record.exists(Version("2.1+cpu")) is True
    assert record.field("x", V1) == Field(("int",), None, 1, True, False, False, "", False)
    assert record.field("y", V1) is None and record.field("x", Version("3.0")) is None
    assert list(record.fields(V3)) == ["x", "y"]
    assert record.checks(V2) == ("x < 0", "x > 9") and record.checks(Version("3.0")) == ()
    assert [(first, last, one.replaced_by) for first, last, one in record.history("old")] == [(V1, V2, "y")]
    assert (record.before_bases(V1), record.before_bases(V3), record.before_bases(V4)) == ({}, {"x": ""}, None)
    other = load_class("pkg", "B", folder)
    assert other is not None and (other.exists(V1), other.exists(V2)) == (True, False)


def test_there_is_no_record_of_other_classes(folder: Path) -> None:
    assert load_class("pkg", "C", folder) is None
    assert load_class("other", "A", folder) is None
    assert known_classes("other", folder) == ()


def test_releases_that_are_not_as_recorded_disagree(folder: Path) -> None:
    assert list(disagreements("pkg", TABLES, recorded_tables("pkg", folder))) == []
    found = {V2: {"A": table({"x": field(2)}, ["x < 0", "x > 9"])}}
    (difference,) = disagreements("pkg", found, recorded_tables("pkg", folder))
    assert (difference.version, difference.name) == (V2, "A")
    assert difference.text == "not as recorded: removed: old; x: default 1 -> 2"


def test_a_newer_release_is_compared_with_the_one_before(folder: Path) -> None:
    newer = Version("3.0")
    found = {newer: {"A": table({"x": field(True), "z": field(0)}, ["x > 8"], before_bases=None), "C": table({})}}
    texts = {one.name: one.text for one in news("pkg", found, recorded_tables("pkg", folder))}
    assert texts == {
        "A": "new: z; removed: y; new check: x > 8; check removed: x > 9",
        "C": "a new class",
    }
    assert list(news("pkg", found, {})) == []
