"""Names of files that are not there, as the script spells them, and which of them belong to the caller."""

from __future__ import annotations

from pathlib import Path

import pytest

from vcompat.facts.presumption import FILE
from vcompat.sources.reading.invocation import Others
from vcompat.sources.reading.shell import run_shell
from vcompat.sources.reading.shell.tree.spelling import is_of_the_caller


@pytest.mark.parametrize(
    ("script", "missing"),
    [
        ("source ~/project/env.sh.local", []),
        ("source $WHERE/env.sh", ["$WHERE/env.sh"]),
        ('source "${WHERE}/env.sh"', ["$WHERE/env.sh"]),
        ("source \"${WHERE%/}\"/'a b'.sh", ["${WHERE...}/a b.sh"]),
        ('source "$(pwd -P; date)/env.sh"', [".../env.sh"]),
        ("source env.sh", ["env.sh"]),
        ("bash ~/run.sh", ["~/run.sh"]),
        ('bash "$WHERE/run.sh" a', ["$WHERE/run.sh"]),
    ],
)
def test_a_file_that_is_not_there_is_named_as_it_is_spelled(script: str, missing: list[str]) -> None:
    assert [mention.path for mention in run_shell(script, "run.sh", presuming=True).missing] == missing


@pytest.mark.parametrize(
    "name", ["~/.bashrc", "$HOME/.profile", "/etc/nowhere.sh", '"$HOME"/x.sh', "~other/env.sh", "x/.bashrc"]
)
def test_the_caller_s_own_files_are_not_missing_but_may_change_everything(name: str) -> None:
    ran = run_shell(f"source {name}", "run.sh")
    assert ran.missing == []
    assert ran.environment.others is Others.UNKNOWN


def test_what_a_file_of_the_caller_may_change_is_named_as_it_is_spelled() -> None:
    assert "~/.bashrc" in run_shell("source ~/.bashrc", "run.sh").environment.why_open
    (presumption,) = run_shell("source ~/.bashrc", "run.sh", presuming=True).presumes
    assert presumption.text == "~/.bashrc changes no setting of the run"


@pytest.mark.parametrize(
    ("name", "of_the_caller"),
    [
        ("~", True),
        ("~/a/b", True),
        ("${HOME}/a", True),
        ("/usr/share/x.sh", True),
        ("a/etc/x.sh", False),
        ("/etcetera/x.sh", False),
        ("$HOMES/x.sh", False),
        ("my.bashrc", False),
        ("env.sh", False),
    ],
)
def test_files_of_the_caller_are_in_a_home_or_in_the_system(name: str, of_the_caller: bool) -> None:
    assert is_of_the_caller(name) is of_the_caller


def test_presumably_words_of_a_launcher_that_are_not_known_are_its_options() -> None:
    script = "srun --nodes=$N $MORE bash -c 'python a.py $X'"
    certain, presuming = run_shell(script, "run.sh"), run_shell(script, "run.sh", presuming=True)
    assert "bash" in certain.invocations[-1].words
    assert presuming.invocations[-1].words[-3:-1] == ("python", "a.py")
    assert any("words of srun" in one.text for one in presuming.presumes)


@pytest.mark.parametrize(
    ("script", "name"),
    [
        ("bash run/inner.sh", "run/inner.sh"),
        ("./run/inner.sh", "./run/inner.sh"),
        ('"$WHERE"/run/inner.sh', "$WHERE/run/inner.sh"),
        ('bash "$WHERE/run/inner.sh"', "$WHERE/run/inner.sh"),
        ("source $WHERE/run/inner.sh", "$WHERE/run/inner.sh"),
        ("sbatch other/inner.sh", "other/inner.sh"),
        ("cd /root/clone; bash run/inner.sh", "run/inner.sh"),
    ],
)
def test_presumably_a_script_is_the_only_one_with_the_end_of_its_path(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, script: str, name: str
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "deep" / "run").mkdir(parents=True)
    (tmp_path / "deep" / "run" / "inner.sh").write_text("#!/bin/bash\npython a.py\n")
    presuming = run_shell(script, "run.sh", presuming=True)
    assert presuming.invocations[-1].words == ("python", "a.py")
    assert [one.text for one in presuming.presumes if one.kind == FILE] == [f"{name} is the file at deep/run/inner.sh"]
    assert presuming.missing == []
    assert ("python", "a.py") not in [each.words for each in run_shell(script, "run.sh").invocations]


def test_a_script_that_is_elsewhere_knows_its_own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "deep" / "run").mkdir(parents=True)
    (tmp_path / "deep" / "run" / "inner.sh").write_text('cd "$(dirname "$0")/.."\npython a.py\n')
    ran = run_shell("cd /root/clone; bash run/inner.sh", "run.sh", presuming=True)
    assert ran.invocations[-1].folder == str(tmp_path / "deep")


def test_a_script_of_the_caller_is_not_one_of_the_project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep" / ".bashrc").write_text("python a.py\n")
    assert run_shell("source ~/.bashrc", "run.sh", presuming=True).invocations == []
