"""The formats of an upgrade's report, for real scripts with the shipped rules and records."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from click import unstyle

from tests.unit.fixes.upgrades import project, upgraded
from vcompat.evaluation.config import Config
from vcompat.fixes.upgrade_effects import Upgrade
from vcompat.report.upgrades import upgrade_json, upgrade_markdown, upgrade_text
from vcompat.report.upgrades.upgrade_wording import Subject

#: Each of these takes seconds.
pytestmark = pytest.mark.long

REPORTS = Path(upgrade_json.__file__).parent
SCHEMA = json.loads((REPORTS / "upgrade.schema.json").read_text())
CHECKED = json.loads((REPORTS.parent / "checks" / "report.schema.json").read_text())
GONE = "from trl import get_kbit_device_map\nfrom trl.extras.vllm_client import VLLMClient"


def subject(found: Upgrade) -> Subject:
    return Subject(("train.py",), ("requirements.txt",), "GRPOConfig", ("train.py",), (), (), found.breaks(Config()))


def text(found: Upgrade, everything: bool = False) -> str:
    return unstyle(upgrade_text.render(found, subject(found), 80, everything))


def markdown(found: Upgrade, everything: bool = False) -> str:
    return upgrade_markdown.render(found, subject(found), 80, everything)


def table(found: Upgrade) -> dict[str, Any]:
    found_: dict[str, Any] = json.loads(upgrade_json.render(found, subject(found), 80, False))
    jsonschema.Draft202012Validator(SCHEMA).validate(found_)
    return found_


@pytest.fixture
def breaking(tmp_path: Path) -> Upgrade:
    return upgraded(project(tmp_path, "max_prompt_length=512", GONE), "trl==1.16.0")


@pytest.fixture
def stuck(tmp_path: Path) -> Upgrade:
    return upgraded(project(tmp_path, "max_prompt_length=512"), "trl==1.16.0", target="8xV100-32GB")


def test_what_must_be_acted_on_comes_first(breaking: Upgrade) -> None:
    shown = text(breaking)
    titles = ("Stops working (2)", "Settings that do not fit (1)", "Must change, too (3)", "Defaults that change")
    assert [shown.index(title) for title in titles] == sorted(shown.index(title) for title in titles)
    assert "  fix      It is trl.generation.vllm_client.VLLMClient in this release.\n" in shown
    assert "  more     vcompat support trl --names get_kbit_device_map\n" in shown
    assert "  fix      remove max_prompt_length from GRPOConfig\n" in shown
    assert "  install  pip install trl==1.16.0 vllm==0.31.0 transformers==5.17.0 torch==2.13.0\n" in shown
    assert shown.splitlines()[-1].startswith("Next: vcompat fix train.py --set packages.trl=1.16.0 ")


def test_no_line_is_wider_than_the_terminal_but_commands(breaking: Upgrade, stuck: Upgrade) -> None:
    for found in (breaking, stuck):
        wide = [line for line in text(found, everything=True).splitlines() if len(line) > 80]
        assert all(line.startswith(("  install", "Next: ", "  at ")) for line in wide)


def test_where_no_set_works_the_report_begins_with_it_and_ends_with_one_that_does(stuck: Upgrade) -> None:
    shown = text(stuck)
    assert shown.index("No set of releases works") < shown.index("Settings that do not fit")
    assert "trl 1.16.0 requires vllm>=0.22.0,<=0.31.0\n  vllm 0.33.0: volta-not-built" in shown
    assert shown.splitlines()[-1] == "Next: vcompat upgrade --to trl==1.13.0 train.py"
    assert "install" not in shown and "### No set of releases works" in markdown(stuck)


def test_defaults_that_no_rule_is_about_are_counted(breaking: Upgrade) -> None:
    assert "that no rule is about: --all" in text(breaking)
    assert "fp16_backend" not in text(breaking) and "fp16_backend" in text(breaking, everything=True)
    assert "`fp16_backend`" not in markdown(breaking) and "`fp16_backend`" in markdown(breaking, everything=True)


def test_failures_that_stay_are_counted_and_listed_with_all(tmp_path: Path) -> None:
    found = upgraded(project(tmp_path, "max_promt_length=1"), "trl==0.19.1")
    assert "1 failure stays" in text(found) and "max_promt_length" not in text(found)
    for render in (text, markdown):
        assert "Failures stay" in render(found, everything=True) and "has no max_promt_length" in render(found, True)


def test_a_release_that_the_project_has_changes_nothing(tmp_path: Path) -> None:
    shown = text(upgraded(project(tmp_path), "trl==0.19.0"))
    assert shown.startswith("Nothing changes for train.py") and "install" not in shown


def test_markdown_has_a_table_for_each_section(breaking: Upgrade) -> None:
    lines = markdown(breaking).splitlines()
    assert lines[0].startswith("## vcompat upgrade: 2 names that are gone, 1 setting to change")
    titles = [line for line in lines if line.startswith("### ")]
    assert titles[:3] == ["### Stops working", "### Settings that do not fit", "### Must change, too"]
    assert any(line.startswith("| 🔴 error | GRPOConfig of TRL 1.16.0 has no max_prompt_length") for line in lines)
    assert any(line.startswith("| vllm | 0.9.1 | 0.31.0 | trl 1.16.0 requires vllm") for line in lines)


def test_json_is_as_its_schema_describes_it(breaking: Upgrade, stuck: Upgrade) -> None:
    found = table(breaking)
    assert (found["fails"], found["works"], found["changes"][0]["asked"]) == (True, True, True)
    assert [one["rule"] for one in found["stops_working"]] == ["missing-name"] * 2
    assert [one["place"]["line"] for one in found["settings"]] == [4]
    assert {"setting": "loss_type", "class": "GRPOConfig", "before": "bnpo"}.items() <= next(
        one for one in found["defaults"] if one["setting"] == "loss_type"
    ).items()
    none = table(stuck)
    assert (none["works"], none["install"]) == (False, None)
    assert none["alternatives"][-1]["releases"]["trl"] == "1.13.0" and none["conflicts"]


def test_what_is_not_known_of_other_packages_is_stated(tmp_path: Path) -> None:
    found = upgraded(project(tmp_path), "trl==1.16.0", target="8xMI300X")
    assert table(found)["works"] is None
    assert "what else must change is not known" in text(found) and "Note: what else must change" in markdown(found)


def test_a_finding_has_the_keys_that_it_has_in_a_check() -> None:
    names = ("place", "fix", "finding")
    assert [SCHEMA["$defs"][name] for name in names] == [CHECKED["$defs"][name] for name in names]
