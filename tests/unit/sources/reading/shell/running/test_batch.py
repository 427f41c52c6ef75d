"""Jobs that `sbatch` submits: their arguments, options, variables and folder."""

from __future__ import annotations

from pathlib import Path

import pytest

from vcompat.sources.reading.invocation import Environment, Invocation, Others
from vcompat.sources.reading.shell import Ran, run_shell
from vcompat.sources.reading.word import UNKNOWN

JOB = """#!/bin/bash
#SBATCH --nodes=2
#SBATCH --gpus-per-node=4
python "$1" --nodes "$SLURM_NNODES"
"""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "job.slurm").write_text(JOB)
    (tmp_path / "x.slurm").write_text("#!/bin/bash\npython a.py $X\n")
    return tmp_path


def submitted(script: str, **options: bool) -> Ran:
    return run_shell(script, "submit.sh", start=Environment(others=Others.UNSET), **options)  # type: ignore[arg-type]


def only(script: str) -> Invocation:
    """Return the last program of a script: before it are only those whose output it takes."""
    return submitted(script).invocations[-1]


@pytest.mark.parametrize(
    ("command", "words"),
    [
        ("sbatch job.slurm a.py", "python a.py --nodes 2"),
        ("sbatch -N4 job.slurm a.py", "python a.py --nodes 4"),
        ("sbatch -N 4 --requeue -J name job.slurm a.py", "python a.py --nodes 4"),
        ("export X=1; sbatch x.slurm", "python a.py 1"),
        ("export X; X=1; sbatch x.slurm", "python a.py 1"),
        ("sbatch --export=ALL,X=3 x.slurm", "python a.py 3"),
        ("sbatch job.slurm a.py --wrap x --help", "python a.py --nodes 2"),
        ("export SLURM_NNODES=9; sbatch job.slurm a.py", "python a.py --nodes 2"),
        ("nohup sbatch job.slurm a.py", "python a.py --nodes 2"),
        ("sbatch --wrap 'python w.py'", "python w.py"),
        ("sbatch --nodes=1 --wrap='python w.py'", "python w.py"),
    ],
)
def test_a_job_gets_its_arguments_exported_variables_and_those_of_its_options(command: str, words: str) -> None:
    assert " ".join(only(command).words) == words


def test_options_on_the_command_line_outweigh_directives() -> None:
    assert only("sbatch --nodes=3 job.slurm a.py").job == {"--nodes": "3", "--gpus-per-node": "4"}
    assert run_shell("python a.py", "run.sh").invocations[0].job is None
    after = submitted("sbatch job.slurm a.py; python b.py").invocations[1]
    assert after.job is None


def test_a_number_of_machines_that_is_not_known_outweighs_the_directive() -> None:
    assert only('sbatch --nodes="$(nproc)" job.slurm a.py').words[:4] == ("python", "a.py", "--nodes", UNKNOWN)


@pytest.mark.parametrize(
    "command", ["sbatch --export=NONE job.slurm a.py", 'export Y=2; sbatch --export="$(date)" job.slurm a.py']
)
def test_variables_that_are_not_passed_on_are_not_known(command: str) -> None:
    environment = only(command).environment
    assert environment.others is Others.UNKNOWN
    assert "Y" not in environment.values


def test_a_variable_that_is_passed_on_by_name_is_known() -> None:
    environment = only("export Y=2 Z=3; sbatch --export=Y job.slurm a.py").environment
    assert environment.values.get("Y") == "2"
    assert "Z" not in environment.values


@pytest.mark.parametrize(
    ("command", "where"),
    [
        ("sbatch job.slurm a.py", ""),
        ("sbatch -D sub job.slurm a.py", "sub"),
        ("sbatch --chdir=/x job.slurm a.py", "/x"),
        ("mkdir x; cd sub; sbatch ../job.slurm a.py", "sub"),
    ],
)
def test_a_job_starts_where_it_is_submitted(command: str, where: str) -> None:
    assert submitted(command).invocations[-1].folder == where


