"""`vcompat upgrade`, with the shipped rules and records."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.unit.cli.command_line import vcompat
from tests.unit.fixes.upgrades import project


def test_the_exit_code_says_whether_something_breaks(tmp_path: Path) -> None:
    script = project(tmp_path, "max_prompt_length=512")
    breaks = vcompat("upgrade", script, "--no-probe", "--to", "trl==1.16.0")
    assert (breaks.code, breaks.stderr) == (1, "") and "has no max_prompt_length" in breaks.stdout
    assert vcompat("upgrade", script, "--no-probe", "--to", "trl==0.19.1").code == 0


def test_a_command_is_followed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    project(tmp_path, "max_prompt_length=512")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "run.sh").write_text("torchrun --nproc_per_node 8 train.py\n")
    done = vcompat("upgrade", "--no-probe", "--to", "trl==1.16.0", "--", "bash", "run.sh")
    assert done.code == 1 and "at train.py:3:" in done.stdout
    assert done.stdout.splitlines()[-1].endswith(" -- bash run.sh")


def test_the_present_release_can_be_stated(tmp_path: Path) -> None:
    script = project(tmp_path, requirements="vllm==0.9.1\n")
    asked = vcompat("upgrade", script, "--no-probe", "--to", "trl==0.19.1")
    assert asked.code == 2 and asked.stderr.count("\n") == 1 and "--from trl==VERSION" in asked.stderr
    stated = vcompat("upgrade", script, "--no-probe", "--to", "trl==0.19.1", "--from", "trl==0.19.0")
    shown = " ".join(stated.stdout.split())
    assert stated.code == 0 and "trl 0.19.0 -> 0.19.1" in shown and "can stay vllm 0.9.1" in shown


def test_reports_go_to_files(tmp_path: Path) -> None:
    script, files = project(tmp_path, "max_prompt_length=512"), [tmp_path / "a.md", tmp_path / "a.json"]
    outputs = [word for file in files for word in ("-o", str(file))]
    done = vcompat("upgrade", script, "--no-probe", "--to", "trl==1.16.0", *outputs)
    assert (done.code, done.stdout) == (1, "")
    assert files[0].read_text().startswith("## vcompat upgrade") and json.loads(files[1].read_text())["fails"] is True


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--to", "trl==9.9"], "--to trl==9.9: no such release; expected a version up to "),
        (["--to", "tlr"], "--to tlr: 'tlr' is not a package that is resolved; expected 'trl'"),
        (["--to", "trl>1,<"], "--to trl>1,<: not a requirement"),
        (["--to", "trl", "--from", "trl>=1"], "--from trl>=1: not one release; expected one such as trl==0.19.0"),
        ([], "Missing option '--to'"),
    ],
)
def test_bad_input_is_one_line(words: list[str], message: str, tmp_path: Path) -> None:
    done = vcompat("upgrade", project(tmp_path), "--no-probe", *words)
    assert done.code == 2 and done.stdout == "" and message in done.stderr and done.stderr.count("\n") == 1
