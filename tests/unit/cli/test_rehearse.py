"""Commands that are no training, and input that cannot be used. Real trainings are in tests/e2e/test_rehearsal.py."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from tests.unit.cli.command_line import process, vcompat


def test_a_command_that_is_no_training_is_not_exercised_and_leaves_nothing(tmp_path: Path) -> None:
    words = [sys.executable, "-c", "print('said')"]
    answer = process("rehearse", "--no-check", "--", *words, folder=tmp_path, TMPDIR=str(tmp_path))
    assert answer.code == 2
    assert answer.stdout.startswith("not exercised: python")
    assert "no process of the command imports TRL" in answer.stdout
    assert list(tmp_path.iterdir()) == []


def test_a_command_that_fails_is_diagnosed_and_its_output_kept(tmp_path: Path) -> None:
    code = "raise RuntimeError('no luck')"
    answer = process("rehearse", "--no-check", "--", sys.executable, "-c", code, TMPDIR=str(tmp_path))
    assert answer.code == 1
    assert "failure    RuntimeError: no luck" in answer.stdout
    (folder,) = tmp_path.iterdir()
    assert f"kept       {folder}" in answer.stdout and "no luck" in (folder / "output.log").read_text()
    assert folder.stat().st_mode & 0o077 == 0


def test_reports_are_written_in_each_format(tmp_path: Path) -> None:
    words = [
        "--no-check",
        "-o",
        "a.json",
        "-o",
        "a.html",
        "--format",
        "trace",
        "-o",
        "a.trace",
        "--",
        sys.executable,
        "-c",
        "",
    ]
    answer = process("rehearse", *words, folder=tmp_path)
    assert answer.code == 2 and answer.stdout == ""
    assert "vcompat: rehearsal not exercised:" in answer.stderr
    assert json.loads((tmp_path / "a.json").read_text())["status"] == "not exercised"
    assert json.loads((tmp_path / "a.trace").read_text())["traceEvents"] == []
    assert (tmp_path / "a.html").read_text().startswith("<!doctype html>")


@pytest.mark.parametrize(
    ("words", "text"),
    [
        (["--", "no-such-program"], "no-such-program: No such file or directory"),
        (["--", "/"], "/: Permission denied"),
        (["--keep", ".", "--", "true"], "others can enter it"),
        (["--steps", "1", "--", "true"], "--steps"),
        (["-o", "no/such/folder.json", "--", "true"], "no/such/folder.json: cannot be written"),
        (["--only", "nothing", "--", "true"], "--only nothing: there is no such patch"),
        ([], "Missing argument"),
    ],
)
def test_input_that_cannot_be_used_is_one_line(tmp_path: Path, words: list[str], text: str) -> None:
    tmp_path.chmod(0o755)
    answer = process("rehearse", *(["--no-check"] if "--" in words else []), *words, folder=tmp_path)
    line = answer.stderr.strip().splitlines()[-1]
    assert (answer.code, answer.stdout) == (2, "") and text in line and line.startswith("vcompat: ")
    assert "Traceback" not in answer.stderr


def test_what_is_to_be_kept_is_kept(tmp_path: Path) -> None:
    answer = process("rehearse", "--no-check", "--keep", "here", "--", "echo", "said", folder=tmp_path)
    assert f"kept       {tmp_path / 'here'}" in answer.stdout
    assert (tmp_path / "here" / "output.log").read_text() == "said\n"


def test_a_folder_to_keep_that_is_not_empty_is_refused(tmp_path: Path) -> None:
    tmp_path.chmod(0o700)
    (tmp_path / "mine").touch()
    answer = vcompat("rehearse", "--no-check", "--keep", str(tmp_path), "--", "true")
    assert answer.code == 2 and "not empty" in answer.stderr and (tmp_path / "mine").exists()


def test_a_command_that_fails_the_check_is_not_started(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text(
        "from trl import GRPOConfig\nopen('started', 'w')\nGRPOConfig(output_dir='x', use_vllm=True, no_such_setting=1)\n"
    )
    words = ["rehearse", "--", sys.executable, "train.py"]
    answer = process(*words, folder=tmp_path, PYTHONDONTWRITEBYTECODE="1")
    assert answer.code == 1 and "not started" in answer.stderr
    assert not (tmp_path / "started").exists()


def test_a_command_that_fails_the_check_has_a_verdict_for_programs(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text(
        "from trl import GRPOConfig\nGRPOConfig(output_dir='x', use_vllm=True, no_such_setting=1)\n"
    )
    words = ["rehearse", "-o", "a.html", "--format", "json", "--", sys.executable, "train.py"]
    answer = process(*words, folder=tmp_path)
    verdict = json.loads(answer.stdout)
    assert (answer.code, verdict["status"], verdict["exit_code"]) == (1, "failed", None)
    assert [check["name"] for check in verdict["checks"]] == ["check"]
    assert "setting-does-not-exist" in [cause["rule"] for cause in verdict["causes"]]
    assert "was not started" in (tmp_path / "a.html").read_text()
