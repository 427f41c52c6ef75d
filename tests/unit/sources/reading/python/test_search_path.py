"""Where the modules of a project are found that its script imports."""

from __future__ import annotations

from pathlib import Path

import pytest

from vcompat.facts.facts import Place
from vcompat.sources.reading.invocation import Environment
from vcompat.sources.reading.locate import Locator
from vcompat.sources.reading.python.search_path import SearchPath
from vcompat.sources.reading.python.values.core import Start


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")


class Presumed(list[str]):
    """What is presumed."""

    def append_one(self, kind: str, text: str, place: Place | None) -> None:
        self.append(f"{kind}: {text}")


PRESUMED = Presumed()


def make(files: str) -> None:
    for name in files.split():
        Path(name).parent.mkdir(parents=True, exist_ok=True)
        Path(name).touch()


def found(script: str, module: str, presuming: bool = False, **start: object) -> str | None:
    how = Start(words=(), place=Place("run.sh", 1), **start)  # type: ignore[arg-type]
    return SearchPath(script, how).find(module.split("."), PRESUMED.append_one if presuming else None)


@pytest.mark.parametrize(
    ("files", "script", "module", "path"),
    [
        ("a/x.py", "a/train.py", "x", "a/x.py"),
        ("a/x/__init__.py", "a/train.py", "x", "a/x/__init__.py"),
        ("a/x.py x.py", "a/train.py", "x", "a/x.py"),
        ("x.py", "a/train.py", "x", "x.py"),
        ("src/p/__init__.py src/p/x.py", "src/p/train.py", "p.x", "src/p/x.py"),
        ("src/p/x.py", "scripts/train.py", "p.x", "src/p/x.py"),
        (
            "s/a/b/c/d/__init__.py s/a/b/c/__init__.py s/a/b/__init__.py s/a/__init__.py s/a/x.py",
            "s/a/b/c/d/train.py",
            "a.x",
            "s/a/x.py",
        ),
        (".git/HEAD lib/x.py", "a/b/c/d/e/train.py", "lib.x", "lib/x.py"),
        ("x.py", "a/train.py", "x.y", None),
        ("a/y.py", "a/train.py", "x", None),
    ],
)
def test_a_module_is_beside_the_script_or_around_it(files: str, script: str, module: str, path: str | None) -> None:
    make(files)
    assert found(script, module) == path


def test_pythonpath_comes_after_the_folder_of_the_script() -> None:
    make("lib/x.py lib/y.py a/x.py y.py")
    environment = Environment({"PYTHONPATH": "nowhere:lib"})
    assert found("a/train.py", "x", environment=environment) == "a/x.py"
    assert found("a/train.py", "y", environment=environment) == "lib/y.py"
    assert found("a/train.py", "y") == "y.py"


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("setup.py", 'setup(package_dir={"": "code"})'),
        ("pyproject.toml", '[tool.setuptools.packages.find]\nwhere = ["code"]'),
    ],
)
def test_a_package_is_where_the_project_declares_it(name: str, text: str) -> None:
    make("project/code/p/x.py")
    Path("project", name).write_text(text)
    assert found("project/scripts/train.py", "p.x") == "project/code/p/x.py"
    assert found("other/train.py", "p.x") is None


def test_of_two_installed_modules_none_is_certain_and_the_nearest_presumed() -> None:
    make("x.py a/x.py a/b/train.py")
    PRESUMED.clear()
    assert found("a/b/train.py", "x") is None
    assert found("a/b/train.py", "x", presuming=True) == "x.py"
    assert PRESUMED == ["file: x is the module at x.py"]


def test_presumably_a_module_is_the_only_one_with_its_dotted_name() -> None:
    make("deep/er/p/x.py deep/er/q/__init__.py deep/er/q/r/__init__.py deep/er/x.py")
    presumed: list[object] = []
    by_end = Locator(presumed).by_end  # type: ignore[arg-type]
    assert found("a/train.py", "p.x", presuming=True, by_end=by_end) == "deep/er/p/x.py"
    assert found("a/train.py", "q.r", presuming=True, by_end=by_end) == "deep/er/q/r/__init__.py"
    assert len(presumed) == 2
    assert found("a/train.py", "x", presuming=True, by_end=by_end) is None
    assert found("a/train.py", "z.x", presuming=True, by_end=by_end) is None
    assert len(presumed) == 2


def test_a_command_starts_here_and_not_beside_the_launch_script() -> None:
    make("lib/x.py scripts/lib/x.py")
    environment = Environment({"PYTHONPATH": "lib"})
    place = Place("scripts/run.sh", 1)
    for starts_here, path in ((True, "lib/x.py"), (False, "scripts/lib/x.py")):
        start = Start(words=(), place=place, environment=environment, starts_here=starts_here)
        assert SearchPath("a/train.py", start).find(["x"], None) == path
