"""What the README shows is what the program prints."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
import tomli

from vcompat.evaluation.config import read_config
from vcompat.report.formats import FORMATS
from vcompat.rules.database import load_rules
from vcompat.rules.rule import parse_rule
from vcompat.sources.target.target import read_target

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
    (text,) = [block for block in blocks("toml") if block.startswith("id =")]
    table = tomli.loads(text)
    assert parse_rule(table, table["id"], "README.md").fixes


def test_the_profile_that_it_shows_is_a_target(tmp_path: Path) -> None:
    (text,) = [block for block in blocks("toml") if "[gpu]" in block]
    (tmp_path / "cluster.toml").write_text(text)
    facts = read_target(str(tmp_path / "cluster.toml"))
    assert (facts.value("plan.num_machines"), facts.value("gpu.count")) == (4, 8)


def test_the_settings_that_it_shows_are_read(tmp_path: Path) -> None:
    (text,) = [block for block in blocks("toml") if "[tool.vcompat]" in block]
    (tmp_path / "pyproject.toml").write_text(text)
    config = read_config(str(tmp_path / "pyproject.toml"))
    assert config.target == "8xH100" and config.only_certain
    assert config.suppressions[0].rule in {rule.id for rule in load_rules()}


def test_the_change_that_it_shows_is_the_one_that_is_made(tmp_path: Path) -> None:
    (shown,) = blocks("diff")
    old = "".join(line[1:] for line in shown.splitlines(keepends=True) if line[0] != "+")
    (tmp_path / "train.py").write_text(old)
    releases = ["--set", "packages.trl=1.9.0", "--set", "packages.vllm=0.24.0"]
    done = run(tmp_path, "fix", "train.py", "--target", "8xH100", "--no-probe", *releases)
    assert shown in done.stdout


def test_the_formats_that_it_lists_are_all(tmp_path: Path) -> None:
    assert set(re.findall(r"^\| `(\w+)` \| ", README.partition("## Use it in CI")[2], re.MULTILINE)) == set(FORMATS)


def test_the_commands_that_it_shows_exist() -> None:
    from vcompat.cli.program import COMMANDS

    commands = set(re.findall(r"^\$ vcompat (\w+)", README, re.MULTILINE))
    assert commands
    assert commands <= set(COMMANDS)
    targets = set(re.findall(r"make (\w+)", README))
    assert targets <= set(re.findall(r"^(\w+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
