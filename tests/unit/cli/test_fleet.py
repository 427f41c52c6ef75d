from __future__ import annotations

import json
from pathlib import Path
from xml.etree import ElementTree

import jsonschema
import pytest

from tests.unit.cli.command_line import bash, process, vcompat
from tests.unit.fleet_reports import fleet, lines
from vcompat.evaluation.fleet_kinds import KINDS
from vcompat.report.fleets import fleet_json

SCHEMA = json.loads(Path(fleet_json.__file__).with_name("fleet.schema.json").read_text(encoding="utf-8"))


@pytest.fixture
def saved(tmp_path: Path) -> Path:
    path = tmp_path / "all.jsonl"
    path.write_text(lines(fleet(4)), encoding="utf-8")
    return path


def test_a_sound_fleet_exits_with_0(saved: Path) -> None:
    answer = vcompat("fleet", "--no-config", "--from", str(saved), "--expect", "4")
    assert (answer.code, answer.stderr) == (0, "")
    assert answer.stdout.startswith("Checked 4 nodes")


def test_a_missing_node_exits_with_1(saved: Path) -> None:
    answer = vcompat("fleet", "--no-config", "--from", str(saved), "--expect", "5")
    assert answer.code == 1
    assert "4 reported, fewer than the 5 expected" in answer.stdout
    assert vcompat("fleet", "--no-config", "--from", str(saved), "--expect", "5", "--fail-on", "never").code == 0


def test_input_that_cannot_be_used_exits_with_2(tmp_path: Path) -> None:
    answer = process("fleet", "--from", str(tmp_path))
    assert answer.code == 2
    assert "no file *.json in it" in answer.stderr
    assert process("fleet").code == 2
    both = process("fleet", "--from", str(tmp_path), "--ray", "auto")
    assert both.code == 2
    assert "Give either --from PATH or --ray ADDRESS" in both.stderr


def test_several_formats_at_once(saved: Path, tmp_path: Path) -> None:
    page = tmp_path / "fleet.html"
    answer = vcompat(
        "fleet", "--no-config", "--from", str(saved), "--format", "html", "-o", str(page), "--format", "json"
    )
    assert answer.code == 0
    jsonschema.validate(json.loads(answer.stdout), SCHEMA)
    assert page.read_text(encoding="utf-8").count("<a title=") == 4


def test_run_files_and_settings_are_checked_on_the_nodes(saved: Path, tmp_path: Path) -> None:
    script = tmp_path / "train.py"
    script.write_text(
        "from trl import GRPOConfig, GRPOTrainer\n"
        "GRPOTrainer('m', args=GRPOConfig(use_vllm=True, vllm_mode='colocate', nonsense=1), reward_funcs=[])\n",
        encoding="utf-8",
    )
    answer = vcompat("fleet", "--no-config", "--from", str(saved), str(script))
    assert answer.code == 1
    assert "nonsense" in answer.stdout
    assert "on       all nodes" in answer.stdout


def test_what_probes_print_is_read_from_standard_input() -> None:
    script = (
        "(vcompat probe --format json; vcompat probe) | vcompat fleet --no-config --from - --expect 1 --fail-on never"
    )
    answer = bash(script)
    assert (answer.code, answer.stderr) == (0, "")
    assert answer.stdout.startswith("Checked 1 node (2 processes)")


def test_a_probe_in_the_format_json_is_one_line() -> None:
    answer = process("probe", "--format", "json")
    assert answer.stdout.count("\n") == 1
    assert json.loads(answer.stdout)["node"]["host"]


def test_a_lock_file_is_refused_and_not_ignored(saved: Path, tmp_path: Path) -> None:
    lock = tmp_path / "requirements.txt"
    lock.write_text("vllm==0.8.4\n", encoding="utf-8")
    answer = process("fleet", "--no-config", "--from", str(saved), str(lock))
    assert answer.code == 2
    assert "states packages or hardware" in answer.stderr


SUPPRESSED = """
[[suppress]]
rule = "drivers-differ"
reason = "updated on Monday"
expires = {day}

[[suppress]]
rule = "gpu-errors"
reason = "replaced"
expires = {day}
"""


def _with_other_driver(folder: Path) -> Path:
    reports = fleet(3)
    reports[1]["facts"]["gpu.driver"] = "570.1.1"
    saved = folder / "reports.jsonl"
    saved.write_text(lines(reports), encoding="utf-8")
    return saved


def test_a_project_suppresses_findings_about_fleets_until_a_day(tmp_path: Path) -> None:
    config = tmp_path / "vcompat.toml"
    config.write_text(SUPPRESSED.format(day="2999-01-01"), encoding="utf-8")
    options = ["--from", str(_with_other_driver(tmp_path)), "--config", str(config), "--fail-on", "warning"]
    answer = vcompat("fleet", *options)
    assert answer.code == 0, answer.stdout
    assert "suppressed Drivers differ between nodes (drivers-differ): suppressed until 2999-01-01" in answer.stdout
    assert "gpu-errors has no finding to suppress" in answer.stdout
    table = json.loads(vcompat("fleet", *options, "--format", "json").stdout)
    jsonschema.validate(table, SCHEMA)
    assert table["findings"] == []
    config.write_text(SUPPRESSED.format(day="2001-01-01"), encoding="utf-8")
    answer = vcompat("fleet", *options)
    assert answer.code == 1
    assert "warning: Drivers differ between nodes" in answer.stdout
    assert "the suppression of drivers-differ expired on 2001-01-01" in " ".join(answer.stdout.split())


def test_a_check_ignores_suppressions_that_are_about_fleets(tmp_path: Path) -> None:
    config = tmp_path / "vcompat.toml"
    config.write_text(SUPPRESSED.format(day="2999-01-01"), encoding="utf-8")
    answer = vcompat("check", "--config", str(config), "--no-probe", "--target", "8xH100")
    assert answer.code == 0, answer.stderr
    assert "drivers-differ" not in answer.stdout
    config.write_text(SUPPRESSED.format(day="2999-01-01").replace("drivers-d", "driver-d"), encoding="utf-8")
    answer = vcompat("check", "--config", str(config), "--no-probe")
    assert answer.code == 2
    assert "there is no rule 'driver-differ'" in answer.stderr


def test_each_kind_of_finding_is_a_case_of_junit(tmp_path: Path) -> None:
    saved = _with_other_driver(tmp_path)
    suites = {}
    for threshold in ("error", "warning"):
        command = ("fleet", "--no-config", "--from", str(saved), "--expect", "4", "--format", "junit")
        answer = vcompat(*command, "--fail-on", threshold)
        assert answer.code == 1
        root = ElementTree.fromstring(answer.stdout)
        suites[threshold] = next(suite for suite in root if suite.get("name") == "vcompat.fleet")
    failed = {
        threshold: [case.get("name") for case in suite if case.find("failure") is not None]
        for threshold, suite in suites.items()
    }
    assert failed == {"error": ["nodes-missing"], "warning": ["nodes-missing", "drivers-differ"]}
    (text,) = [case.findtext("system-out") for case in suites["error"] if case.get("name") == "drivers-differ"]
    assert text.startswith("Drivers differ between nodes: gpu.driver: node2: 570.1.1; the other 2: 580.95.5")
    assert suites["error"].get("failures") == "1"
    assert suites["error"].get("tests") == str(len(KINDS))
