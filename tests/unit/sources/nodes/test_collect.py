from __future__ import annotations

import io
import os
import sys
from pathlib import Path

import pytest

from tests.unit.fleet_reports import fleet, lines, report
from vcompat.foundation.errors import InputError
from vcompat.sources.nodes.collect import Rejected, answered, collect_reports


def _write(path: Path, text: str) -> str:
    path.write_text(text, encoding="utf-8")
    return str(path)


def test_files_folders_and_standard_input_are_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    reports = fleet(6)
    folder = tmp_path / "reports"
    folder.mkdir()
    for number in (3, 1, 2):
        _write(folder / f"{number}.json", lines([reports[number]]))
    _write(folder / "notes.txt", "nothing")
    file = _write(tmp_path / "more.jsonl", lines(reports[4:]))
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(lines(reports[:1]).encode())))
    found = collect_reports([str(folder), file, "-"])
    assert [one.host for one in found.reports] == ["node2", "node3", "node4", "node5", "node6", "node1"]
    assert found.rejected == ()


def test_a_rejected_report_is_named_with_its_file_and_number(tmp_path: Path) -> None:
    forged = report("../x", 2)
    file = _write(tmp_path / "all.jsonl", lines([report(), forged]) + "{oops}\n" + lines([report("node4", 4)]))
    found = collect_reports([file])
    assert [one.host for one in found.reports] == ["node1", "node4"]
    assert [one.where for one in found.rejected] == [f"{file}: report 2", f"{file}: report 3"]
    assert "'../x' is not a host name" in found.rejected[0].reason
    assert not found.rejected[0].reason.startswith(file)


def test_the_same_report_counts_once(tmp_path: Path) -> None:
    file = _write(tmp_path / "all.jsonl", lines([report(), report(), report("node2", 2)]))
    found = collect_reports([file])
    assert (len(found.reports), found.repeated) == (2, 1)


def test_an_empty_file_is_a_node_without_a_report(tmp_path: Path) -> None:
    _write(tmp_path / "node1.json", lines([report()]))
    _write(tmp_path / "node2.json", "")
    found = collect_reports([str(tmp_path)])
    assert len(found.reports) == 1
    assert "no JSON object" in found.rejected[0].reason


def test_bytes_that_are_no_text_are_rejected(tmp_path: Path) -> None:
    path = tmp_path / "all.jsonl"
    path.write_bytes(lines([report()]).encode() + b'{"facts": "\xff"}\n')
    assert "not UTF-8" in collect_reports([str(path)]).rejected[0].reason


@pytest.mark.parametrize("content", ["", "no report\n", "{}\n", "[]\n"])
def test_no_report_at_all_is_an_error(tmp_path: Path, content: str) -> None:
    with pytest.raises(InputError, match="report"):
        collect_reports([_write(tmp_path / "a.json", content)])


def test_a_folder_without_reports_a_missing_file_and_a_device_are_errors(tmp_path: Path) -> None:
    for path in (str(tmp_path), str(tmp_path / "missing"), os.devnull):
        with pytest.raises(InputError):
            collect_reports([path])


def test_an_answer_has_the_report_of_its_sender_and_no_other() -> None:
    own, other = lines(fleet(1)), lines([report("node9", 9)])
    collected = answered([("rank 0", own), ("rank 1", other + own), ("rank 2", "no report"), ("rank 3", "")])
    assert [one.host for one in collected.reports] == ["node1"]
    assert collected.rejected == (
        Rejected("rank 1", "more than one report"),
        Rejected("rank 2", "no report"),
        Rejected("rank 3", "no report"),
    )
