"""Likely findings on the command line: what fails the check, baselines, and releases of the project."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.unit.cli.command_line import process, vcompat

SCRIPT = """\
from trl import GRPOConfig, GRPOTrainer
from tracker import track
args = GRPOConfig(use_vllm=True, vllm_mode="colocate", vllm_enable_sleep_mode=True)
{call}
GRPOTrainer(model="a/b", args=args)
"""
#: A likely error, by `track(args)`; nothing is certain.
RULE = "sleep-mode-generates-with-first-checkpoint"
CHECK = ["check", "train.py", "--no-probe", "--set", "packages.trl=1.9.0"]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / ".git").mkdir()
    (tmp_path / "train.py").write_text(SCRIPT.format(call="track(args)"))
    (tmp_path / "certain.py").write_text(SCRIPT.format(call=""))
    return tmp_path


def certainties(*arguments: str) -> dict[str, str]:
    table: dict[str, Any] = json.loads(vcompat(*arguments, "--format", "json").stdout)
    return {finding["rule"]: finding["certainty"] for finding in table["findings"]}


def test_a_likely_finding_needs_no_certain_one() -> None:
    found = certainties(*CHECK)
    assert found[RULE] == "likely" and "certain" not in found.values()
    assert certainties("check", "certain.py", *CHECK[2:])[RULE] == "certain"


@pytest.mark.parametrize(
    ("options", "settings", "code"),
    [
        ([], "", 0),
        (["--fail-on-likely"], "", 1),
        (["--strict"], "", 1),
        (["--fail-on", "note"], "", 0),
        (["--fail-on-likely", "--fail-on", "note"], "", 1),
        (["--fail-on-likely", "--fail-on", "never"], "", 0),
        ([], "fail-on-likely = true\n", 1),
        ([], "fail-on-likely = false\n", 0),
        ([], "strict = true\n", 1),
        (["--no-config"], "fail-on-likely = true\n", 0),
        (["--fail-on", "never"], "fail-on-likely = true\n", 0),
    ],
)
def test_a_likely_error_fails_the_check_only_where_asked(
    folder: Path, options: list[str], settings: str, code: int
) -> None:
    (folder / "vcompat.toml").write_text(settings)
    done = vcompat(*CHECK, *options)
    assert (done.code, done.stderr) == (code, "")
    assert "likely error: " in done.stdout


def test_a_likely_warning_is_below_the_threshold_of_an_error() -> None:
    arguments = ["check", "train.py", "--no-probe", "--set", "packages.vllm=0.24.0", "--set", "packages.trl=1.10.0"]
    found = certainties(*arguments)
    assert found["sleep-crashes-at-exit"] == "likely"
    assert vcompat(*arguments, "--fail-on-likely").code == 0
    assert vcompat(*arguments, "--fail-on-likely", "--fail-on", "warning").code == 1


def test_a_possible_finding_does_not_fail_the_check_with_fail_on_likely() -> None:
    arguments = ["check", "--no-probe", "--no-config", "--set", "packages.vllm=0.8.4"]
    assert set(certainties(*arguments).values()) == {"possible"}
    assert [vcompat(*arguments, option).code for option in ("--fail-on-likely", "--strict")] == [0, 1]


def test_the_exit_code_of_the_process_follows_fail_on_likely() -> None:
    assert [process(*CHECK, *options).code for options in ((), ("--fail-on-likely",))] == [0, 1]


def test_a_setting_of_the_wrong_type_is_refused_in_one_line(folder: Path) -> None:
    (folder / "vcompat.toml").write_text('fail-on-likely = "yes"\n')
    done = vcompat(*CHECK)
    assert done.code == 2 and "fail-on-likely" in done.stderr and "Traceback" not in done.stderr


def test_a_baseline_holds_likely_findings() -> None:
    assert vcompat(*CHECK, "--write-baseline", "base.json").code == 0
    done = vcompat(*CHECK, "--baseline", "base.json", "--strict")
    assert done.code == 0 and "likely error" not in done.stdout


def test_a_value_set_by_hand_makes_a_likely_finding_certain_or_rules_it_out() -> None:
    decided = ["plan.use_vllm=true", "plan.vllm_mode=colocate", "plan.vllm_enable_sleep_mode=true"]
    by_hand = [word for fact in decided for word in ("--set", fact)]
    assert certainties(*CHECK, *by_hand)[RULE] == "certain"
    assert RULE not in certainties(*CHECK, "--set", "plan.vllm_enable_sleep_mode=false")


# Releases of the project


@pytest.mark.parametrize(
    ("options", "release"),
    [([], "1.9.0"), (["--env", "none"], None), (["--env", "other.txt"], "0.18.0")],
)
def test_the_releases_come_from_the_project_unless_another_environment_or_none_is_named(
    folder: Path, options: list[str], release: str | None
) -> None:
    (folder / "requirements.txt").write_text("trl==1.9.0\n")
    (folder / "other.txt").write_text("trl==0.18.0\n")
    done = vcompat("check", "train.py", "--no-probe", "--no-config", *options, "--format", "json")
    table = json.loads(done.stdout)
    assert table["facts"].get("packages.trl") == release
    assert table["stated_by"] == (["requirements.txt"] if not options else [])


def test_the_first_line_names_the_file_that_states_the_releases(folder: Path) -> None:
    (folder / "requirements.txt").write_text("trl==1.9.0\n")
    first = " ".join(vcompat("check", "train.py", "--no-probe", "--no-config").stdout.split("\n\n")[0].split())
    assert "requirements.txt" in first and "trl 1.9.0" in first
    without = vcompat("check", "train.py", "--no-probe", "--no-config", "--env", "none").stdout.splitlines()[0]
    assert "requirements.txt" not in without


def test_a_range_of_the_project_makes_a_finding_as_sure_as_the_settings(folder: Path) -> None:
    for allowed, certainty in (
        ("trl>=1.8,<1.10", "certain"),
        ("trl>=1.8,<1.12", "possible"),
        ("trl>=1.10,<1.12", None),
    ):
        (folder / "requirements.txt").write_text(allowed + "\n")
        assert certainties("check", "certain.py", "--no-probe", "--no-config").get(RULE) == certainty


def test_two_files_of_the_project_that_differ_leave_the_release_unknown_and_are_named(folder: Path) -> None:
    (folder / "requirements.txt").write_text("trl==1.9.0\n")
    (folder / "setup.py").write_text("setup(install_requires=['trl==1.8.0'])\n")
    table = json.loads(vcompat("check", "certain.py", "--no-probe", "--no-config", "--format", "json").stdout)
    assert "packages.trl" not in table["facts"] and "packages.trl" not in table["likely"]
    assert "requirements.txt:1" in table["unknown"]["packages.trl"] and "setup.py:1" in table["unknown"]["packages.trl"]
