"""What `vcompat report` and `vcompat diagnose` make of the folder that a rehearsal has left."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.unit.cli.command_line import vcompat
from tests.unit.rehearsal.told import WELL, Process
from vcompat.rehearsal.rehearsal_outcome import outcome_of
from vcompat.rehearsal.verdict import Rehearsal
from vcompat.report.rehearsals.rehearsal_json import render

FACTS = {"vcompat": "0", "facts": {"packages.trl": "1.16.0", "plan.use_vllm": True}, "sources": {}}


def failed() -> Rehearsal:
    told = Process().generate(0, share=0.9, stale=["model.layers.1.mlp"], count=1).end().told()
    return outcome_of("python", [told], WELL)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    path = tmp_path / "kept"
    path.mkdir()
    (path / "output.log").write_text("INFO 11-22 10:00:00 [llm.py:1] all is well in /home/alice/run\n")
    (path / "verdict.json").write_text(render(failed()))
    (path / "facts.json").write_text(json.dumps(FACTS))
    (path / "events-host-1").write_text("no log\n")
    return path


def test_the_report_has_the_checks_and_the_facts_of_the_run(folder: Path) -> None:
    code, text, _ = vcompat("report", str(folder))
    assert code == 0
    assert text.startswith("## weights: vLLM's log probabilities differ by")
    assert "### Rehearsal: failed" in text
    assert "| parameters | failed | 1 of 21 compared parameters do not arrive in vLLM<br>model.layers.1.mlp |" in text
    assert "| trl | 1.16.0 |" in text


def test_an_anonymous_report_hides_paths_in_the_stacks_of_ranks(folder: Path) -> None:
    table = json.loads((folder / "verdict.json").read_text())
    table["checks"][0]["details"] = ["rank 0: File /home/alice/secret/train.py"]
    (folder / "verdict.json").write_text(json.dumps(table))
    assert "alice" in vcompat("report", str(folder)).stdout
    assert "alice" not in vcompat("report", str(folder), "--anonymize").stdout


def test_a_diagnosis_reads_the_output_and_no_other_file(folder: Path) -> None:
    code, text, _ = vcompat("diagnose", str(folder), "--format", "json")
    table = json.loads(text)
    assert code == 1
    assert [Path(path).name for path in table["logs"]] == ["output.log"]
    assert table["facts"]["packages.trl"] == "1.16.0"


@pytest.mark.parametrize("text", ["no JSON", "{}", "[1]", '{"status": "failed", "checks": [1]}'])
def test_a_verdict_of_another_structure_is_one_line(folder: Path, text: str) -> None:
    (folder / "verdict.json").write_text(text)
    code, _, printed = vcompat("report", str(folder))
    assert code == 2
    assert printed.count("\n") == 1 and "verdict.json" in printed
