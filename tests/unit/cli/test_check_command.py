"""A command after ``--``: what check, plan, fix and resolve make of it, and that of the project's settings."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.unit.cli.command_line import vcompat

LAUNCH = 'cd "$(dirname "$0")"\ntorchrun --nproc_per_node "$1" train.py --num_generations "${2:-8}"\n'
SCRIPT = """from trl import GRPOConfig, GRPOTrainer, TrlParser
(args,) = TrlParser(GRPOConfig).parse_args_and_config()
GRPOTrainer(model="a/b", args=args)
"""
#: A command with a setting that is certainly wrong.
WRONG = "torchrun --nproc_per_node 8 make.py --use_vllm true --vllm_mode colocate --vllm_tensor_parallel_size 3".split()
RELEASES = ["--set", "packages.trl=1.9.0", "--set", "packages.vllm=0.24.0"]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "train.sh").write_text(f"#!/bin/bash\n{LAUNCH}")
    (tmp_path / "run" / "train.py").write_text(SCRIPT)
    (tmp_path / "make.py").write_text(SCRIPT)
    return tmp_path


def planned(*arguments: str) -> str:
    done = vcompat("plan", *arguments)
    assert done.code == 0, done.stderr
    return " ".join(done.stdout.split())


@pytest.mark.parametrize(
    "command",
    [
        ["bash", "run/train.sh", "4", "16"],
        ["./run/train.sh", "4", "16"],
        ["sh", "-c", "bash run/train.sh 4 16"],
        ["cd run && bash train.sh 4 16"],
        ["nohup", "bash", "run/train.sh", "4", "16"],
    ],
)
def test_a_launch_script_gets_the_arguments_of_the_command(command: list[str]) -> None:
    found = planned("--", *command)
    assert "plan.world_size 4" in found
    assert "plan.num_generations 16" in found


def test_a_python_command_gets_its_options() -> None:
    assert "plan.num_generations 3" in planned("--", "python", "make.py", "--num_generations", "3")


def test_an_option_of_the_command_is_at_the_command() -> None:
    done = vcompat("check", "--no-probe", *RELEASES, "--format", "json", "--", *WRONG)
    found = {finding["rule"]: finding for finding in json.loads(done.stdout)["findings"]}
    assert "the command" in json.dumps(found["tensor-parallel-size-does-not-divide-world-size"])
    assert done.code == 1
    assert vcompat("check", "--no-probe", *RELEASES, "--", *WRONG[:-1], "4").code == 0


def test_the_next_command_has_the_options_before_the_command() -> None:
    done = vcompat("check", "--no-probe", "--", "bash", "run/train.sh", "4")
    assert "Checked run/train.sh, run/train.py" in done.stdout
    last = done.stdout.rstrip().splitlines()[-1]
    assert "Next: vcompat check --no-probe --newest -- bash run/train.sh 4" in last
    assert last.endswith(" -- bash run/train.sh 4")


def test_files_before_the_command_are_read_too(folder: Path) -> None:
    (folder / "requirements.txt").write_text("trl==1.9.0\nvllm==0.24.0\n")
    done = vcompat("check", "--no-probe", "requirements.txt", "--", "bash", "run/train.sh", "4")
    assert "trl 1.9.0" in done.stdout


def test_fix_changes_files_and_not_the_command(folder: Path) -> None:
    done = vcompat("fix", "--no-probe", *RELEASES, "--write", "--", *WRONG)
    assert done.code == 0, done.stderr
    assert "nothing to change" in done.stdout
    config = 'GRPOConfig(use_vllm=True, vllm_mode="colocate", vllm_tensor_parallel_size=3)'
    (folder / "set.py").write_text(f"from trl import GRPOConfig, GRPOTrainer\nGRPOTrainer(model='m', args={config})\n")
    done = vcompat("fix", "--no-probe", *RELEASES, "--write", "--", "torchrun", "--nproc_per_node", "8", "set.py")
    assert "1 file written" in done.stdout
    assert "vllm_tensor_parallel_size=4" in (folder / "set.py").read_text()


def test_resolve_takes_a_command() -> None:
    done = vcompat("resolve", "--gpu", "9.0", "--", "bash", "run/train.sh", "4")
    assert done.code == 0, done.stderr
    assert "vllm" in done.stdout


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["check", "--"], "No command follows --"),
        (["plan"], "or a command after --"),
        (["check", "--", "ls", "-l"], "the command ls -l: no training command found"),
        (["check", "--", "bash", "nowhere.sh"], "nowhere.sh: named in the command, was not found"),
        (["check", "--", "--what.py"], "--what.py: No such file"),
        (["check", "--no-probe", "--", "echo 'a"], "no training command found"),
    ],
)
def test_a_command_that_cannot_be_used_is_refused_in_one_line(arguments: list[str], message: str) -> None:
    done = vcompat(*arguments)
    assert done.code == 2
    assert message in done.stderr
    assert done.stderr.count("\n") == 1


def test_help_shows_the_command() -> None:
    for name in ("check", "plan", "fix", "resolve"):
        done = vcompat(name, "--help")
        assert "[-- COMMAND...]" in " ".join(done.stdout.split()), name
        assert "sbatch train.slurm" in " ".join(done.stdout.split())


@pytest.mark.parametrize(
    "value", ['"bash run/train.sh 4 16"', '["bash", "run/train.sh", "4", "16"]', '"cd run && bash train.sh 4 16"']
)
def test_the_projects_settings_have_a_command_that_starts_in_their_folder(
    folder: Path, monkeypatch: pytest.MonkeyPatch, value: str
) -> None:
    (folder / "vcompat.toml").write_text(f"command = {value}\n")
    (folder / ".git").mkdir()
    for where in (folder, folder / "run"):
        monkeypatch.chdir(where)
        done = vcompat("check", "--no-probe", "--format", "json")
        facts = json.loads(done.stdout)["facts"]
        assert facts["plan.world_size"] == 4
        assert facts["plan.num_generations"] == 16


def test_a_command_or_files_on_the_command_line_replace_those_of_the_settings(folder: Path) -> None:
    (folder / "vcompat.toml").write_text('command = "bash run/train.sh 4 16"\nplan = "make.py"\n')

    def facts(*arguments: str) -> dict[str, object]:
        return json.loads(vcompat("check", "--no-probe", "--format", "json", *arguments).stdout)["facts"]  # type: ignore[no-any-return]

    assert "plan.world_size" not in facts("make.py")
    assert facts("--", "bash", "run/train.sh", "2")["plan.world_size"] == 2


@pytest.mark.parametrize("value", ["3", '""', "[]", "[1]"])
def test_a_command_of_the_settings_that_is_none_is_refused(folder: Path, value: str) -> None:
    (folder / "vcompat.toml").write_text(f"command = {value}\n")
    done = vcompat("check", "--no-probe")
    assert done.code == 2
    assert "command" in done.stderr