def test_the_script_of_a_job_is_a_copy_elsewhere(folder: Path) -> None:
    (folder / "job.slurm").write_text('#!/bin/bash\ncd "$(dirname "$0")"; python a.py\n')
    assert only("sbatch job.slurm").folder == UNKNOWN


def test_what_a_job_writes_is_not_known_after_it_is_submitted(folder: Path) -> None:
    (folder / "job.slurm").write_text("#!/bin/bash\necho 1 > a.txt\n")
    assert submitted("echo 0 > a.txt; echo 0 > b.txt; sbatch job.slurm").files == {"a.txt": None, "b.txt": "0\n"}


@pytest.mark.parametrize("command", ["sbatch $(date) job.slurm a.py", "sbatch --help job.slurm", "sbatch"])
def test_a_job_whose_options_are_not_known_is_not_followed(command: str) -> None:
    assert only(command).words[0] == "sbatch"


def test_jobs_are_not_followed_if_not_asked_for() -> None:
    (invocation,) = submitted("sbatch job.slurm a.py", jobs=False).invocations
    assert invocation.words == ("sbatch", "job.slurm", "a.py")


def test_a_job_that_is_not_there_is_missing_and_one_in_python_is_not_followed(folder: Path) -> None:
    assert [mention.path for mention in submitted("sbatch nowhere.slurm").missing] == ["nowhere.slurm"]
    (folder / "job.slurm").write_text("#!/usr/bin/env python\nimport trl\n")
    assert only("sbatch job.slurm").words == ("sbatch", "job.slurm")


def test_a_job_that_submits_itself_is_followed_a_limited_number_of_times(folder: Path) -> None:
    (folder / "job.slurm").write_text("#!/bin/bash\nsbatch job.slurm\npython a.py\n")
    ran = submitted("sbatch job.slurm")
    assert 1 < len(ran.invocations) < 40


def test_the_caller_may_have_set_which_variables_a_job_gets() -> None:
    script = "export X=1; sbatch x.slurm"
    certain, presuming = run_shell(script, "submit.sh"), run_shell(script, "submit.sh", presuming=True)
    assert certain.invocations[-1].words[:2] == ("python", "a.py")
    assert "1" not in certain.invocations[-1].words
    assert presuming.invocations[-1].words == ("python", "a.py", "1")
    assert [one.text for one in presuming.presumes] == ["the caller does not set SBATCH_EXPORT"]
    assert run_shell("sbatch --export=ALL,X=3 x.slurm", "submit.sh").invocations[-1].words == ("python", "a.py", "3")


@pytest.mark.parametrize(
    ("hosts", "count"),
    [
        ("$SLURM_JOB_NODELIST", "3"),
        ('"${SLURM_JOB_NODELIST}"', "3"),
        ("$SLURM_NODELIST", "3"),
        ("", "3"),
        ("$OTHER_LIST", None),
        ("${SLURM_JOB_NODELIST%,*}", None),
        ("$SLURM_JOB_NODELIST x", None),
    ],
)
def test_a_job_has_as_many_hosts_as_nodes(folder: Path, hosts: str, count: str | None) -> None:
    script = f'A=($(scontrol show hostnames {hosts}))\nprog ${{#A[@]}} $((${{#A[@]}} - 1)) "${{A[0]}}"\n'
    (folder / "n.slurm").write_text(f"#!/bin/bash\n#SBATCH --nodes=3\n{script}")
    (folder / "m.slurm").write_text(f"#!/bin/bash\n#SBATCH --nodes=3\nSLURM_NNODES=2\n{script}")
    (folder / "o.slurm").write_text(f"#!/bin/bash\n#SBATCH --nodes=1-3\n{script}")
    words = only("sbatch n.slurm").words
    assert (words[1] if isinstance(words[1], str) else None) == count
    assert (words[2] if isinstance(words[2], str) else None) == (count and "2")
    assert not isinstance(words[3], str)
    assert not isinstance(only("sbatch m.slurm").words[1], str)
    assert not isinstance(only("sbatch o.slurm").words[1], str)
