"""Where the files are found that run files name."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from vcompat.facts.facts import Place
from vcompat.facts.presumption import FILE, Presumption
from vcompat.foundation.errors import InputError
from vcompat.sources.reading.commands.started import Started
from vcompat.sources.reading.invocation import Invocation
from vcompat.sources.reading.locate import Locator
from vcompat.sources.reading.word import UNKNOWN, UNKNOWN_WORDS


def make(folder: Path, *names: str) -> None:
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).touch()


@pytest.mark.parametrize(
    ("files", "name", "named_by", "folder", "found"),
    [
        ("a/x.py", "x.py", "a/run.sh", "", "a/x.py"),
        ("x.py", "x.py", "a/run.sh", "", "x.py"),
        ("a/x.py x.py", "x.py", "a/run.sh", "", "a/x.py"),
        ("a/b/x.py", "x.py", "a/run.sh", "b", "a/b/x.py"),
        ("a/b/x.py", "b/../b/./x.py", "a/run.sh", "", "a/b/x.py"),
        ("a/x.py", "x.py", "a/run.sh", UNKNOWN, "a/x.py"),
        ("a/x.py", "x.py", "a/run.sh", "b", ""),
        ("a/x.py", "", "a/run.sh", "", ""),
        ("a/x.py", UNKNOWN + "x.py", "a/run.sh", "", ""),
        ("a/x.py", UNKNOWN_WORDS, "a/run.sh", "", ""),
        ("a/x.py", "a", "run.sh", "", "a"),
        ("a/x.py", "y.py", "a/run.sh", "", ""),
        (".git/HEAD top/x.py", "top/x.py", "a/b/run.sh", "", "top/x.py"),
        (".git/HEAD a/x.py", "x.py", "a/b/c/run.sh", "", "a/x.py"),
        (".git/HEAD x.py a/x.py", "x.py", "a/b/c/run.sh", "", "x.py"),
        ("a/.git/HEAD x.py", "x.py", "a/b/run.sh", "", "x.py"),
        ("a/b/run.sh a/x.py", "x.py", "a/b/run.sh", "", ""),
    ],
)
def test_a_file_is_searched_beside_the_one_that_names_it_then_here_then_above_in_the_repository(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, files: str, name: str, named_by: str, folder: str, found: str
) -> None:
    monkeypatch.chdir(tmp_path)
    make(tmp_path, *files.split(), named_by)
    assert Locator().find(name, named_by, folder) == found


def test_a_file_is_not_searched_above_the_repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    make(tmp_path, "x.py", "repository/.git/HEAD", "repository/a/run.sh")
    monkeypatch.chdir(tmp_path / "repository" / "a")
    assert Locator().find("x.py", "run.sh", "") == ""
    assert Locator().find("../../x.py", "run.sh", "") == "../../x.py"


def test_a_home_folder_is_expanded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    make(tmp_path, "x.py")
    assert Locator().find("~/x.py", "run.sh", "sub") == str(tmp_path / "x.py")


@pytest.mark.parametrize(("depth", "found"), [(18, "../" * 18 + "x.py"), (19, "")])
def test_the_number_of_folders_that_are_searched_is_bounded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, depth: int, found: str
) -> None:
    inner = tmp_path.joinpath(*["d"] * depth)
    make(tmp_path, ".git/HEAD", "x.py")
    make(inner, "run.sh")
    monkeypatch.chdir(inner)
    assert Locator().find("x.py", "run.sh", "") == found


@pytest.mark.parametrize(
    ("files", "script", "module", "folder", "found"),
    [
        ("x.py", "x.py", "", "", "x.py"),
        ("pkg/__main__.py", "pkg", "", "", "pkg/__main__.py"),
        ("pkg/other.py", "pkg", "", "", ""),
        ("a/b.py", "", "a.b", "", "a/b.py"),
        ("a/b/__main__.py", "", "a.b", "", "a/b/__main__.py"),
        ("src/a/b.py", "", "a.b", "", "src/a/b.py"),
        ("src/a/b/__main__.py", "", "a.b", "", "src/a/b/__main__.py"),
        ("src/a/b.py a/b/__main__.py", "", "a.b", "", "a/b/__main__.py"),
        ("sub/x.py", "x.py", "", "sub", "sub/x.py"),
        ("other/x.py", "x.py", "", "", ""),
        ("x.py", "", "", "", ""),
    ],
)
def test_the_script_of_a_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, files: str, script: str, module: str, folder: str, found: str
) -> None:
    monkeypatch.chdir(tmp_path)
    make(tmp_path, *files.split())
    started = Started("python", {}, script, module, ())
    assert Locator().script(started, Invocation((), Place("run.sh"), folder=folder)) == found


@pytest.mark.parametrize(
    ("read", "script", "module", "found"),
    [
        (["a/x.py"], "app/x.py", "", "a/x.py"),
        (["a/x.py", "b/x.py"], "app/x.py", "", ""),
        (["a/x.py"], "app/y.py", "", ""),
        (["a/x.py"], "", "", ""),
        (["a/x.py"], "", "pkg.x", "a/x.py"),
    ],
)
def test_a_script_that_is_not_there_may_be_one_that_was_handed_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, read: list[str], script: str, module: str, found: str
) -> None:
    monkeypatch.chdir(tmp_path)
    make(tmp_path, *read)
    locator = Locator()
    for path in read:
        locator.add(path)
    started = Started("python", {}, script, module, ())
    assert locator.script(started, Invocation((), Place("run.sh"))) == found


def test_each_file_is_listed_once_as_it_was_named_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    make(tmp_path, "a/x.py", "b.py")
    locator = Locator()
    for path in ("a/x.py", "b.py", os.path.join("a", "..", "a", "x.py"), str(tmp_path / "b.py")):
        locator.add(path)
    assert locator.files == ("a/x.py", "b.py")


def test_the_number_of_files_is_bounded(tmp_path: Path) -> None:
    locator = Locator()
    for number in range(50):
        locator.add(f"{tmp_path}/{number}")
    with pytest.raises(InputError, match=r"x: more than 50 run files; expected at most 50"):
        locator.add("x")


@pytest.mark.parametrize(
    ("files", "place", "found"),
    [
        ("m/config.json", Place("run.sh"), "m/config.json"),
        ("a/m/config.json", Place("a/grpo.yaml"), "a/m/config.json"),
        ("a/m/config.json m/config.json", Place("a/grpo.yaml"), "a/m/config.json"),
        ("m/config.json", Place("a/grpo.yaml"), "m/config.json"),
        ("m/config.json", None, "m/config.json"),
        ("m/other.json", None, ""),
        ("hub/models--m/snapshots/1/config.json", None, "hub/models--m/snapshots/1/config.json"),
        ("hub/models--m/snapshots/1/x hub/models--m/snapshots/2/config.json", None, "hub/models--m/snapshots/2/config.json"),
        ("hub/models--m/snapshots/b/config.json hub/models--m/snapshots/a/config.json", None, "hub/models--m/snapshots/a/config.json"),
        ("hub/models--m/refs/config.json", None, ""),
    ],
)  # fmt: skip
def test_the_configuration_of_a_model(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, files: str, place: Place | None, found: str
) -> None:
    monkeypatch.chdir(tmp_path)
    make(tmp_path, *files.split())
    assert Locator().model("m", place, "hub") == found
    assert Locator().model("m", place, "") == ("" if found.startswith("hub") else found)


def test_a_name_with_a_slash_has_two_dashes_in_the_cache(tmp_path: Path) -> None:
    make(tmp_path, "models--a--b/snapshots/1/config.json")
    found = str(tmp_path / "models--a--b/snapshots/1/config.json")
    assert Locator().model("a/b", None, str(tmp_path)) == found


def presumed(locator_list: list[Presumption]) -> list[str]:
    assert {one.kind for one in locator_list} <= {FILE}
    return [str(one) for one in locator_list]


def test_in_the_presuming_reading_a_file_is_the_only_one_with_the_end_of_the_path(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    make(tmp_path, "src/r1/zero3.yaml", "scripts/run.sh", "a/x.yaml", "b/x.yaml")
    presuming: list[Presumption] = []
    locator, place = Locator(presuming), Place("scripts/run.sh", 3)
    assert locator.find("r1/zero3.yaml", place.path, "", place) == "src/r1/zero3.yaml"
    assert presumed(presuming) == ["r1/zero3.yaml is the file at src/r1/zero3.yaml (run.sh:3)"]
    assert locator.find(UNKNOWN + "/r1/zero3.yaml", place.path, "", place) == "src/r1/zero3.yaml"
    assert str(presuming[-1]) == ".../r1/zero3.yaml is the file at src/r1/zero3.yaml (run.sh:3)"
    count = len(presuming)
    for name in ("x.yaml", "/etc/zero3.yaml", "~/.cache/zero3.yaml", "", "nowhere.yaml", "--zero3.yaml"):
        assert locator.find(name, place.path, "", place) == ""
    assert len(presuming) == count
    assert Locator().find("r1/zero3.yaml", place.path, "", place) == ""


def test_what_is_there_is_not_presumed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    make(tmp_path, "src/x.py", "scripts/run.sh", "x.py")
    presuming: list[Presumption] = []
    assert Locator(presuming).find("x.py", "scripts/run.sh", "") == "x.py"
    assert presuming == []


@pytest.mark.parametrize(
    ("script", "module", "folder", "found"),
    [
        ("grpo.py", "", "", "src/r1/src/open_r1/grpo.py"),
        ("src/open_r1/grpo.py", "", "/root/clone", "src/r1/src/open_r1/grpo.py"),
        (UNKNOWN + "/open_r1/grpo.py", "", UNKNOWN, "src/r1/src/open_r1/grpo.py"),
        ("other/grpo.py", "", "", "src/r1/src/open_r1/grpo.py"),
        ("", "open_r1.grpo", "", "src/r1/src/open_r1/grpo.py"),
        ("", "open_r1.grpo", "/root/clone", "src/r1/src/open_r1/grpo.py"),
        ("", "grpo", "", "src/r1/src/open_r1/grpo.py"),
        ("", "other.grpo", "", ""),
        ("", "package", "", "lib/package/__main__.py"),
        (UNKNOWN, "", "", ""),
    ],
)
def test_in_the_presuming_reading_a_script_or_a_module_is_found_by_its_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, script: str, module: str, folder: str, found: str
) -> None:
    monkeypatch.chdir(tmp_path)
    make(tmp_path, "src/r1/src/open_r1/grpo.py", "scripts/run.sh", "lib/package/__main__.py")
    started, presuming = Started("python", {}, script, module, ()), []
    invocation = Invocation(("python",), Place("scripts/run.sh", 1), folder=folder)
    assert Locator(presuming).script(started, invocation) == found
    assert len(presuming) == bool(found)
    assert Locator().script(started, invocation) == ""


def test_a_command_is_started_here_and_not_in_the_folder_of_the_launch_script(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    make(tmp_path, "x.py", "scripts/x.py", "scripts/y.py", "scripts/run.sh")
    locator = Locator()
    assert locator.find("x.py", "scripts/run.sh", "") == "scripts/x.py"
    locator.starts_here = True
    assert locator.find("x.py", "scripts/run.sh", "") == "x.py"
    assert locator.find("y.py", "scripts/run.sh", "") == "scripts/y.py"


def test_without_a_repository_a_project_s_file_marks_the_top(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    make(tmp_path, "x.py", "project/pyproject.toml", "project/y.py", "project/a/b/run.sh")
    monkeypatch.chdir(tmp_path / "project" / "a" / "b")
    assert Locator().find("y.py", "run.sh", "") == "../../y.py"
    assert Locator().find("x.py", "run.sh", "") == ""


def test_in_the_presuming_reading_arguments_name_the_files_that_the_end_of_their_path_leads_to(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    make(tmp_path, "conf/zero3.json", "run.sh")
    invocation = Invocation(("python",), Place("run.sh", 2), folder=UNKNOWN)
    words = (
        "--deepspeed",
        UNKNOWN + "/zero3.json",
        "--config=" + UNKNOWN_WORDS + "/conf/zero3.json",
        "--x=" + UNKNOWN + ".json",
    )
    path = str(tmp_path / "conf" / "zero3.json")
    presuming: list[Presumption] = []
    assert Locator(presuming).words(words, invocation) == ("--deepspeed", path, f"--config={path}", words[3])
    assert len(presuming) == 2
    assert Locator().words(words, invocation) == words
    known = ("conf/zero3.json", "--config=zero3.json", UNKNOWN, UNKNOWN + "/zero3.txt")
    assert Locator(presuming).words(known, invocation) == known
