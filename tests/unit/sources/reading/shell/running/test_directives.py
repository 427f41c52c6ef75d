"""Directives of batch systems and the variables that Slurm sets for them."""

from __future__ import annotations

import pytest

from vcompat.facts.facts import Place
from vcompat.sources.reading.shell.running.directives import directives, gpus, slurm_options, slurm_variables

SCRIPT = """#!/bin/bash
#SBATCH --nodes=2 -n 16  # a comment
#SBATCH -c8 --gres gpu:h100:8
# a comment
#PBS -l select=1
#SBATCH --exclusive --job-name 'a b'
#BSUB -n 4

echo
#SBATCH --nodes=9
"""
FOUND = list(directives(SCRIPT, "run.sh", 10))


def test_directives_are_read_up_to_the_first_command() -> None:
    found = [
        ("SBATCH", ("--nodes=2", "-n", "16"), Place("run.sh", 11, 1)),
        ("SBATCH", ("-c8", "--gres", "gpu:h100:8"), Place("run.sh", 12, 1)),
        ("PBS", ("-l", "select=1"), Place("run.sh", 14, 1)),
        ("SBATCH", ("--exclusive", "--job-name", "a b"), Place("run.sh", 15, 1)),
        ("BSUB", ("-n", "4"), Place("run.sh", 16, 1)),
    ]
    assert found == FOUND
    assert list(directives("#SBATCH 'a\n", "r", 1)) == [("SBATCH", ("'a",), Place("r", 1, 1))]


def test_options_of_slurm_have_their_long_names() -> None:
    assert {name: value for name, (value, _) in slurm_options(FOUND).items()} == {
        "--nodes": "2",
        "--ntasks": "16",
        "--cpus-per-task": "8",
        "--gres": "gpu:h100:8",
        "--exclusive": "",
        "--job-name": "a b",
    }
    options = slurm_options(directives("#SBATCH -X --n=1 --N 2 -x=3 -c 4 --gres -n", "r", 1))
    assert {name: value for name, (value, _) in options.items()} == {
        "-X": "", "--n": "1", "--N": "2", "-x": "3", "--cpus-per-task": "4", "--gres": "", "--ntasks": "",
    }  # fmt: skip
    (short,) = directives("#SBATCH -N=2 -G 4 -N3", "r", 1)
    assert slurm_options([short]) == {"--nodes": ("3", short.place), "--gpus": ("4", short.place)}


def test_slurm_sets_variables_for_its_directives() -> None:
    variables = slurm_variables(slurm_options(FOUND))
    assert {name: (value, place.line) for name, (value, place) in variables.items()} == {
        "SLURM_NNODES": ("2", 11),
        "SLURM_JOB_NUM_NODES": ("2", 11),
        "SLURM_NTASKS": ("16", 11),
        "SLURM_NPROCS": ("16", 11),
        "SLURM_CPUS_PER_TASK": ("8", 12),
        "SLURM_GPUS_ON_NODE": ("8", 12),
    }
    per_node = slurm_variables(
        slurm_options(directives("#SBATCH --gpus-per-node=4 --ntasks-per-node 4 --nodes=1-2", "r", 1))
    )
    assert {name: value for name, (value, _) in per_node.items()} == {
        "SLURM_NTASKS_PER_NODE": "4",
        "SLURM_GPUS_ON_NODE": "4",
        "SLURM_GPUS_PER_NODE": "4",
    }


@pytest.mark.parametrize(
    ("value", "number"),
    [("8", 8), ("h100:8", 8), ("gpu:8", 8), ("gpu:h100:8", 8), ("gpu:A100:8", 8), ("Z9:1", 1), (":8", None), ("gpu:a100-80gb.x:2", 2), ("gpu", None), ("", None), ("12345", None), ("8,9", None), ("tpu:x:8:9", None)],
)  # fmt: skip
def test_the_number_of_gpus_in_a_request(value: str, number: int | None) -> None:
    assert gpus(value) == number
