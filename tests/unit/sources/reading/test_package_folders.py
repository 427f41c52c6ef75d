"""Folders in which a project declares its packages."""

from __future__ import annotations

from pathlib import Path

import pytest

from vcompat.sources.reading.package_folders import declared_folders


@pytest.mark.parametrize(
    ("name", "text", "folders"),
    [
        ("pyproject.toml", '[tool.setuptools]\npackage-dir = {"" = "lib"}', ["lib"]),
        ("pyproject.toml", '[tool.setuptools.package-dir]\nmine = "python/mine"\nother = "a/b"', ["python"]),
        ("pyproject.toml", '[tool.setuptools.packages.find]\nwhere = ["a", "b/c"]', ["a", "b/c"]),
        ("pyproject.toml", '[tool.hatch.build.targets.wheel]\npackages = ["src/mine", "top"]', ["src"]),
        ("pyproject.toml", '[tool.hatch.build.targets.wheel]\nsources = ["code"]', ["code"]),
        ("pyproject.toml", '[tool.hatch.build.targets.wheel.sources]\ncode = ""\nother = "x"', ["code"]),
        ("pyproject.toml", '[tool.poetry]\npackages = [{include = "mine", from = "lib"}, {include = "x"}]', ["lib"]),
        ("pyproject.toml", '[tool.pdm.build]\npackage-dir = "lib"', ["lib"]),
        ("pyproject.toml", '[tool.maturin]\npython-source = "python"', ["python"]),
        ("pyproject.toml", '[tool.setuptools]\npackage-dir = {"" = "."}\n[tool.poetry]\npackages = "x"', []),
        ("pyproject.toml", '[tool.setuptools]\npackage-dir = {"" = "/abs", "" = "x"', []),
        ("pyproject.toml", '[tool.setuptools.packages.find]\nwhere = ["/abs", "../up", 3]', []),
        ("pyproject.toml", "tool = 3", []),
        ("pyproject.toml", "", []),
        ("setup.py", 'setup(name="x", package_dir={"": "src"}, packages=find_packages("src"))', ["src"]),
        ("setup.py", 'import setuptools\nsetuptools.setup(packages=setuptools.find_packages(where="lib"))', ["lib"]),
        ("setup.py", 'setup(packages=find_namespace_packages("lib"))', ["lib"]),
        ("setup.py", "setup(packages=find_packages(), package_dir=FOLDERS)", []),
        ("setup.py", 'setup(package_dir={"": "src"', []),
        ("setup.cfg", "[options]\npackage_dir =\n    = src\n    mine = lib/mine", ["src", "lib"]),
        ("setup.cfg", "[options.packages.find]\nwhere = src lib", ["src", "lib"]),
        ("setup.cfg", "[options]\n[options]", []),
        ("setup.cfg", "no section", []),
    ],
)
def test_the_folders_of_packages_are_read_and_nothing_is_run(
    tmp_path: Path, name: str, text: str, folders: list[str]
) -> None:
    (tmp_path / name).write_text(text)
    assert list(declared_folders(str(tmp_path))) == folders


def test_all_files_of_a_project_count_each_folder_once(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text('[tool.setuptools]\npackage-dir = {"" = "a"}')
    (tmp_path / "setup.cfg").write_text("[options]\npackage_dir =\n    = b")
    (tmp_path / "setup.py").write_text('raise SystemExit\nsetup(package_dir={"": "a/"})')
    assert declared_folders(str(tmp_path)) == ("a", "b")
    assert declared_folders(str(tmp_path / "nowhere")) == ()
