"""What the README shows is what the program prints."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
import tomli

from vcompat.rule import parse_rule

ROOT = Path(__file__).resolve().parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (script,) = [block for block in blocks("python") if "GRPOConfig" in block]
    (tmp_path / "train.py").write_text(script)
    (tmp_path / "patched.py").write_text("import vcompat; vcompat.patch()\n" + script)
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    return tmp_path


def check(folder: Path, script: str) -> subprocess.CompletedProcess[str]:
    return run(folder, "check", script, "--no-probe", "--facts", "examples/machine.json")


def run(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "vcompat", *arguments],
        cwd=folder,
        env={**os.environ, "COLUMNS": "100", "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )


def test_the_check_that_it_shows(folder: Path) -> None:
    done = check(folder, "train.py")
    assert (done.stdout, done.returncode) == (blocks("text")[0], 1)


def test_the_versions_that_it_shows(folder: Path) -> None:
    command = "resolve --gpu 7.0 --plan train.py --output constraints.txt"
    assert f"$ vcompat {command}\n" in README
    done = run(folder, *command.split(), "--python", "3.11")
    assert (done.stdout, done.returncode) == (blocks("text")[1], 0)


def test_with_the_patch_the_same_check_settles_everything(folder: Path) -> None:
    done = check(folder, "patched.py")
    assert done.returncode == 0
    assert "2 settled by patches" in done.stdout


def test_the_rule_that_it_shows_is_a_rule() -> None:
    (text,) = blocks("toml")
    table = tomli.loads(text)
    assert parse_rule(table, table["id"], "README.md").fixes


def test_the_commands_that_it_shows_exist() -> None:
    from vcompat.cli import COMMANDS

    commands = set(re.findall(r"^\$ vcompat (\w+)", README, re.MULTILINE))
    assert commands
    assert commands <= set(COMMANDS)
    targets = set(re.findall(r"make (\w+)", README))
    assert targets <= set(re.findall(r"^(\w+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
