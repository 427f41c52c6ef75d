"""Run files whose facts an execution confirmed: ``tests/oracle/record.py`` keeps them in ``tests/oracle/recorded.json``."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.oracle.example import Example, load
from tests.oracle.stated import stated

ORACLE = Path(__file__).resolve().parents[3] / "oracle"
RECORDED: list[dict[str, Any]] = json.loads((ORACLE / "recorded.json").read_text(encoding="utf-8"))


def name_of(record: dict[str, Any]) -> str:
    return record.get("case") or f"example-{RECORDED.index(record)}"


@pytest.mark.parametrize("record", RECORDED, ids=name_of)
def test_the_readers_state_what_an_execution_confirmed(
    record: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if "case" in record:
        example = load(ORACLE / "cases" / record["case"])
    else:
        example = Example(record["files"], tuple(record["given"]), ())
    example.write(tmp_path)
    monkeypatch.chdir(tmp_path)
    assert stated(example.given) == record["stated"], "after a check: python -m tests.oracle.record"
