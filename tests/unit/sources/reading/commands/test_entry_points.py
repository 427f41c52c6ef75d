"""Programs that a project declares, and the runs that they start."""

from __future__ import annotations

from pathlib import Path

import pytest

from vcompat.facts.facts import Facts, Place
from vcompat.sources.gather import Sources, collect
from vcompat.sources.reading.commands.entry_points import Programs, code_of, declared
from vcompat.sources.reading.invocation import Invocation
from vcompat.sources.reading.word import UNKNOWN

CLI = """import sys
from trl import GRPOConfig, GRPOTrainer
def main():
    GRPOTrainer(model="a/b", args=GRPOConfig(use_vllm=True, num_generations=int(sys.argv[1])))
def other():
    print(1)
"""


@pytest.fixture(autouse=True)
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "src" / "mine").mkdir(parents=True)
    (tmp_path / "src" / "mine" / "__init__.py").touch()
    (tmp_path / "src" / "mine" / "cli.py").write_text(CLI)
    return tmp_path


@pytest.mark.parametrize(
    ("name", "text", "programs"),
    [
        ("pyproject.toml", '[project.scripts]\na = "m.n:f"\nb = "m : C.f"', {"a": "m.n:f", "b": "m:C.f"}),
        ("pyproject.toml", '[tool.poetry.scripts]\na = "m:f"\nb = {reference = "x"}', {"a": "m:f"}),
        ("pyproject.toml", '[project.scripts]\na = "m"\nb = 3', {}),
        ("pyproject.toml", "project = 3", {}),
        ("pyproject.toml", "[", {}),
        (
            "setup.cfg",
            "[options.entry_points]\nconsole_scripts =\n    a = m:f [extra]\n    b=m:g\n",
            {"a": "m:f", "b": "m:g"},
        ),
        ("setup.py", 'setup(entry_points={"console_scripts": ["a = m:f", "b"]})', {"a": "m:f"}),
        ("setup.py", 'setup(entry_points={"console_scripts": "a = m:f"})', {"a": "m:f"}),
        ("setup.py", "setup(entry_points=POINTS)", {}),
        ("setup.py", "setup(", {}),
    ],
)
def test_programs_are_read_from_the_files_of_a_project(
    project: Path, name: str, text: str, programs: dict[str, str]
) -> None:
    (project / name).write_text(text)
    assert declared(str(project)) == programs


def test_a_program_calls_its_function() -> None:
    assert code_of("m.n:f") == "from m.n import f\nf()\n"
    assert code_of("m:C.f") == "from m import C\nC.f()\n"


def test_of_two_projects_with_one_name_neither_is_certain(project: Path) -> None:
    (project / "pyproject.toml").write_text('[project.scripts]\na = "m:f"\nb = "m:g"')
    (project / "sub").mkdir()
    (project / "sub" / "setup.py").write_text('setup(entry_points={"console_scripts": ["a = n:f", "b = m:g"]})')
    programs = Programs()
    assert programs.around(Invocation(("a",), Place("sub/run.sh", 1))) == {"b": "m:g"}
    assert programs.around(Invocation(("a",), Place("run.sh", 1), folder=UNKNOWN)) == {"a": "m:f", "b": "m:g"}


def started(*command: str) -> Facts:
    return collect(Sources(command=command, probe=False)).facts


@pytest.mark.parametrize(
    "command",
    [
        "my-train 4",
        "uv run my-train 4",
        "poetry run my-train 4",
        "nohup env A=1 my-train 4",
        "srun -n 1 my-train 4",
    ],
)
def test_a_program_of_the_project_is_followed(project: Path, command: str) -> None:
    (project / "pyproject.toml").write_text('[project.scripts]\nmy-train = "mine.cli:main"')
    facts = started(*command.split())
    assert facts.value("plan.num_generations") == 4
    assert facts.value("plan.trainer") == "GRPOTrainer"
    found = facts.get("plan.num_generations")
    assert found is not None
    assert "cli.py:4" in found.source


def test_a_program_that_does_not_train_is_no_run(project: Path) -> None:
    (project / "pyproject.toml").write_text('[project.scripts]\nother = "mine.cli:other"\nmkdir = "mine.cli:main"')
    (project / "run.sh").write_text("other\nmkdir 4\npython src/mine/train.py\n")
    (project / "src" / "mine" / "train.py").write_text(CLI.partition("def other")[0] + "main()\n")
    plan = collect(Sources(["run.sh"], probe=False)).plan
    assert [run.name for run in plan.runs] == ["run.sh:3:1"]


def test_a_module_is_found_where_the_project_declares_its_packages(project: Path) -> None:
    (project / "setup.py").write_text('setup(package_dir={"": "code"})')
    (project / "code" / "pkg").mkdir(parents=True)
    (project / "code" / "pkg" / "train.py").write_text(CLI + "main()\n")
    assert started("python", "-m", "pkg.train", "6").value("plan.num_generations") == 6
