"""The launchers that launch scripts start."""

from __future__ import annotations

from pathlib import Path

import pytest

from vcompat.foundation.errors import InputError
from vcompat.sources.reading.commands.started import Started
from vcompat.sources.reading.invocation import Others
from vcompat.sources.reading.launch_script import LaunchRuns, read_launch_runs
from vcompat.sources.reading.word import UNKNOWN


def read(tmp_path: Path, text: str) -> LaunchRuns:
    path = tmp_path / "run.sh"
    path.write_text(text)
    return read_launch_runs(str(path))


@pytest.mark.parametrize("shell", ["fish", "csh", "tcsh", "pwsh", "perl", "node", "ruby"])
def test_a_script_for_another_interpreter_is_rejected(tmp_path: Path, shell: str) -> None:
    for line in (f"#!/bin/{shell}", f"#!/usr/bin/env {shell} -x"):
        with pytest.raises(InputError) as caught:
            read(tmp_path, f"{line}\npython x.py\n")
        path = tmp_path / "run.sh"
        assert str(caught.value) == f"{path}: a script for {line[2:]}; expected a script for bash or sh"


@pytest.mark.parametrize("line", ["#!/bin/bash", "#!/bin/sh -e", "# fish", "echo fish", "#!/opt/fisher", ""])
def test_a_script_for_a_shell_is_read(tmp_path: Path, line: str) -> None:
    found = read(tmp_path, f"{line}\npython x.py\n")
    assert [started.script for started, _ in found.runs] == ["x.py"]


def test_a_file_that_is_too_large_is_rejected(tmp_path: Path) -> None:
    read(tmp_path, "#" * 1_000_000)
    with pytest.raises(InputError, match="expected a launch script"):
        read(tmp_path, "#" * 1_000_001)


def test_the_runs_the_options_and_the_rest_of_a_script(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)  # where no Makefile is
    text = "#SBATCH -N 2 --ntasks=4\nexport A=1\nls\npython x.py a\nmake\ntorchrun y.py\nsource missing.sh\n"
    found = read(tmp_path, text)
    assert [(started.launcher, started.script, each.place.line) for started, each in found.runs] == [
        ("python", "x.py", 4),
        ("torchrun", "y.py", 6),
    ]
    assert found.directives == {"--nodes": "2", "--ntasks": "4"}
    assert found.others == 2
    assert found.why_incomplete == ""
    assert [(mention.path, mention.place.line) for mention in found.missing] == [("missing.sh", 7)]
    assert (dict(found.environment.values), found.environment.others) == ({}, Others.UNKNOWN)
    assert read(tmp_path, "export A=1\npython x.py\n").environment.values["A"] == "1"


@pytest.mark.parametrize(
    ("command", "started"),
    [
        ("$X x.py --a", Started("", {}, "x.py", "", ("--a",), why_open="the launcher is not known")),
        ("$X -n 2 x.py y.py", Started("", {}, "x.py", "", ("y.py",), why_open="the launcher is not known")),
        ('"$X" x.py', Started("", {}, "x.py", "", (), why_open="the launcher is not known")),
        ("a$X x.py", Started("", {}, "x.py", "", (), why_open="the launcher is not known")),
        ("$X $Y.py x.py", Started("", {}, "x.py", "", (), why_open="the launcher is not known")),
        ('$X "$Y.py"', None),
        ("$X x", None),
        ("make x.py", None),
    ],
)
def test_the_script_of_a_launcher_that_is_not_known(tmp_path: Path, command: str, started: Started | None) -> None:
    found = [each for each, _ in read(tmp_path, f"{command}\n").runs]
    assert found == ([started] if started else [])


def test_an_unknown_word_stays_unknown(tmp_path: Path) -> None:
    ((started, invocation),) = read(tmp_path, 'python x.py "$A"\n').runs
    assert (started.arguments, invocation.words) == ((UNKNOWN,), ("python", "x.py", UNKNOWN))


@pytest.mark.parametrize(
    "line",
    ["set a b; shift ²", f"set a; shift {'9' * 5000}", f"echo ${{{'9' * 5000}}}", "declare -i X=²", "[[ ² < ³ ]]",
     "[ ² -eq 2 ]", "echo ${1:²}", "X=²; echo $((X + 1))", "seq ²", "#SBATCH --nodes=²"],
)  # fmt: skip
def test_digits_that_are_no_decimal_numbers_do_not_stop_the_reading(tmp_path: Path, line: str) -> None:
    found = read(tmp_path, f"{line}\npython x.py\n")
    assert [started.script for started, _ in found.runs] == ["x.py"]
    assert "SLURM_NNODES" not in found.runs[0][1].environment.values
