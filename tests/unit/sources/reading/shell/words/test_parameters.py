"""Parameter expansions, with the results of bash."""

from __future__ import annotations

import pytest

from tests.tables import Case, parametrized
from tests.unit.sources.reading.shell.started import contradictions, read, spelled, started
from vcompat.sources.reading.invocation import Others

#: Variables whose values have no blanks.
_SET = "CONDA_PREFIX CUDA_VISIBLE_DEVICES GLOBAL_RANK GROUP_RANK LOCAL_RANK LOCAL_WORLD_SIZE LOGNAME MACHINE_RANK MASTER_ADDR MASTER_PORT NODE_RANK OLDPWD OMPI_COMM_WORLD_RANK PBS_JOBID PBS_NODEFILE PBS_O_WORKDIR PMI_RANK PMI_SIZE SLURM_ARRAY_JOB_ID SLURM_ARRAY_TASK_ID SLURM_CPUS_ON_NODE SLURM_CPUS_PER_TASK SLURM_GPUS SLURM_GPUS_ON_NODE SLURM_GPUS_PER_NODE SLURM_JOBID SLURM_JOB_ID SLURM_JOB_NAME SLURM_JOB_NUM_NODES SLURM_LOCALID SLURM_NNODES SLURM_NODEID SLURM_NODES SLURM_NPROCS SLURM_NTASKS SLURM_NTASKS_PER_NODE SLURM_PROCID SLURM_SUBMIT_DIR SLURM_TMPDIR TMPDIR USER VIRTUAL_ENV WORLD_SIZE"


@parametrized(__file__, "parameters.txt", "parameters_open.txt")
def test_a_script_starts_programs_with_these_words(case: Case) -> None:
    case.check(spelled(started(read(case.text))))


def test_bash_does_the_same() -> None:
    assert (
        contradictions(__file__, "parameters.txt", any="7", other="z", RANK="3", **dict.fromkeys(_SET.split(), "w"))
        == []
    )
    assert (
        contradictions(__file__, "parameters.txt", any="1", other="", RANK="x", **dict.fromkeys(_SET.split(), "w"))
        == []
    )


@pytest.mark.parametrize(
    ("script", "result"),
    [
        ('prog "$X" "${X-d}" ${X:-d} "${X+s}"', "|d|d|"),
        ('prog "$-" "$_" "$PATH" "$PWD" "${A[@]}" "${#A[@]}" "${#X}"', "<any>|<any>|<any>|/home|0|0"),
        ('prog "$RANDOM" "$HOSTNAME" "$LINENO" "$UID"', "<one>|<one>|<one>|<one>"),
        ('prog "${!X}" "${!1}"', "<any>|"),
        ('prog "${X:?}"; prog a', "nothing"),
        ("prog ${X:=1} $X; : ${X:=2}; prog $X", "1|1 ; 1"),
        ('prog $1 "$2" "$#" "$@"', "p|q r|2|p|q r"),
    ],
)
def test_without_variables_of_a_caller_those_that_are_not_set_are_known(script: str, result: str) -> None:
    assert started(script, others=Others.UNSET) == result


@pytest.mark.parametrize(
    ("script", "result"),
    [
        ('prog $1 "$1" "${2:-d}" "$#" "$@" $* "$*" ${10}', "<words>|<any>|<one>|<one>|<words>|<words>|<any>|<words>"),
        ('prog "${@:1}" "${@:-d}" "${@:+s}" "${#@}" "${@#a}"', "<words>|<words>|<words>|<one>|<words>"),
        ('prog "$0" "${!#}" ${1:?}', "/home/run.sh|<any>|<words>"),
        ('shift; prog "$1"; set -- a; prog "$1" "$#"', "<any> ; a|1"),
    ],
)
def test_arguments_that_are_not_known_are_open(script: str, result: str) -> None:
    assert started(script, arguments=None) == result


@pytest.mark.parametrize(("folder", "result"), [("/a/b", "/a/b"), ("a/b", "<any>"), ("", "<any>")])
def test_the_folder_is_known_by_its_whole_path_only(folder: str, result: str) -> None:
    assert started('prog "$PWD"', folder=folder) == result
