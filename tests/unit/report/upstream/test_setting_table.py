"""The tables of settings."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from click import unstyle
from packaging.version import Version

from vcompat.facts.records.recorded_settings import ClassRecord, load_class
from vcompat.report.upstream.setting_table import class_table, setting_table
from vcompat.upstream.settings.setting_records import save_tables

VERSIONS = [Version(text) for text in ("1.0", "1.1", "1.2")]


def field(default: object, **more: Any) -> dict[str, Any]:
    return {"types": ["int", "none"], "default": default, **more}


@pytest.fixture
def record(tmp_path: Path) -> ClassRecord:
    steady, typed = field(1), [field(3), field(3), {**field(3), "types": ["int"]}]
    choices = [{**field("a"), "types": ["str"], "choices": values} for values in (["a", "b"], ["a", "b"], ["a", "c"])]
    gone = [field(0), field(0, deprecated=True, replaced_by="came"), None]
    came = [None, field(None), field(None)]
    tables = {}
    for at, version in enumerate(VERSIONS):
        fields = {"steady": steady, "typed": typed[at], "gone": gone[at], "came": came[at], "kind": choices[at]}
        present = {name: one for name, one in fields.items() if one is not None}
        tables[version] = {"A": {"module": "m", "bases": [], "extra": "refused", "fields": present, "checks": []}}
    save_tables("pkg", tables, tmp_path)
    found = load_class("pkg", "A", tmp_path)
    assert found is not None
    return found


def test_settings_that_came_or_went_or_changed_are_listed(record: ClassRecord) -> None:
    assert [unstyle(line) for line in class_table(record, True, 80)] == [
        "A of pkg 1.0 - 1.2 (3 releases)",
        "setting  releases   default",
        "came     since 1.1  None",
        "gone     1.0        0",
        "         1.1        0, deprecated, use came",
    ]


def test_all_settings_of_a_class_are_listed(record: ClassRecord) -> None:
    lines = [unstyle(line) for line in class_table(record, False, 80)]
    assert [line.split()[0] for line in lines[2:] if not line.startswith(" ")] == "came gone kind steady typed".split()
    assert "typed    since 1.0  3" in lines


def test_of_a_setting_every_change_is_listed(record: ClassRecord) -> None:
    assert [unstyle(line) for line in setting_table("typed", [record], 80)] == [
        "typed",
        "  A  1.0 - 1.1  int or None, default 3",
        "     since 1.2  int, default 3",
    ]
    assert [unstyle(line) for line in setting_table("kind", [record], 80)] == [
        "kind",
        "  A  1.0 - 1.1  str, default 'a', one of a, b",
        "     since 1.2  str, default 'a', adds c, drops b",
    ]


def test_a_long_line_is_broken_between_its_parts(record: ClassRecord) -> None:
    lines = [unstyle(line) for line in class_table(record, True, 40)]
    assert lines[-2:] == ["         1.1        0, deprecated,", "                    use came"]
    assert max(map(len, lines)) <= 40
