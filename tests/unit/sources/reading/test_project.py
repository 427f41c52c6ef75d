"""The top of a project, and its files by the end of their path."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from vcompat.sources.reading import project
from vcompat.sources.reading.project import ProjectFiles, project_of, top_of
from vcompat.sources.reading.word import UNKNOWN, UNKNOWN_WORDS


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    return tmp_path / "here"


def make(*names: str) -> None:
    for name in names:
        Path(name).parent.mkdir(parents=True, exist_ok=True)
        Path(name).touch()


@pytest.mark.parametrize(
    ("files", "folder", "top", "whole"),
    [
        ("a/b/x", "a/b", "", "."),
        ("a/pyproject.toml a/b/x", "a/b", "a", "."),
        ("a/setup.py a/b/x", "a/b", "a", "."),
        ("pyproject.toml a/setup.py a/b/x", "a/b", "a", "."),
        (".git/HEAD a/setup.py a/b/x", "a/b", ".", "."),
        ("a/.git/HEAD a/b/x", "a/b", "a", "a"),
        ("../.git/HEAD a/x", "a", "..", ".."),
        ("../pyproject.toml a/x", "a", "..", ".."),
        ("../other/x", "../other", "", "../other"),
        ("../other/setup.py ../other/a/x", "../other/a", "../other", "../other"),
        ("x", "", "", "."),
    ],
)
def test_the_top_is_that_of_the_repository_or_has_a_project_s_file(
    files: str, folder: str, top: str, whole: str
) -> None:
    make(*files.split())
    assert top_of(folder) == top
    assert project_of(folder) == whole


@pytest.mark.parametrize(
    ("files", "name", "folder", "found"),
    [
        ("src/r1/grpo.py", "src/grpo.py", "", "src/r1/grpo.py"),
        ("src/r1/grpo.py", "/root/clone/src/r1/grpo.py", "", "src/r1/grpo.py"),
        ("src/r1/grpo.py", "grpo.py", "/root/clone", "src/r1/grpo.py"),
        ("src/r1/grpo.py", "../../grpo.py", "x", "src/r1/grpo.py"),
        ("src/r1/grpo.py", UNKNOWN + "/r1/grpo.py", "", "src/r1/grpo.py"),
        ("src/r1/grpo.py", "r1/grpo.py", UNKNOWN, "src/r1/grpo.py"),
        ("src/r1/grpo.py", "r1/" + UNKNOWN + "grpo.py", "", ""),
        ("src/r1/grpo.py", UNKNOWN_WORDS + "/grpo.py", "", "src/r1/grpo.py"),
        ("src/r1/grpo.py", UNKNOWN_WORDS, "", ""),
        ("src/r1/grpo.py", "pgrpo.py", "", ""),
        ("src/r1/grpo.py", "rpo.py", "", ""),
        ("a/grpo.py b/grpo.py", "grpo.py", "", ""),
        ("a/grpo.py b/grpo.py", "x/b/grpo.py", "", "b/grpo.py"),
        ("a/b/grpo.py c/b/grpo.py grpo.py", "x/b/grpo.py", "", ""),
        (
            "a/x.yaml venv/x.yaml node_modules/x.yaml .hidden/x.yaml env/pyvenv.cfg env/x.yaml",
            "b/x.yaml",
            "",
            "a/x.yaml",
        ),
        ("a/x.yaml", "b/", "", ""),
        ("a/x.yaml", "", "", ""),
    ],
)
def test_a_file_is_found_by_the_longest_end_of_its_path_if_it_is_the_only_one(
    files: str, name: str, folder: str, found: str
) -> None:
    make("scripts/run.sh", *files.split())
    assert ProjectFiles().by_end(name, "scripts/run.sh", folder) == found


def test_a_shorter_end_than_asked_for_does_not_count() -> None:
    make("src/r1/grpo.py")
    assert ProjectFiles().by_end("r1/grpo.py", "run.sh", "", least=2) == "src/r1/grpo.py"
    assert ProjectFiles().by_end("r2/grpo.py", "run.sh", "", least=2) == ""
    assert ProjectFiles().by_end("grpo.py", "run.sh", "", least=2) == ""


def test_two_names_of_one_file_are_one_file() -> None:
    make("a/x.py", "b/y")
    os.symlink("../a/x.py", "b/x.py")
    assert ProjectFiles().by_end("c/x.py", "run.sh") == "a/x.py"


def test_of_a_project_with_too_many_files_none_is_known_to_be_the_only_one(monkeypatch: pytest.MonkeyPatch) -> None:
    make("a/x.py", "b/y.py")
    monkeypatch.setattr(project, "MOST_ENTRIES", 3)
    assert ProjectFiles().by_end("c/x.py", "run.sh") == ""
    monkeypatch.setattr(project, "MOST_ENTRIES", 4)
    assert ProjectFiles().by_end("c/x.py", "run.sh") == "a/x.py"


def test_a_file_outside_of_the_project_is_not_found() -> None:
    make("a/.git/HEAD", "a/run.sh", "b/x.py")
    assert ProjectFiles().by_end("c/x.py", "a/run.sh") == ""
