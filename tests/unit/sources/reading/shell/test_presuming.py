"""What the presuming reading of a launch script takes for granted, and the certain one leaves open."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.unit.sources.reading.described import shown
from vcompat.sources.reading.invocation import Others
from vcompat.sources.reading.shell import Ran, run_shell


def run(text: str, presuming: bool, folder: Path | None = None, arguments: tuple[str, ...] | None = None) -> Ran:
    path = str(folder / "run.sh") if folder else "run.sh"
    return run_shell(text + "\n", path, presuming=presuming, arguments=arguments)


def words(ran: Ran) -> str:
    return " ".join(map(shown, ran.invocations[-1].words[1:]))


@pytest.mark.parametrize(
    ("script", "certain", "presumed", "presumes"),
    [
        ("prog ${X:-8}", "?", "8", ["the caller does not set X"]),
        ('prog "${X-8}"', "?", "8", ["the caller does not set X"]),
        ("prog ${X:=8}; prog $X", "?", "8", ["the caller does not set X"]),
        ("X=${X:-8}\nprog $X", "?", "8", ["the caller does not set X"]),
        ("prog ${1:-8}", "?", "8", ["the caller adds no argument 1"]),
        ('prog "${X:-$Y}"', "?", "?", ["the caller does not set X"]),
        ("X=4\nprog ${X:-8}", "4", "4", []),
        ("unset X\nprog ${X:-8}", "8", "8", []),
        (
            "X=$(python3 -c 'import torch_npu' 2>/dev/null && echo npu || echo gpu)\nprog \"$X\"",
            "?",
            "gpu",
            ["torch_npu is not installed"],
        ),
        ("if ! python -c 'import deepspeed'; then exit 1; fi\nprog 4", "4", "4", ["deepspeed is installed"]),
        ("X=$(python -c 'import a; print(1)' && echo 1 || echo 2)\nprog \"$X\"", "?", "?", []),
        # What only the caller can state stays unknown.
        ("prog $1", "??", "??", []),
        ("prog $X", "??", "??", []),
        ('prog "$X"', "?", "?", []),
        ('X=$(f)\nprog "${X:-8}"', "?", "?", []),
        ('read X\nprog "${X:-8}"', "?", "?", []),
    ],
)
def test_a_default_is_presumed_where_only_the_caller_could_set_the_variable(
    script: str, certain: str, presumed: str, presumes: list[str]
) -> None:
    before, after = run(script, False), run(script, True)
    assert (words(before), before.presumes) == (certain, ())
    assert (words(after), [one.text for one in after.presumes]) == (presumed, presumes)


def test_an_argument_that_is_known_is_taken_and_nothing_is_presumed_of_it() -> None:
    for arguments, expected in ((("4",), "4"), ((), "8")):
        ran = run("prog ${1:-8}", True, arguments=arguments)
        assert (words(ran), ran.presumes) == (expected, ())


def test_a_file_that_is_not_there_is_presumed_to_change_no_setting(tmp_path: Path) -> None:
    script = "export A=1\nsource env.sh\nexport B=$A\nprog"
    before, after = run(script, False, tmp_path), run(script, True, tmp_path)
    assert before.invocations[-1].environment.others is Others.UNKNOWN
    assert "A" not in before.invocations[-1].environment.values
    environment = after.invocations[-1].environment
    assert (environment.values["A"], environment.values["B"]) == ("1", "1")
    assert environment.others is Others.INHERITED
    assert [one.text for one in after.presumes] == ["env.sh changes no setting of the run"]
    assert after.presumes[0].place is not None and after.presumes[0].place.line == 2
    # It is missing in both.
    assert [[one.path for one in ran.missing] for ran in (before, after)] == [["env.sh"], ["env.sh"]]


def test_a_file_that_is_there_is_followed_and_nothing_is_presumed_of_it(tmp_path: Path) -> None:
    (tmp_path / "env.sh").write_text("export A=2\n")
    ran = run("export A=1\nsource env.sh\nprog $A", True, tmp_path)
    assert words(ran) == "2" and ran.presumes == ()


@pytest.mark.parametrize("name", ["~/.bashrc", "/opt/conda/etc/profile.d/conda.sh", "venv/bin/activate"])
def test_the_start_up_files_of_a_user_and_of_conda_leave_the_variables_of_the_script(name: str) -> None:
    ran = run(f"export A=1\nsource {name}\nprog $A", True)
    assert words(ran) == "1"


@pytest.mark.parametrize("text", ['eval "prog 2 "$@""', 'eval prog "2 $@"', 'eval "prog 2 "$*'])
def test_arguments_behind_a_value_are_no_part_of_it(text: str) -> None:
    assert words(run(text, False)) == "2 ??"
