"""Tables of cases in data files, and their update."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests import tables

TABLE = "What it is.\n----\na\nb\n=>\n1\n---- empty\nc\n=>\n----\n=>\nd\n=>\n=>\n2\n"


@pytest.fixture
def table(tmp_path: Path) -> Path:
    path = tmp_path / "table.txt"
    path.write_text(TABLE)
    return path


def test_a_case_has_a_title_a_text_and_an_expectation(table: Path) -> None:
    cases = tables.read(table)
    assert [(case.title, case.text, case.expected) for case in cases] == [
        ("", "a\nb", "1"),
        ("empty", "c", ""),
        ("", "", "d\n=>\n=>\n2"),
    ]


def test_another_result_than_the_expected_one_is_a_failure(table: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tables, "_updated", None)
    tables.read(table)[0].check("1")
    with pytest.raises(AssertionError, match=r"table\.txt, case 0"):
        tables.read(table)[0].check("2")


def test_an_update_changes_the_expectations_that_differ(table: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tables, "_updated", {})
    first, second, _ = tables.read(table)
    first.check("1")
    assert tables.write_updates() == []
    second.check("new\nlines")
    assert tables.write_updates() == [table]
    assert table.read_text() == TABLE.replace("c\n=>\n", "c\n=>\nnew\nlines\n")


def test_a_case_without_an_arrow_is_an_error(table: Path) -> None:
    table.write_text("What it is.\n----\na\n")
    with pytest.raises(AssertionError, match="no line with =>"):
        tables.read(table)
